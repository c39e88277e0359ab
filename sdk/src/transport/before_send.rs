//! Hook of a program that adds headers to each attempt.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use reqwest::Request;

use super::caller_headers::{self, InvalidHeader};

type Hook =
    dyn Fn(&mut OutgoingRequest<'_>) -> Result<(), Box<dyn StdError + Send + Sync>> + Send + Sync;

/// The hook, of which nothing is shown: it may hold a key.
#[derive(Clone)]
pub(crate) struct BeforeSend(pub(crate) Arc<Hook>);

impl fmt::Debug for BeforeSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BeforeSend(..)")
    }
}

/// One attempt, right before it is sent, as the hook of [`ClientBuilder::before_send`](crate::ClientBuilder::before_send) gets it. It
/// shows everything that goes out except the token, which is added afterwards.
pub struct OutgoingRequest<'a> {
    pub(super) operation: &'static str,
    pub(super) attempt: u32,
    pub(super) request: &'a mut Request,
}

impl OutgoingRequest<'_> {
    /// Returns the operationId.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the number of this attempt within the call, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns the HTTP method.
    pub fn method(&self) -> &str {
        self.request.method().as_str()
    }

    /// Returns the whole URL.
    pub fn url(&self) -> &str {
        self.request.url().as_str()
    }

    /// Returns the headers whose values are text, except the token's and those that the HTTP library adds, such as `Host`.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let headers = self.request.headers().iter();
        headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// Returns the body, byte by byte. It is empty for a request without one, and `None` for an upload, which is streamed while it is sent.
    pub fn body(&self) -> Option<&[u8]> {
        self.request.body().map_or(Some(&[]), reqwest::Body::as_bytes)
    }

    /// Sets a header, in place of one of this name that the client or the call sets. Its value is shown nowhere.
    ///
    /// # Errors
    ///
    /// When HTTP does not allow the name or the value, and for headers that a call depends on, as
    /// [`ClientBuilder::header`](crate::ClientBuilder::header) does.
    pub fn set_header(
        &mut self,
        name: impl AsRef<str>,
        value: impl AsRef<str>,
    ) -> Result<(), InvalidHeader> {
        let (name, value) = caller_headers::parse(name.as_ref(), value.as_ref())?;
        self.request.headers_mut().insert(name, value);
        Ok(())
    }
}

impl fmt::Debug for OutgoingRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingRequest")
            .field("operation", &self.operation)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}
