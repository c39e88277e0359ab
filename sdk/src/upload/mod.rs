//! Images to upload.

mod foreign_url;
mod image;
mod once;
mod replayable_body;

use crate::token::Hidden;
use std::error::Error as StdError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::io::AsyncRead;
use tokio_util::io::ReaderStream;

use crate::transport::answer::MAX_BYTES;

pub use foreign_url::UploadTarget;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use foreign_url::fuzzed;
pub(crate) use foreign_url::{GET, download, send_to_upload_url};
pub use image::{ImageType, ImageUse};
use once::{OnceContent, Pieces};
pub(crate) use replayable_body::ReplayableBody;

/// Maximum size of an upload in bytes: 50 MB, taken as 50 * 2^20.
pub const MAX_UPLOAD_BYTES: u64 = 50 * 1024 * 1024;

/// Maximum size of a download in bytes. The service scales images down to a width of 800 pixels.
pub const MAX_DOWNLOAD_BYTES: usize = MAX_BYTES;

/// Callback for the progress.
type Watch = Hidden<Arc<dyn Fn(UploadProgress) + Send + Sync>>;

/// Bytes read at a time.
const PIECE: usize = 64 * 1024;

/// An image to upload: a file on disk, or bytes, a reader or a stream with a name. Its content must be a JPEG, PNG, WebP or GIF.
///
/// ```
/// use links_sdk::{ImageUse, Upload, UploadMethod};
///
/// let from_disk = Upload::file("portrait.jpg").for_use(ImageUse::Avatar);
/// let from_memory = Upload::bytes("dot.gif", &b"GIF89a"[..]).method(UploadMethod::UploadUrl);
/// let passed_on = Upload::reader("dot.gif", tokio::io::stdin(), 1234);
/// # let _ = (from_disk, from_memory, passed_on);
/// ```
#[derive(Clone, Debug)]
pub struct Upload {
    name: String,
    content: UploadContent,
    pub(crate) method: UploadMethod,
    #[cfg(feature = "images")]
    image_use: Option<ImageUse>,
    progress: Option<Watch>,
}

#[derive(Clone, Debug)]
enum UploadContent {
    File(PathBuf),
    Bytes(Bytes),
    Once(Arc<OnceContent>),
}

/// Method of an upload. Both methods stream, so the memory use does not depend on the size of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UploadMethod {
    /// One request to the service, retried under its idempotency key.
    #[default]
    Multipart,
    /// Two requests: the service issues a URL, and the image is sent to it. This spares the service a large body.
    UploadUrl,
}

/// Progress of an upload attempt. A retry starts at 0 again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadProgress {
    /// Bytes of the image handed to the network.
    pub sent: u64,
    /// Size of the image in bytes.
    pub total: u64,
}

impl Upload {
    /// Returns an upload of a file on disk. The file is opened when the call is sent. If it changes before the call has finished, a retry
    /// fails.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let name = path
            .file_name()
            .map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
        Self::new(name, UploadContent::File(path.to_owned()))
    }

    /// Returns an upload of bytes in memory, with the name to send.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self::new(name.into(), UploadContent::Bytes(bytes.into()))
    }

    /// Returns an upload from a reader, such as the body of a request that your program is answering, with the name to send and the
    /// `length` in bytes.
    ///
    /// The content is streamed and can be read only once. After a part of it was sent, the call is not retried, whatever the failure is,
    /// and no clone of the upload or of its call can be sent. To send the bytes again without storing the image twice, create a new upload
    /// and give its call the key of the first one ([`Call::with_idempotency_key`](crate::Call::with_idempotency_key)). If reading the
    /// content fails, or it is shorter or longer than `length`, the call fails, and the service does not get the whole content.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::Upload;
    ///
    /// let dot = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    /// let file = client.files().upload(Upload::reader("dot.gif", &dot[..], dot.len() as u64)).await?;
    /// assert_eq!(file.width, Some(1));
    /// let error = client.files().upload(Upload::reader("dot.gif", &dot[..], 1000)).await.unwrap_err();
    /// assert!(error.is_invalid_input());
    /// # Ok(()) });
    /// ```
    pub fn reader(
        name: impl Into<String>,
        reader: impl AsyncRead + Send + 'static,
        length: u64,
    ) -> Self {
        Self::once(name.into(), Box::pin(ReaderStream::with_capacity(reader, PIECE)), length)
    }

    /// Returns an upload from the pieces of a stream; see [`Upload::reader`].
    pub fn stream<B, E>(
        name: impl Into<String>,
        stream: impl Stream<Item = Result<B, E>> + Send + 'static,
        length: u64,
    ) -> Self
    where
        B: Into<Bytes> + 'static,
        E: Into<Box<dyn StdError + Send + Sync>> + 'static,
    {
        let pieces = stream.map(|piece| piece.map(Into::into).map_err(io::Error::other));
        Self::once(name.into(), Box::pin(pieces), length)
    }

    fn once(name: String, pieces: Pieces, length: u64) -> Self {
        Self::new(name, UploadContent::Once(Arc::new(OnceContent::new(pieces, length))))
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
        self.progress = Some(Hidden(Arc::new(watch)));
        self
    }
}

/// Returns the width and the height of the image in these bytes; `None` if they cannot be read because the bytes are damaged or not an
/// image.
#[cfg(feature = "images")]
pub fn image_size_of(bytes: &[u8]) -> Option<(usize, usize)> {
    imagesize::blob_size(bytes).ok().map(|size| (size.width, size.height))
}

#[cfg(feature = "images")]
impl Upload {
    /// Refuses the image before it is sent if its size or aspect ratio does not suit this use.
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
            (UploadContent::Bytes(bytes), _) => imagesize::blob_size(bytes),
            (UploadContent::File(path), _) => imagesize::size(path),
            (UploadContent::Once(_), Some(start)) => imagesize::blob_size(start),
            (UploadContent::Once(_), None) => return Ok(()),
        };
        let size = size.map_err(|_| format!("cannot read the image size of {name}"))?;
        image_use.check(size.width, size.height).map_err(|error| format!("{name}: {error}"))
    }
}
