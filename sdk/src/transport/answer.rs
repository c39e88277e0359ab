//! Answer of the service, read as a whole under a size limit: unpacked if it is gzip.
//!
//! reqwest can unpack it, too, but its feature for that changes what every other client of a program sends and receives.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use reqwest::{Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use super::BoxError;
use super::caller_headers::texts;
use crate::secrets::Secrets;
use crate::token::Token;

/// Maximum size of one answer in bytes, after decompression.
pub(crate) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A response as the service sent it.
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

    /// Returns the value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body unchanged, after decompression.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Returns the headers whose values are text. If the service repeats the token, it is removed.
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        texts(&self.headers).map(|(name, value)| (name, self.secrets.hide(value)))
    }

    /// Returns the body as text. If the service repeats the token, it is removed.
    pub fn text(&self) -> String {
        self.secrets.hide(&String::from_utf8_lossy(&self.body)).into_owned()
    }

    /// Returns its status and headers.
    pub(crate) fn without_body(&self) -> Self {
        Self { body: Bytes::new(), ..self.clone() }
    }

    /// Returns the answer that the service would have sent, for an answer that was lost and whose effect is known.
    pub(crate) fn lost(status: StatusCode, body: String) -> Self {
        Self::new(status, HeaderMap::new(), body.into())
    }

    /// Reads at most so many bytes to the end until then, with at most `stall` between two pieces. Of an error, a part of the body is enough,
    /// because it only explains.
    pub(crate) async fn read(
        response: &mut Response,
        most: usize,
        until: Instant,
        stall: Duration,
    ) -> Result<Self, (Self, UnreadBody)> {
        let mut body = Vec::new();
        let stopped = loop {
            match timeout_at(until.min(after(stall)), response.chunk()).await {
                Ok(Ok(None)) => break None,
                Ok(Ok(Some(piece))) => {
                    body.extend_from_slice(&piece);
                    if body.len() > most {
                        break Some(UnreadBody::TooLarge);
                    }
                }
                Ok(Err(error)) => break Some(UnreadBody::Cut(Box::new(error.without_url()))),
                Err(_) => break Some(UnreadBody::Cut(Box::new(TimedOut))),
            }
        };
        let mut headers = std::mem::take(response.headers_mut());
        let (body, unfinished) = unpacked(&mut headers, body, most);
        let answer = Self::new(response.status(), headers, body.into());
        match stopped.or(unfinished) {
            Some(unread) if answer.status.is_success() => Err((answer, unread)),
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
    Cut(BoxError),
    TooLarge,
}

/// Unpacks a body of at most so many bytes, as far as it can be read, and removes the headers that only describe its packed form.
fn unpacked(headers: &mut HeaderMap, body: Vec<u8>, most: usize) -> (Vec<u8>, Option<UnreadBody>) {
    let encoding = headers.get(CONTENT_ENCODING).map(|it| it.as_bytes().trim_ascii());
    let is_gzip =
        |it: &[u8]| it.eq_ignore_ascii_case(b"gzip") || it.eq_ignore_ascii_case(b"x-gzip");
    if !encoding.is_some_and(is_gzip) {
        return (body, None);
    }
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    let mut plain = Vec::new();
    if body.is_empty() {
        return (plain, None);
    }
    let read = MultiGzDecoder::new(&*body).take(most as u64 + 1).read_to_end(&mut plain);
    let unread = match read {
        Err(error) => Some(UnreadBody::Cut(Box::new(error))),
        Ok(length) if length > most => {
            plain.truncate(most);
            Some(UnreadBody::TooLarge)
        }
        Ok(_) => None,
    };
    (plain, unread)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::pin::Pin;
    use std::task::{Context, Poll};

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

    /// Reads a body that comes in pieces of this size; `None` if it is too large.
    async fn read(encoding: &str, body: &[u8], piece: usize) -> Option<Result<Bytes, String>> {
        let pieces: Vec<_> = body.chunks(piece).map(Bytes::copy_from_slice).collect();
        let pieces = Pieces(pieces.into_iter());
        let answer = http::Response::builder().header(CONTENT_ENCODING, encoding);
        let mut answer: Response = answer.body(reqwest::Body::wrap_stream(pieces)).unwrap().into();
        match Answer::read(&mut answer, 1000, after(Duration::MAX), Duration::MAX).await {
            Ok(answer) => Some(Ok(answer.body)),
            Err((_, UnreadBody::Cut(error))) => Some(Err(error.to_string())),
            Err((_, UnreadBody::TooLarge)) => None,
        }
    }

    struct Pieces(std::vec::IntoIter<Bytes>);

    impl futures_util::Stream for Pieces {
        type Item = io::Result<Bytes>;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Ready(self.0.next().map(Ok))
        }
    }

    #[tokio::test]
    async fn a_packed_body_is_read_however_it_is_cut_into_pieces() {
        let text: Vec<u8> = (0..1000).map(|nth: u32| b'a' + (nth * nth % 23) as u8).collect();
        let (first, second) = text.split_at(300);
        for body in [packed(&text), [packed(first), packed(second)].concat()] {
            for piece in [1, 2, 7, 100, 5000] {
                for encoding in ["gzip", "GZip", "x-gzip", " gzip "] {
                    assert_eq!(
                        read(encoding, &body, piece).await.unwrap().unwrap(),
                        text,
                        "{piece}"
                    );
                }
                assert_eq!(read("br", &body, piece).await.unwrap().unwrap(), body);
            }
        }
        assert_eq!(read("gzip", b"", 1).await.unwrap().unwrap(), "");
    }

    #[tokio::test]
    async fn a_packed_body_that_is_cut_or_changed_is_an_error() {
        let body = packed(b"hello hello hello");
        for end in 1..body.len() {
            assert!(read("gzip", &body[..end], 3).await.unwrap().is_err(), "{end}");
        }
        for nth in 0..body.len() {
            let mut changed = body.clone();
            changed[nth] ^= 0x40;
            // Fields of the header that tell the time and the system.
            let is_free = matches!(nth, 4..=9);
            let read = read("gzip", &changed, 3).await.unwrap();
            assert_eq!(read.is_ok(), is_free, "{nth}: {read:?}");
        }
    }

    #[tokio::test]
    async fn the_limit_counts_unpacked_bytes() {
        for size in [1000, 1001, 1 << 24] {
            let text = vec![b' '; size];
            assert_eq!(read("gzip", &packed(&text), 5000).await.is_some(), size == 1000);
            assert_eq!(read("identity", &text, 400).await.is_some(), size == 1000);
        }
    }

    #[test]
    fn headers_of_the_packed_form_go_with_it() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        headers.insert(CONTENT_LENGTH, 20.into());
        let _ = unpacked(&mut headers, Vec::new(), 1000);
        assert!(headers.is_empty(), "{headers:?}");
    }
}
