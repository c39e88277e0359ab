//! What becomes of a client's writes: sent, rehearsed, or withheld and shown.

use bytes::Bytes;
use reqwest::Request;
use reqwest::header::{AUTHORIZATION, HeaderMap};

/// What a client does with the calls that would change something. Reads are sent in every case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// They are sent.
    #[default]
    Send,
    /// They are sent as rehearsals, which change nothing (the interface, section 4.1.3), and end with an error that
    /// [`Error::is_rehearsed`](crate::Error::is_rehearsed) when the service would accept them. Deletes, which it cannot rehearse, are
    /// withheld.
    Rehearse,
    /// None is sent. Each ends with an error that has the [request](crate::Error::withheld) as it would have been sent.
    Withhold,
}

/// A request that was made and not sent. It holds no token.
#[derive(Clone, Debug)]
pub struct WithheldRequest {
    method: String,
    url: String,
    headers: HeaderMap,
    body: Option<Bytes>,
    streams: bool,
}

impl WithheldRequest {
    pub(crate) fn new(request: &Request) -> Self {
        let mut headers = request.headers().clone();
        headers.remove(AUTHORIZATION);
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

    /// The HTTP method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The whole address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The headers of this request, without those that every request of the client carries, the token's among them.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// The body, if it has one that is not read from a file while it is sent.
    pub fn body(&self) -> Option<&Bytes> {
        self.body.as_ref()
    }

    /// Whether its body would be read from a file while it is sent.
    pub fn is_streamed(&self) -> bool {
        self.streams
    }
}
