//! Observer of a client's waits and attempts, and displayable requests and answers, without the token.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Request;
use reqwest::header::HeaderMap;

use super::answer::Answer;
use super::caller_headers::texts;
use super::pacing::WaitReason;

/// Observer of what the client does. By default, every method does nothing. Methods must not block.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Reports that the client is about to wait.
    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        let _ = (operation, duration, reason);
    }

    /// Reports that the file or the server that shares the rate limits cannot be used. This process then keeps within the limits, or within
    /// its share of them, alone. `shared` names the file or the server, without a password.
    fn pacing_alone(&self, shared: &str, error: &dyn StdError) {
        let _ = (shared, error);
    }

    /// Returns whether reports should include the request, which requires a copy of its headers and its body.
    fn wants_request(&self) -> bool {
        false
    }

    /// Reports the end of an attempt, with a status or without a response.
    fn attempted(&self, attempt: &AttemptReport<'_>) {
        let _ = attempt;
    }
}

/// One attempt, for an [`Observer`]. It does not contain the token.
#[derive(Debug)]
#[non_exhaustive]
pub struct AttemptReport<'a> {
    /// The `operationId`.
    pub operation: &'static str,
    /// The HTTP method.
    pub method: &'a str,
    /// The path of the URL, including the query.
    pub target: &'a str,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// Time from sending until the last byte.
    pub took: Duration,
    /// The request, if the observer [wants it](Observer::wants_request).
    pub request: Option<&'a RequestView>,
    /// The response, if it arrived completely. It may contain secrets that the service shows only to the token's owner, such as an upload
    /// URL.
    pub answer: Option<&'a Answer>,
}

/// Observer that does nothing.
impl Observer for () {}

/// Request for display, without the token.
#[derive(Clone, Debug)]
pub struct RequestView {
    method: String,
    url: String,
    headers: HeaderMap,
    body: Option<Bytes>,
    streams: bool,
}

impl RequestView {
    pub(crate) fn new(request: &Request) -> Self {
        // The token, and the headers that the program adds to every request.
        let shown = request.headers().iter().filter(|(_, value)| !value.is_sensitive());
        let headers = shown.map(|(name, value)| (name.clone(), value.clone())).collect();
        let body = request.body();
        let bytes = body.and_then(reqwest::Body::as_bytes).map(Bytes::copy_from_slice);
        Self {
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers,
            streams: body.is_some() && bytes.is_none(),
            body: bytes,
        }
    }

    /// Returns the HTTP method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the whole URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the headers of this request, without the headers that every request of the client has, such as the token.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        texts(&self.headers)
    }

    /// Returns the body, unless there is none or it is streamed from a file.
    pub fn body(&self) -> Option<&Bytes> {
        self.body.as_ref()
    }

    /// Returns whether the body is streamed from a file while it is sent.
    pub fn is_streamed(&self) -> bool {
        self.streams
    }
}
