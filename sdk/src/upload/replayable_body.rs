//! Body of an upload, the same for every attempt: streamed, so that its size does not matter to memory.

use std::fs::Metadata;
use std::io::{self, Cursor};
use std::time::SystemTime;

use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Request};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::io::{InspectReader, ReaderStream};
use uuid::Uuid;

use super::{ImageType, MAX_UPLOAD_BYTES, Upload, UploadContent, UploadProgress};
use crate::transport::idempotency::IdempotencyKey;

/// Bytes read from disk at a time.
const PIECE: usize = 64 * 1024;

/// Upload whose content is fixed: a file that has changed since is an error.
#[derive(Debug)]
pub(crate) struct ReplayableBody {
    upload: Upload,
    length: u64,
    image_type: ImageType,
    stamp: Option<FileStamp>,
    boundary: String,
}

/// Metadata that distinguishes one state of a file from another.
#[derive(Debug, PartialEq, Eq)]
struct FileStamp {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl ReplayableBody {
    /// Fixes what is sent, or returns why it cannot be sent: no file, no image, too large, unsuited to its use. Reads only the first bytes.
    pub(crate) fn new(upload: Upload) -> Result<Self, String> {
        let name = &upload.name;
        let (start, length, stamp) =
            first_bytes(&upload.content).map_err(|error| format!("cannot read {name}: {error}"))?;
        if length == 0 {
            return Err(format!("{name} is empty"));
        }
        if length > MAX_UPLOAD_BYTES {
            let most = MAX_UPLOAD_BYTES / 1024 / 1024;
            return Err(format!("{name} has {length} bytes, more than the {most} MB of an upload"));
        }
        let Some(image_type) = ImageType::of(&start) else {
            return Err(format!(
                "{name} is not an image: only jpeg, png, webp and gif can be uploaded"
            ));
        };
        #[cfg(feature = "images")]
        upload.check_use()?;
        let boundary = format!("links-{}", Uuid::new_v4().simple());
        Ok(Self { upload, length, image_type, stamp, boundary })
    }

    /// Takes the boundary of the parts from a key, so that the same file under the same key is the same body, in another process too.
    pub(crate) fn keyed(self, key: &IdempotencyKey) -> Self {
        let digest = Sha256::digest(key.as_str().as_bytes());
        Self { boundary: format!("links-{}", hex::encode(&digest[..16])), ..self }
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Makes the file the whole body of a request.
    pub(crate) async fn raw(&self, mut request: Request) -> io::Result<Request> {
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.image_type.media_type()));
        headers.insert(CONTENT_LENGTH, self.length.into());
        *request.body_mut() = Some(body(self.open().await?));
        Ok(request)
    }

    /// Makes the file the part `file` of a request's `multipart/form-data` body (RFC 7578).
    pub(crate) async fn multipart(&self, mut request: Request) -> io::Result<Request> {
        let boundary = &self.boundary;
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\nContent-Type: {}\r\n\r\n",
            quoted(&self.upload.name),
            self.image_type,
        );
        let tail = format!("\r\n--{boundary}--\r\n");
        let content_type =
            HeaderValue::from_str(&format!("multipart/form-data; boundary={boundary}"));
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, content_type.map_err(io::Error::other)?);
        headers
            .insert(CONTENT_LENGTH, (head.len() as u64 + self.length + tail.len() as u64).into());
        let content = self.open().await?;
        *request.body_mut() = Some(body(Cursor::new(head).chain(content).chain(Cursor::new(tail))));
        Ok(request)
    }

    /// Opens the content at its beginning.
    async fn open(&self) -> io::Result<impl AsyncRead + Send + Unpin + use<>> {
        let reader: Box<dyn AsyncRead + Send + Unpin> = match &self.upload.content {
            UploadContent::Bytes(bytes) => Box::new(Cursor::new(bytes.clone())),
            UploadContent::File(path) => {
                let file = tokio::fs::File::open(path).await?;
                if Some(FileStamp::of(&file.metadata().await?)) != self.stamp {
                    let message = format!("{} changed while it was being sent", path.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                Box::new(file)
            }
        };
        let (progress, total, mut sent) = (self.upload.progress.clone(), self.length, 0);
        Ok(InspectReader::new(reader.take(total), move |bytes| {
            sent += bytes.len() as u64;
            if let Some(watch) = &progress
                && !bytes.is_empty()
            {
                watch(UploadProgress { sent, total });
            }
        }))
    }
}

impl FileStamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: metadata.ino(),
        }
    }
}

fn body(content: impl AsyncRead + Send + 'static) -> Body {
    Body::wrap_stream(ReaderStream::with_capacity(content, PIECE))
}

fn first_bytes(content: &UploadContent) -> io::Result<(Vec<u8>, u64, Option<FileStamp>)> {
    match content {
        UploadContent::Bytes(bytes) => {
            Ok((bytes[..ImageType::SIGNATURE.min(bytes.len())].to_vec(), bytes.len() as u64, None))
        }
        UploadContent::File(path) => {
            // A pipe would block when it is opened.
            if !std::fs::metadata(path)?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
            }
            let mut file = std::fs::File::open(path)?;
            let stamp = FileStamp::of(&file.metadata()?);
            let mut start = Vec::new();
            let mut head = io::Read::take(&mut file, ImageType::SIGNATURE as u64);
            io::Read::read_to_end(&mut head, &mut start)?;
            Ok((start, stamp.length, Some(stamp)))
        }
    }
}

/// Returns a file name for use inside quotes, escaped as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boundary_of_a_key_is_the_same_in_every_process() {
        let of = |key: &str| {
            let upload = Upload::bytes("a.gif", &b"GIF89a"[..]);
            let key = IdempotencyKey::new(key).unwrap();
            ReplayableBody::new(upload).unwrap().keyed(&key).boundary
        };
        assert_eq!(of("key-1"), "links-be2974546978e3739e6d6da85c4be9f3");
        assert_ne!(of("key-1"), of("key-2"));
    }

    #[test]
    fn quotes_and_line_breaks_in_a_file_name_are_escaped() {
        assert_eq!(quoted("a\"b\r\nX: y"), "a%22b%0D%0AX: y");
    }
}
