//! What is wrong with an image that is uploaded all the same: it is damaged, or larger than pages show.

use links_sdk::{ImageType, image_size_of};

/// Number of pixels per side beyond which an image is larger than any page shows: twice the width of a background (the interface, section 2.1).
const USEFUL_PIXELS: usize = 3200;

/// Returns what is wrong with an image, as words after its name.
pub(crate) fn flaw(bytes: &[u8]) -> Option<String> {
    let Some((width, height)) = image_size_of(bytes) else {
        return Some("may be damaged: its width and height cannot be read".to_owned());
    };
    let is_whole = match ImageType::of(bytes) {
        Some(ImageType::Jpeg) => is_whole_jpeg(bytes),
        Some(ImageType::Png) => bytes.windows(4).any(|it| it == b"IEND"),
        _ => true,
    };
    if !is_whole {
        return Some("may be damaged: a part of it is missing or cannot be read".to_owned());
    }
    (width.max(height) > USEFUL_PIXELS).then(|| {
        format!("has {width}x{height} pixels, more than pages show: {USEFUL_PIXELS} are enough")
    })
}

/// Returns whether the parts of a JPEG follow each other up to its end. Pixels are not decoded.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    const END: u8 = 0xd9;
    const SCAN: u8 = 0xda;
    let mut at = 2;
    loop {
        // A marker may have more than one 0xff.
        while bytes.get(at..at + 2) == Some(&[0xff, 0xff]) {
            at += 1;
        }
        let marker = match bytes.get(at..at + 2) {
            Some([0xff, END]) => return true,
            Some([0xff, marker @ 0xc0..=0xfe]) => *marker,
            _ => return false,
        };
        let Some([high, low]) = bytes.get(at + 2..at + 4) else { return false };
        at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
        if marker == SCAN {
            let Some(rest) = bytes.get(at..) else { return false };
            // Within the pixels, 0xff is followed by 0, or by the number of a part.
            let is_marker = |it: &[u8]| it[0] == 0xff && !matches!(it[1], 0 | 0xd0..=0xd7);
            let Some(end) = rest.windows(2).position(is_marker) else { return false };
            at += end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG of 8x8 pixels, with a thumbnail in its metadata.
    fn jpeg() -> Vec<u8> {
        let part = |marker: u8, data: &[u8]| {
            let length = u16::try_from(data.len() + 2).unwrap().to_be_bytes();
            [&[0xff, marker], &length[..], data].concat()
        };
        let thumbnail = [0xff, 0xd8, 0xff, 0xdb, 0xff, 0xd9];
        let size = [8, 0, 8, 0, 8, 1, 1, 0x11, 0];
        let pixels = [0x12, 0xff, 0, 0x34, 0xff, 0xd0, 0x56];
        let first = [part(0xe1, &thumbnail), part(0xc0, &size), part(0xda, &[1, 1, 0, 0, 63, 0])];
        let second = part(0xda, &[1, 1, 0, 0, 63, 0]);
        let all = [&[0xff, 0xd8], &first.concat()[..], &pixels, &second, &pixels, &[0xff, 0xff]];
        [&all.concat()[..], &[0xd9, b'e', b'n', b'd']].concat()
    }

    #[test]
    fn a_jpeg_that_was_cut_off_or_overwritten_is_noticed() {
        let whole = jpeg();
        assert_eq!(flaw(&whole), None);
        for length in 2..whole.len() - 5 {
            assert!(flaw(&whole[..length]).is_some_and(|it| it.contains("damaged")), "{length}");
        }
        let scan = whole.windows(2).position(|it| it == [0xff, 0xda]).unwrap();
        let mut overwritten = whole.clone();
        overwritten[scan + 11..scan + 13].copy_from_slice(&[0xff, 0x31]);
        assert_eq!(
            flaw(&overwritten).as_deref(),
            Some("may be damaged: a part of it is missing or cannot be read")
        );
    }

    #[test]
    fn a_png_that_was_cut_off_is_noticed() {
        let header =
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08\x08\0\0\0\0abcd\0\0\0\x01IDATx";
        assert!(flaw(header).is_some_and(|it| it.contains("a part of it is missing")));
        assert_eq!(flaw(&[&header[..], b"efgh\0\0\0\0IEND\xae\x42\x60\x82"].concat()), None);
    }
}
