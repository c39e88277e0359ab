//! Headers that a program adds to the requests of a client, or of one call.

use http::header::{HeaderMap, HeaderName, HeaderValue};

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

/// Reason why a program cannot add a header. The value is never part of the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header {name:?} cannot be added: {why}")]
pub struct InvalidHeader {
    name: String,
    why: &'static str,
}

impl InvalidHeader {
    pub(crate) fn new(name: impl Into<String>, why: &'static str) -> Self {
        Self { name: name.into(), why }
    }
}

/// Returns a header that a program may add. Its value is then shown nowhere.
pub(crate) fn parse(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), InvalidHeader> {
    let refused = |why| InvalidHeader::new(name, why);
    let parsed: HeaderName = name.parse().map_err(|_| refused("it is not the name of a header"))?;
    if RESERVED.contains(&parsed.as_str()) {
        return Err(refused("the client sets it itself, or depends on its absence"));
    }
    if overrides_method(parsed.as_str()) {
        return Err(refused("it makes another request of this one"));
    }
    let mut value =
        HeaderValue::from_str(value).map_err(|_| refused("its value holds control characters"))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// Returns whether a header or a parameter of this name may make the service take a request for one of another method, such as
/// `X-HTTP-Method-Override` or `_method`. A [`RawCall`](crate::RawCall) with one counts as a write. The name may be percent-encoded.
pub fn overrides_method(name: &str) -> bool {
    let name = url::form_urlencoded::parse(name.as_bytes()).next().unwrap_or_default().0;
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    name == "-method" || name == "x-http-method" || name.contains("method-override")
}

/// Adds a header.
pub(crate) fn add(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), InvalidHeader> {
    let (name, value) = parse(name, value)?;
    headers.append(name, value);
    Ok(())
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
        use crate::transport::idempotency::HEADER;

        assert!(RESERVED.contains(&HEADER.as_str()));
        assert!(RESERVED.is_sorted());
    }
}
