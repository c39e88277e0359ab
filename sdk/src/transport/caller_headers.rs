//! Headers that a program adds: to all requests of a client, to one call, or by a hook to each attempt; and the key of a call that creates.

use std::fmt;
use std::sync::Arc;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Request;
use uuid::Uuid;

use super::BoxError;
use crate::ids::InvalidValue;
use crate::token::Hidden;

/// Headers that the client or its HTTP library sets, or that change what an answer means.
const RESERVED: &[&str] = &[
    "accept",
    "accept-encoding",
    "api-version",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "http2-settings",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "precognition",
    "precognition-validate-only",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// Returns the error of a header that cannot be added.
pub(crate) fn invalid(name: &str, why: &str) -> InvalidValue {
    InvalidValue::new(format!("cannot add the header {name:?}: {why}"))
}

/// Returns a header that a program may add: none of these.
pub(crate) fn parse_except(
    reserved: &[&str],
    name: &str,
    value: &str,
) -> Result<(HeaderName, HeaderValue), InvalidValue> {
    let refused = |why| invalid(name, why);
    let parsed: HeaderName = name.parse().map_err(|_| refused("not a valid header name"))?;
    if reserved.contains(&parsed.as_str()) {
        return Err(refused("the client sets it itself or depends on its absence"));
    }
    // The library takes a tab and other alphabets, too.
    let is_plain = |value: &HeaderValue| value.to_str().is_ok_and(|it| !it.contains('\t'));
    let checked = HeaderValue::from_str(value).ok().filter(is_plain);
    let value = checked
        .ok_or_else(|| refused("its value contains characters that headers do not allow"))?;
    Ok((parsed, value))
}

/// Returns a header that a program may add to any request. Its value is then shown nowhere.
pub(crate) fn parse(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), InvalidValue> {
    let (parsed, mut value) = parse_except(RESERVED, name, value)?;
    if overrides_method(parsed.as_str()) {
        return Err(invalid(name, "it overrides the request method"));
    }
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// Returns whether a header or a parameter of this name may make the service treat a request as one with another method, such as
/// `X-HTTP-Method-Override` or `_method`. A [`RawCall`](crate::RawCall) with such a header or parameter counts as a write. The name may be
/// percent-encoded.
pub fn overrides_method(name: &str) -> bool {
    let name = url::form_urlencoded::parse(name.as_bytes()).next().unwrap_or_default().0;
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    name == "-method" || name == "x-http-method" || name.contains("method-override")
}

/// Returns the headers whose values are text.
pub(super) fn texts(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
}

/// Adds a header.
pub(crate) fn add(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), InvalidValue> {
    let (name, value) = parse(name, value)?;
    headers.append(name, value);
    Ok(())
}

type Hook = dyn Fn(&mut OutgoingRequest<'_>) -> Result<(), BoxError> + Send + Sync;

/// The hook, of which nothing is shown: it may hold a key.
pub(crate) type BeforeSend = Hidden<Arc<Hook>>;

/// One attempt, right before it is sent, for the hook of [`ClientBuilder::before_send`](crate::ClientBuilder::before_send). It shows
/// everything that is sent except the token, which is added afterwards.
#[derive(Debug)]
pub struct OutgoingRequest<'a> {
    pub(super) operation: &'static str,
    pub(super) attempt: u32,
    pub(super) request: Hidden<&'a mut Request>,
}

impl OutgoingRequest<'_> {
    /// Returns the `operationId`.
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

    /// Returns the headers whose values are text, except the token and headers that the HTTP library adds, such as `Host`.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        texts(self.request.headers())
    }

    /// Returns the body unchanged. It is empty for a request without a body, and `None` for an upload, which is streamed.
    pub fn body(&self) -> Option<&[u8]> {
        self.request.body().map_or(Some(&[]), reqwest::Body::as_bytes)
    }

    /// Sets a header. It replaces a header of the same name from the client or the call. Its value is never shown.
    ///
    /// # Errors
    ///
    /// When HTTP does not allow the name or the value, and for headers that a call depends on; see
    /// [`ClientBuilder::header`](crate::ClientBuilder::header).
    pub fn set_header(
        &mut self,
        name: impl AsRef<str>,
        value: impl AsRef<str>,
    ) -> Result<(), InvalidValue> {
        let (name, value) = parse(name.as_ref(), value.as_ref())?;
        self.request.0.headers_mut().insert(name, value);
        Ok(())
    }
}

pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Key of one logical write. Repeating the write with the key within 24 hours returns the first response and creates nothing.
///
/// Every call of an operation that supports keys gets a random one. Set your own to repeat a call from another process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Returns a key of 1 to 128 visible ASCII characters.
    ///
    /// # Errors
    ///
    /// When the text is empty, longer than 128 characters, or contains other characters.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        let fits =
            (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        let why = "an idempotency key must have 1 to 128 visible ASCII characters";
        if fits { Ok(Self(text)) } else { Err(InvalidValue::new(why)) }
    }

    /// Returns a new random key.
    pub fn random() -> Self {
        Self(format!("links-{}", Uuid::new_v4()))
    }

    /// Returns the text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_would_break_a_request_is_refused() {
        let mut headers = HeaderMap::new();
        let reserved = ["Authorization", "HOST", "Idempotency-Key", "Precognition"];
        for name in reserved.into_iter().chain(["X-HTTP-Method-Override", "a b", "", "é"]) {
            let error = add(&mut headers, name, "secret").unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
        assert!(add(&mut headers, "X-Key", "a\nb").is_err());
        assert!(headers.is_empty());
        add(&mut headers, "X-Key", "canary").unwrap();
        assert!(!format!("{headers:?}").contains("canary"), "{headers:?}");
    }

    #[test]
    fn every_header_that_the_client_sends_is_reserved() {
        assert!(RESERVED.contains(&IDEMPOTENCY_KEY.as_str()));
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn a_key_has_at_most_128_visible_characters() {
        for text in ["a", &"k".repeat(128), IdempotencyKey::random().as_str()] {
            assert!(IdempotencyKey::new(text).is_ok(), "{text}");
        }
        for text in ["", "a b", "a\n", "é", &"k".repeat(129)] {
            assert!(IdempotencyKey::new(text).is_err(), "{text}");
        }
        assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
    }
}
