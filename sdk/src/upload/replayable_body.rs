//! Body of an upload, the same for every attempt: streamed, so that its size does not matter to memory, and of exactly the announced length, or
//! the request is not completed.

use std::fs::Metadata;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Request};
use sha2::{Digest, Sha256};
use tokio_util::io::ReaderStream;

use super::once::Pieces;
use super::{ImageType, MAX_UPLOAD_BYTES, PIECE, Upload, UploadContent, UploadProgress, Watch};
use crate::transport::BrokenBody;
use crate::transport::caller_headers::IdempotencyKey;

/// Upload whose content is fixed: a file that has changed since is an error, and a stream can be sent once.
#[derive(Debug)]
pub(crate) struct ReplayableBody {
    upload: Upload,
    length: u64,
    /// Type by the first bytes; that of a stream is read when it is sent.
    image_type: Option<ImageType>,
    stamp: Option<FileStamp>,
    boundary: String,
}

/// Length, time and inode of a file, which distinguish one state of it from another.
type FileStamp = (u64, Option<SystemTime>, u64);

impl ReplayableBody {
    /// Fixes what is sent, or returns why it cannot be sent: no file, no image, too large, unsuited to its use. Reads only the first bytes.
    /// The same file under the same key is the same body, in another process too.
    pub(crate) fn new(upload: Upload, key: Option<IdempotencyKey>) -> Result<Self, String> {
        let name = &upload.name;
        let (start, length, stamp) = match &upload.content {
            UploadContent::Once(once) => (None, once.length, None),
            UploadContent::Bytes(bytes) => (Some(bytes.clone()), bytes.len() as u64, None),
            UploadContent::File(path) => {
                let read = first_bytes(path);
                let (start, stamp) =
                    read.map_err(|error| format!("cannot read {name}: {error}"))?;
                (Some(start.into()), stamp.0, Some(stamp))
            }
        };
        if length == 0 {
            return Err(format!("{name} is empty"));
        }
        if length > MAX_UPLOAD_BYTES {
            let most = MAX_UPLOAD_BYTES / 1024 / 1024;
            return Err(format!("{name} has {length} bytes; an upload can have at most {most} MB"));
        }
        let image_type = start.map(|start| image_type(name, &start)).transpose()?;
        #[cfg(feature = "images")]
        upload.check_use(None)?;
        if let UploadContent::Once(once) = &upload.content
            && !once.take()
        {
            return Err(format!("{name} can be read only once, and another call has read it"));
        }
        let key = key.unwrap_or_else(IdempotencyKey::random);
        let boundary = format!("links-{}", hex::encode(&Sha256::digest(key.as_str())[..16]));
        Ok(Self { upload, length, image_type, stamp, boundary })
    }

    /// Returns a flag that is set once the content cannot be sent again.
    pub(crate) fn begun(&self) -> Option<Arc<AtomicBool>> {
        match &self.upload.content {
            UploadContent::Once(once) => Some(once.begun()),
            UploadContent::File(_) | UploadContent::Bytes(_) => None,
        }
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Makes the file the body of a request: as it is, or as the part `file` of a `multipart/form-data` body (RFC 7578).
    pub(crate) async fn send_in(
        &self,
        mut request: Request,
        as_multipart: bool,
    ) -> io::Result<Request> {
        let (image_type, content) = self.open().await?;
        let mut content_type = image_type.media_type().to_owned();
        let (mut head, mut tail) = (String::new(), String::new());
        if as_multipart {
            let (boundary, name) = (&self.boundary, quoted(&self.upload.name));
            head = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {content_type}\r\n\r\n"
            );
            tail = format!("\r\n--{boundary}--\r\n");
            content_type = format!("multipart/form-data; boundary={boundary}");
        }
        let length = head.len() as u64 + self.length + tail.len() as u64;
        let content_type = HeaderValue::try_from(content_type).map_err(io::Error::other)?;
        request.headers_mut().insert(CONTENT_TYPE, content_type);
        request.headers_mut().insert(CONTENT_LENGTH, length.into());
        let whole = |text: String| Some(Bytes::from(text)).filter(|text| !text.is_empty());
        let body = ExactBody {
            name: self.upload.name.clone(),
            length: self.length,
            head: whole(head),
            content: Some(content),
            tail: whole(tail),
            progress: self.upload.progress.clone(),
            read: 0,
            held: None,
        };
        *request.body_mut() = Some(Body::wrap_stream(stream::try_unfold(body, ExactBody::next)));
        Ok(request)
    }

    /// Opens the content at its beginning.
    async fn open(&self) -> io::Result<(ImageType, Pieces)> {
        let content: Pieces = match &self.upload.content {
            UploadContent::Bytes(bytes) => {
                Box::pin(ReaderStream::with_capacity(Cursor::new(bytes.clone()), PIECE))
            }
            UploadContent::File(path) => {
                let file = tokio::fs::File::open(path).await?;
                if Some(stamp(&file.metadata().await?)) != self.stamp {
                    let message = format!("{} changed while it was being sent", path.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                Box::pin(ReaderStream::with_capacity(file, PIECE))
            }
            UploadContent::Once(once) => once.pieces(),
        };
        Ok((self.image_type().await?, content))
    }

    async fn image_type(&self) -> io::Result<ImageType> {
        let UploadContent::Once(once) = &self.upload.content else {
            return self.image_type.ok_or_else(|| io::ErrorKind::InvalidInput.into());
        };
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let most = ImageType::SIGNATURE;
        #[cfg(feature = "images")]
        let most = most.max(self.upload.bytes_to_check());
        let start = once.start(most).await?;
        let image_type = image_type(&self.upload.name, &start).map_err(invalid)?;
        #[cfg(feature = "images")]
        self.upload.check_use(Some(&start)).map_err(invalid)?;
        Ok(image_type)
    }
}

impl Drop for ReplayableBody {
    fn drop(&mut self) {
        if let UploadContent::Once(once) = &self.upload.content {
            once.leave();
        }
    }
}

fn stamp(metadata: &Metadata) -> FileStamp {
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    (metadata.len(), metadata.modified().ok(), inode)
}

fn image_type(name: &str, start: &[u8]) -> Result<ImageType, String> {
    ImageType::of(start).ok_or_else(|| {
        format!("{name} is not an image: only JPEG, PNG, WebP and GIF can be uploaded")
    })
}

fn first_bytes(path: &Path) -> io::Result<(Vec<u8>, FileStamp)> {
    // A pipe would block when it is opened.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let file = std::fs::File::open(path)?;
    let state = stamp(&file.metadata()?);
    let mut start = Vec::new();
    file.take(ImageType::SIGNATURE as u64).read_to_end(&mut start)?;
    Ok((start, state))
}

/// Returns a file name for use inside quotes, escaped as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// The pieces of a content between two texts.
///
/// Each piece is held back until there is another one, or the end: a content that is longer than announced must not look complete to the
/// service, which has counted the bytes that were announced.
struct ExactBody {
    name: String,
    length: u64,
    head: Option<Bytes>,
    content: Option<Pieces>,
    tail: Option<Bytes>,
    progress: Option<Watch>,
    read: u64,
    held: Option<Bytes>,
}

impl ExactBody {
    /// Returns the next bytes to send, with the rest of the body.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        if let Some(head) = self.head.take() {
            return Ok(Some((head, self)));
        }
        while let Some(content) = &mut self.content {
            let piece = content
                .next()
                .await
                .transpose()
                .map_err(|error| io::Error::other(BrokenBody::unread(&self.name, &error)))?;
            if piece.as_ref().is_some_and(Bytes::is_empty) {
                continue;
            }
            if let Some(sent) = self.exchange(piece).map_err(io::Error::other)? {
                return Ok(Some((sent, self)));
            }
        }
        Ok(self.tail.take().map(|tail| (tail, self)))
    }

    /// Returns the piece that can be sent now that this one was read, or the content has ended.
    fn exchange(&mut self, piece: Option<Bytes>) -> Result<Option<Bytes>, BrokenBody> {
        let (name, length) = (&self.name, self.length);
        let unsent = piece.as_ref().map_or(0, |piece| piece.len() as u64);
        self.read += unsent;
        if self.read > length {
            return Err(BrokenBody::invalid(format!(
                "{name} is longer than the {length} bytes declared"
            )));
        }
        if piece.is_none() {
            self.content = None;
            if self.read < length {
                let read = self.read;
                return Err(BrokenBody::invalid(format!(
                    "{name} ended after {read} of the {length} declared bytes"
                )));
            }
        }
        let sent = std::mem::replace(&mut self.held, piece);
        if let (Some(watch), Some(_)) = (&self.progress, &sent) {
            watch(UploadProgress { sent: self.read - unsent, total: length });
        }
        Ok(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_of_a_key_is_the_same_in_every_process() {
        let of = |key: &str| {
            let upload = Upload::bytes("a.gif", &b"GIF89a"[..]);
            let key = IdempotencyKey::new(key).unwrap();
            ReplayableBody::new(upload, Some(key)).unwrap().boundary.clone()
        };
        assert_eq!(of("key-1"), "links-be2974546978e3739e6d6da85c4be9f3");
        assert_ne!(of("key-1"), of("key-2"));
    }

    #[test]
    fn quotes_and_line_breaks_in_a_file_name_are_escaped() {
        assert_eq!(quoted("a\"b\r\nX: y"), "a%22b%0D%0AX: y");
    }
}
