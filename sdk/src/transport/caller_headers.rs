//! Headers that a program adds to every request of a client.

use http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::build_error::BuildError;

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

/// Adds a header, whose value is then shown nowhere.
pub(crate) fn add(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), BuildError> {
    let refused = |why| BuildError::Header { name: name.to_owned(), why };
    let parsed: HeaderName = name.parse().map_err(|_| refused("it is not the name of a header"))?;
    if RESERVED.contains(&parsed.as_str()) {
        return Err(refused("the client sets it itself, or depends on its absence"));
    }
    let mut value =
        HeaderValue::from_str(value).map_err(|_| refused("its value holds control characters"))?;
    value.set_sensitive(true);
    headers.append(parsed, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_would_break_a_request_is_refused() {
        let mut headers = HeaderMap::new();
        for name in ["Authorization", "HOST", "Idempotency-Key", "Precognition", "a b", "", "é"] {
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
