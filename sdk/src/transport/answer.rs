//! Answer of the service, read as a whole under a size limit: unpacked if it is gzip.
//!
//! reqwest can unpack it, too, but its feature for that changes what every other client of a program sends and receives.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flate2::write::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use reqwest::{Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use crate::secrets::Secrets;
use crate::token::Token;

/// Maximum size of one answer in bytes, after decompression.
pub(crate) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// An answer as the service sent it.
#[derive(Clone)]
pub struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Secrets that no message about it may repeat.
    pub(crate) secrets: Secrets,
    /// The token that it answers, which so stays among the secrets.
    pub(crate) sent_token: Option<Token>,
}

/// The time for an attempt, or for a piece of it, has passed.
#[derive(Debug, thiserror::Error)]
#[error("operation timed out")]
pub(crate) struct TimedOut;

impl Answer {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self { status, headers, body, secrets: Secrets::default(), sent_token: None }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Returns the value of a header, if it is readable text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body, byte by byte as it was sent (decompressed).
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns its status and headers.
    pub(crate) fn without_body(&self) -> Self {
        Self { body: Bytes::new(), ..self.clone() }
    }

    /// Returns the answer that the service would have sent, for an answer that was lost and whose effect was read instead.
    pub(crate) fn json(body: &serde_json::Value) -> Self {
        Self::new(StatusCode::OK, HeaderMap::new(), Bytes::from(body.to_string()))
    }

    /// Reads to the end until then, with at most `stall` between two pieces. Of an error, a part of the body is enough, because it only explains.
    pub(crate) async fn read(
        response: &mut Response,
        until: Instant,
        stall: Duration,
    ) -> Result<Self, (Self, UnreadBody)> {
        let mut body = BodyReader::of(response, MAX_BYTES);
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let stopped = loop {
            match timeout_at(until.min(after(stall)), response.chunk()).await {
                Ok(Ok(None)) => break None,
                Ok(Ok(Some(piece))) => {
                    if let Err(unread) = body.push(piece) {
                        break Some(unread);
                    }
                }
                Ok(Err(error)) => break Some(UnreadBody::Cut(Box::new(error.without_url()))),
                Err(_) => break Some(UnreadBody::Cut(Box::new(TimedOut))),
            }
        };
        let (body, unfinished) = body.finish();
        let answer = Self::new(status, headers, body);
        match stopped.or(unfinished) {
            Some(unread) if status.is_success() => Err((answer, unread)),
            _ => Ok(answer),
        }
    }
}

/// Returns the moment after a duration, or one that is never reached if there is none.
pub(crate) fn after(duration: Duration) -> Instant {
    const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);
    let now = Instant::now();
    now.checked_add(duration).unwrap_or_else(|| now + NEVER)
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status())
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Value of `Accept-Encoding` of a request whose answer is read in this way.
pub(crate) const ACCEPTED: &str = "gzip";

/// Reason why a body was not read to its end.
pub(crate) enum UnreadBody {
    /// The connection broke, or nothing came for too long.
    Cut(Box<dyn StdError + Send + Sync>),
    TooLarge,
}

/// Reader of a body that comes piece by piece.
pub(crate) struct BodyReader {
    /// Maximum size in bytes, after decompression.
    limit: usize,
    /// Length that the answer announced.
    announced: usize,
    is_gzip: bool,
    content: Content,
}

enum Content {
    /// At most one piece, which is not copied.
    Whole(Bytes),
    Pieces(BytesMut),
    Gzip(Box<MultiGzDecoder<BoundedBody>>),
}

impl BodyReader {
    /// Begins to read the body of an answer. Headers that only describe its packed form are removed.
    pub(crate) fn of(response: &mut Response, limit: usize) -> Self {
        let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
        let is_gzip = is_gzip(response.headers());
        if is_gzip {
            response.headers_mut().remove(CONTENT_ENCODING);
            response.headers_mut().remove(CONTENT_LENGTH);
        }
        let content = Content::Whole(Bytes::new());
        Self { limit, announced: announced.unwrap_or_default(), is_gzip, content }
    }

    /// Adds a piece.
    pub(crate) fn push(&mut self, piece: Bytes) -> Result<(), UnreadBody> {
        match &mut self.content {
            Content::Whole(first) if first.is_empty() && self.is_gzip => {
                let all = BoundedBody { bytes: Vec::new(), limit: self.limit, is_full: false };
                self.content = Content::Gzip(Box::new(MultiGzDecoder::new(all)));
                self.push(piece)
            }
            Content::Whole(first) => {
                if first.len() + piece.len() > self.limit {
                    return Err(UnreadBody::TooLarge);
                }
                if first.is_empty() {
                    *first = piece;
                } else {
                    let mut pieces = BytesMut::with_capacity(self.announced.min(self.limit));
                    pieces.extend_from_slice(first);
                    pieces.extend_from_slice(&piece);
                    self.content = Content::Pieces(pieces);
                }
                Ok(())
            }
            Content::Pieces(pieces) if pieces.len() + piece.len() > self.limit => {
                Err(UnreadBody::TooLarge)
            }
            Content::Pieces(pieces) => {
                pieces.extend_from_slice(&piece);
                Ok(())
            }
            Content::Gzip(decoder) => {
                decoder.write_all(&piece).map_err(|error| unpacked(decoder, error))
            }
        }
    }

    /// Returns the body as far as it came, and why that is not the whole one.
    pub(crate) fn finish(self) -> (Bytes, Option<UnreadBody>) {
        match self.content {
            Content::Whole(piece) => (piece, None),
            Content::Pieces(pieces) => (pieces.freeze(), None),
            Content::Gzip(mut decoder) => {
                let unread = decoder.try_finish().map_err(|error| unpacked(&decoder, error)).err();
                (Bytes::from(std::mem::take(&mut decoder.get_mut().bytes)), unread)
            }
        }
    }
}

fn is_gzip(headers: &HeaderMap) -> bool {
    let encoding = headers.get(CONTENT_ENCODING).map(|it| it.as_bytes().trim_ascii());
    encoding
        .is_some_and(|it| it.eq_ignore_ascii_case(b"gzip") || it.eq_ignore_ascii_case(b"x-gzip"))
}

fn unpacked(decoder: &MultiGzDecoder<BoundedBody>, error: io::Error) -> UnreadBody {
    if decoder.get_ref().is_full { UnreadBody::TooLarge } else { UnreadBody::Cut(Box::new(error)) }
}

/// Bytes up to a limit.
struct BoundedBody {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Write for BoundedBody {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.is_full |= self.bytes.len() + piece.len() > self.limit;
        if self.is_full {
            return Err(io::Error::other("the answer is too large"));
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn a_limit_without_end_is_a_moment_far_away() {
        let soon = Instant::now() + Duration::from_secs(60);
        assert!(after(Duration::MAX) > soon);
        assert!(after(Duration::ZERO) < soon);
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn answer(encoding: &str) -> Response {
        let answer = http::Response::builder().header(CONTENT_ENCODING, encoding);
        answer.body("").unwrap().into()
    }

    /// Reads a body in pieces of this size; `None` if it is too large.
    fn read(encoding: &str, body: &[u8], piece: usize) -> Option<Result<Bytes, String>> {
        let mut reader = BodyReader::of(&mut answer(encoding), 1000);
        let pushed = body.chunks(piece).try_for_each(|it| reader.push(Bytes::copy_from_slice(it)));
        let (bytes, unfinished) = reader.finish();
        match pushed.err().or(unfinished) {
            None => Some(Ok(bytes)),
            Some(UnreadBody::Cut(error)) => Some(Err(error.to_string())),
            Some(UnreadBody::TooLarge) => None,
        }
    }

    #[test]
    fn a_packed_body_is_read_however_it_is_cut_into_pieces() {
        let text: Vec<u8> = (0..1000).map(|nth: u32| b'a' + (nth * nth % 23) as u8).collect();
        let (first, second) = text.split_at(300);
        for body in [packed(&text), [packed(first), packed(second)].concat()] {
            for piece in [1, 2, 7, 100, 5000] {
                for encoding in ["gzip", "GZip", "x-gzip", " gzip "] {
                    assert_eq!(read(encoding, &body, piece).unwrap().unwrap(), text, "{piece}");
                }
                assert_eq!(read("br", &body, piece).unwrap().unwrap(), body);
            }
        }
        assert_eq!(read("gzip", b"", 1).unwrap().unwrap(), "");
    }

    #[test]
    fn a_packed_body_that_is_cut_or_changed_is_an_error() {
        let body = packed(b"hello hello hello");
        for end in 1..body.len() {
            assert!(read("gzip", &body[..end], 3).unwrap().is_err(), "{end}");
        }
        for nth in 0..body.len() {
            let mut changed = body.clone();
            changed[nth] ^= 0x40;
            // Fields of the header that tell the time and the system.
            let is_free = matches!(nth, 4..=9);
            let read = read("gzip", &changed, 3).unwrap();
            assert_eq!(read.is_ok(), is_free, "{nth}: {read:?}");
        }
    }

    #[test]
    fn the_limit_counts_unpacked_bytes() {
        for size in [1000, 1001, 1 << 24] {
            let text = vec![b' '; size];
            assert_eq!(read("gzip", &packed(&text), 5000).is_some(), size == 1000);
            assert_eq!(read("identity", &text, 400).is_some(), size == 1000);
        }
    }

    #[test]
    fn headers_of_the_packed_form_go_with_it() {
        let mut answer = answer("gzip");
        answer.headers_mut().insert(CONTENT_LENGTH, 20.into());
        let _ = BodyReader::of(&mut answer, 1000);
        assert!(answer.headers().is_empty(), "{answer:?}");
    }
}
