//! Answer of the service, read as a whole under a size limit.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode};
use tokio::time::{Instant, timeout_at};

use super::body_reader::{BodyReader, UnreadBody};
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_without_end_is_a_moment_far_away() {
        let soon = Instant::now() + Duration::from_secs(60);
        assert!(after(Duration::MAX) > soon);
        assert!(after(Duration::ZERO) < soon);
    }
}
