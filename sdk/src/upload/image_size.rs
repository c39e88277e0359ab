//! Size of an image in pixels, read from its first bytes.

use std::path::Path;

use super::{ImageUse, Upload, UploadContent};

/// Returns the width and the height of the image in a file; `None` if they cannot be read, so that the file is damaged or no image.
pub fn image_size(path: &Path) -> Option<(usize, usize)> {
    imagesize::size(path).ok().map(|size| (size.width, size.height))
}

/// Returns the width and the height of the image in bytes; `None` if they cannot be read, so that the bytes are damaged or no image.
pub fn image_size_of(bytes: &[u8]) -> Option<(usize, usize)> {
    imagesize::blob_size(bytes).ok().map(|size| (size.width, size.height))
}

impl Upload {
    /// Refuses the image before it is sent where its size or proportions do not suit this use.
    #[must_use]
    pub fn for_use(mut self, image_use: ImageUse) -> Self {
        self.image_use = Some(image_use);
        self
    }

    /// Returns how many first bytes of a stream tell whether the image suits its use. More than a few kilobytes before the size are rare:
    /// metadata of a camera.
    pub(super) fn bytes_to_check(&self) -> usize {
        if self.image_use.is_some() { 256 * 1024 } else { 0 }
    }

    /// Checks the size of the image. A stream's is read from its first bytes, once these are known.
    pub(super) fn check_use(&self, start: Option<&[u8]>) -> Result<(), String> {
        let Some(image_use) = self.image_use else { return Ok(()) };
        let name = &self.name;
        let size = match (&self.content, start) {
            (UploadContent::Bytes(bytes), _) => image_size_of(bytes),
            (UploadContent::File(path), _) => image_size(path),
            (UploadContent::Once(_), Some(start)) => image_size_of(start),
            (UploadContent::Once(_), None) => return Ok(()),
        };
        let Some((width, height)) = size else {
            return Err(format!("{name} is not an image whose size can be read"));
        };
        image_use.check(width, height).map_err(|error| format!("{name}: {error}"))
    }
}
