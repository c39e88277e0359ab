//! A file on its way to the service: streamed, so that its size does not matter to memory.

use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Request};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::io::ReaderStream;
use uuid::Uuid;

/// Bytes enough to tell what a file is.
const SIGNATURE: usize = 12;

/// An image to upload: a file on disk, or bytes with a name.
///
/// ```
/// use links_sdk::Upload;
///
/// let from_disk = Upload::file("menu.jpg");
/// let from_memory = Upload::bytes("dot.gif", &b"GIF89a"[..]);
/// # let _ = (from_disk, from_memory);
/// ```
#[derive(Clone, Debug)]
pub struct Upload {
    name: String,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    File(PathBuf),
    Bytes(Bytes),
}

impl Upload {
    /// A file on disk. It is opened when the call is sent, and must not change until the call has ended.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let name = path
            .file_name()
            .map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
        Self { name, content: Content::File(path.to_owned()) }
    }

    /// Bytes in memory, and the name to send with them.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self { name: name.into(), content: Content::Bytes(bytes.into()) }
    }

    async fn open(&self) -> io::Result<Opened> {
        let (mut reader, length): (Box<dyn AsyncRead + Send + Unpin>, u64) = match &self.content {
            Content::Bytes(bytes) => (Box::new(Cursor::new(bytes.clone())), bytes.len() as u64),
            Content::File(path) => {
                let file = tokio::fs::File::open(path).await?;
                let metadata = file.metadata().await?;
                if !metadata.is_file() {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
                }
                (Box::new(file), metadata.len())
            }
        };
        let mut start = vec![0; SIGNATURE.min(usize::try_from(length).unwrap_or(SIGNATURE))];
        reader.read_exact(&mut start).await?;
        let content_type = content_type(&start);
        let rest = length - start.len() as u64;
        Ok(Opened {
            reader: Box::new(Cursor::new(start).chain(reader.take(rest))),
            length,
            content_type,
        })
    }

    /// Makes this the part `file` of a request's `multipart/form-data` body (RFC 7578). The same boundary makes the same bytes.
    pub(crate) async fn multipart(
        &self,
        mut request: Request,
        boundary: &Boundary,
    ) -> io::Result<Request> {
        let Opened { reader, length, content_type } = self.open().await?;
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\nContent-Type: {content_type}\r\n\r\n",
            quoted(&self.name),
            boundary = boundary.0,
        );
        let tail = format!("\r\n--{}--\r\n", boundary.0);
        let content_type =
            HeaderValue::from_str(&format!("multipart/form-data; boundary={}", boundary.0));
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, content_type.map_err(io::Error::other)?);
        headers.insert(CONTENT_LENGTH, (head.len() as u64 + length + tail.len() as u64).into());
        let body = Cursor::new(head).chain(reader).chain(Cursor::new(tail));
        *request.body_mut() = Some(Body::wrap_stream(ReaderStream::new(body)));
        Ok(request)
    }
}

struct Opened {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    length: u64,
    content_type: &'static str,
}

/// What separates the parts of one multipart body.
pub(crate) struct Boundary(String);

impl Boundary {
    pub(crate) fn random() -> Self {
        Self(format!("links-{}", Uuid::new_v4().simple()))
    }
}

/// The type by the first bytes; the name says nothing reliable.
fn content_type(start: &[u8]) -> &'static str {
    match start {
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => "application/octet-stream",
    }
}

/// A file name inside quotes, escaped as browsers do.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_told_by_the_content() {
        let table: &[(&[u8], &str)] = &[
            (b"\xff\xd8\xff\xe0....", "image/jpeg"),
            (b"\x89PNG\r\n\x1a\n....", "image/png"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\x10\0\0\0WEBP", "image/webp"),
            (b"RIFF\x10\0\0\0WAVE", "application/octet-stream"),
            (b"<html>", "application/octet-stream"),
            (b"", "application/octet-stream"),
        ];
        for (start, expected) in table {
            assert_eq!(content_type(start), *expected, "{start:?}");
        }
    }

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        assert_eq!(quoted("a\"b\r\nX: y"), "a%22b%0D%0AX: y");
    }
}
