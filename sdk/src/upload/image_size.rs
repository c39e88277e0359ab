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

    pub(super) fn check_use(&self) -> Result<(), String> {
        let Some(image_use) = self.image_use else { return Ok(()) };
        let name = &self.name;
        let size = match &self.content {
            UploadContent::Bytes(bytes) => image_size_of(bytes),
            UploadContent::File(path) => image_size(path),
        };
        let Some((width, height)) = size else {
            return Err(format!("{name} is not an image whose size can be read"));
        };
        image_use.check(width, height).map_err(|error| format!("{name}: {error}"))
    }
}
