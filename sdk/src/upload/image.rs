//! Image formats, and the sizes that suit a place on a page.

use crate::ids::InvalidValue;

/// Type of an image, determined by its first bytes, because a file name is not reliable. Images of other types are never uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ImageType {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    Webp,
    /// GIF.
    Gif,
}

impl ImageType {
    /// Number of first bytes that determine the type.
    pub const SIGNATURE: usize = 12;

    /// Returns the type of an image that starts with these bytes; `None` if they are not the start of a known image.
    ///
    /// ```
    /// use links_sdk::ImageType;
    ///
    /// assert_eq!(ImageType::of(b"GIF89a"), Some(ImageType::Gif));
    /// assert_eq!(ImageType::of(b"root:x:0:0:root"), None);
    /// ```
    pub fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// Returns the media type: `image/png` for PNG.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}

/// Place where an image is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageUse {
    /// In a circle: square, at least 800x800.
    Avatar,
    /// Across the page without cropping: 16:9, at least 1600x900. Other aspect ratios push the content off the screen.
    Background,
}

impl ImageUse {
    /// Checks the size of an image in pixels. The aspect ratio may be off by one percent.
    ///
    /// ```
    /// use links_sdk::ImageUse;
    ///
    /// assert!(ImageUse::Background.check(1920, 1080).is_ok());
    /// let error = ImageUse::Avatar.check(1920, 1080).unwrap_err();
    /// assert_eq!(error.to_string(), "1920x1080 has the wrong aspect ratio; it must be 1:1");
    /// ```
    ///
    /// # Errors
    ///
    /// When the image would be cropped, or is smaller than it is shown.
    pub fn check(self, width: usize, height: usize) -> Result<(), InvalidValue> {
        let (least_width, least_height, proportions) = match self {
            Self::Avatar => (800, 800, "1:1"),
            Self::Background => (1600, 900, "16:9"),
        };
        let (across, down) =
            (width.saturating_mul(least_height), height.saturating_mul(least_width));
        let why = if across.abs_diff(down) > across.max(down) / 100 {
            format!("has the wrong aspect ratio; it must be {proportions}")
        } else if width < least_width || height < least_height {
            format!("is too small; it must be at least {least_width}x{least_height}")
        } else {
            return Ok(());
        };
        Err(InvalidValue::new(format!("{width}x{height} {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_told_by_the_content() {
        let table: &[(&[u8], Option<ImageType>)] = &[
            (b"\xff\xd8\xff\xe0....", Some(ImageType::Jpeg)),
            (b"\x89PNG\r\n\x1a\n....", Some(ImageType::Png)),
            (b"GIF89a", Some(ImageType::Gif)),
            (b"GIF87a.", Some(ImageType::Gif)),
            (b"GIF8 is a text", None),
            (b"RIFF\x10\0\0\0WEBP", Some(ImageType::Webp)),
            (b"RIFF\x10\0\0\0WAVE", None),
            (b"<html>", None),
            (b"", None),
        ];
        for (start, expected) in table {
            assert_eq!(ImageType::of(start), *expected, "{start:?}");
        }
    }

    #[test]
    fn proportions_and_least_size_are_those_of_the_interface() {
        let fits = |image_use: ImageUse, sizes: &[(usize, usize)]| -> Vec<bool> {
            sizes.iter().map(|(width, height)| image_use.check(*width, *height).is_ok()).collect()
        };
        let avatars = [(800, 800), (1000, 1005), (799, 799), (800, 700), (0, 0), (usize::MAX, 1)];
        assert_eq!(fits(ImageUse::Avatar, &avatars), [true, true, false, false, false, false]);
        let backgrounds = [(1600, 900), (1920, 1080), (1366, 768), (900, 1600), (1600, 1200)];
        assert_eq!(fits(ImageUse::Background, &backgrounds), [true, true, false, false, false]);
        let small = ImageUse::Background.check(1366, 768).unwrap_err();
        assert_eq!(small.to_string(), "1366x768 is too small; it must be at least 1600x900");
    }
}
