//! Images to upload.

mod download;
mod foreign_url;
mod image;
#[cfg(feature = "images")]
mod image_size;
mod replayable_body;
mod upload_url;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

pub(crate) use download::{GET, download};
pub use image::{ImageType, ImageUse, UnsuitableImage};
#[cfg(feature = "images")]
pub use image_size::{image_size, image_size_of};
pub(crate) use replayable_body::ReplayableBody;
pub use upload_url::UploadTarget;
#[cfg(feature = "oauth")]
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use upload_url::fuzzed;
pub(crate) use upload_url::send_to_upload_url;

/// Maximum size of an upload in bytes: 50 MB, read as 50 * 2^20 (the interface, section 8).
pub const MAX_UPLOAD_BYTES: u64 = 50 * 1024 * 1024;

/// Maximum size of a download in bytes. The service scales images down to a width of 800 pixels (the interface, section 2.1).
pub const MAX_DOWNLOAD_BYTES: usize = 8 * 1024 * 1024;

/// An image to upload, jpeg, png, webp or gif by its content: a file on disk, or bytes with a name.
///
/// ```
/// use links_sdk::{ImageUse, Upload, UploadMethod};
///
/// let from_disk = Upload::file("portrait.jpg").for_use(ImageUse::Avatar);
/// let from_memory = Upload::bytes("dot.gif", &b"GIF89a"[..]).method(UploadMethod::UploadUrl);
/// # let _ = (from_disk, from_memory);
/// ```
#[derive(Clone)]
pub struct Upload {
    name: String,
    content: UploadContent,
    method: UploadMethod,
    #[cfg(feature = "images")]
    image_use: Option<ImageUse>,
    progress: Option<Arc<dyn Fn(UploadProgress) + Send + Sync>>,
}

#[derive(Clone, Debug)]
enum UploadContent {
    File(PathBuf),
    Bytes(Bytes),
}

/// Method of an upload. Both stream, so that the size of a file does not matter to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UploadMethod {
    /// One request to the service, repeated under its idempotency key.
    #[default]
    Multipart,
    /// Two requests: the service issues a URL, and the image is sent there, which spares the service a large body.
    UploadUrl,
}

/// Progress of an attempt to upload. A repeated attempt begins at 0 again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadProgress {
    /// Bytes of the image handed to the network.
    pub sent: u64,
    /// Size of the image in bytes.
    pub total: u64,
}

impl Upload {
    /// Returns an upload of a file on disk. The file is opened when the call is sent; if it changes before the call has ended, a repeated
    /// attempt fails.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let name = path
            .file_name()
            .map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
        Self::new(name, UploadContent::File(path.to_owned()))
    }

    /// Returns an upload of bytes in memory, with the name to send with them.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self::new(name.into(), UploadContent::Bytes(bytes.into()))
    }

    fn new(name: String, content: UploadContent) -> Self {
        Self {
            name,
            content,
            method: UploadMethod::default(),
            #[cfg(feature = "images")]
            image_use: None,
            progress: None,
        }
    }

    /// Sets the upload method.
    #[must_use]
    pub fn method(mut self, method: UploadMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets a callback for the progress. It must not block.
    #[must_use]
    pub fn on_progress(mut self, watch: impl Fn(UploadProgress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(watch));
        self
    }

    pub(crate) fn way(&self) -> UploadMethod {
        self.method
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("name", &self.name)
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
