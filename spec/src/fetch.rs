//! Reading of another OpenAPI document, from a file or from a live service.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::Proxy;
use ureq::http::StatusCode;
use ureq::tls::{RootCerts, TlsConfig};
use url::{Host, Url};

use crate::Error;

/// Maximum size of a description in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Reads the document at a path, or at an `https` URL (`http` on this machine); the token is sent to a URL only.
///
/// # Errors
///
/// When there is no document, or when it is not JSON.
pub fn fetch(origin: &str, token: Option<&str>) -> Result<Value, Error> {
    let text = if origin.starts_with("https://") || origin.starts_with("http://") {
        download(origin, token)?
    } else {
        let path = Path::new(origin);
        std::fs::read_to_string(path).map_err(|source| Error::File {
            verb: "read",
            path: path.to_owned(),
            source,
        })?
    };
    serde_json::from_str(&text).map_err(|source| Error::Json { origin: origin.to_owned(), source })
}

fn download(origin: &str, token: Option<&str>) -> Result<String, Error> {
    let failed = |problem: String| Error::Address { origin: origin.to_owned(), problem };
    if !is_safe(origin) {
        return Err(failed(
            "the URL must be https, or http on this machine, without user name and password"
                .to_owned(),
        ));
    }
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    // The token is sent nowhere else: no redirects, and no proxy that would read it.
    let proxy = if origin.starts_with("https://") { Proxy::try_from_env() } else { None };
    let agent = ureq::Agent::config_builder()
        .proxy(proxy)
        .tls_config(tls)
        .timeout_global(Some(Duration::from_secs(60)))
        .max_redirects(0)
        .http_status_as_error(false)
        .build()
        .new_agent();
    let mut request = agent.get(origin).header("Accept", "application/json");
    if let Some(token) = token {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    let mut answer = request.call().map_err(|error| failed(error.to_string()))?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED => {
            return Err(failed("401: set LINKS_TOKEN to a valid token".to_owned()));
        }
        status => return Err(failed(format!("the answer is {status}"))),
    }
    answer
        .body_mut()
        .with_config()
        .limit(LARGEST)
        .read_to_string()
        .map_err(|error| failed(error.to_string()))
}

/// Returns whether a token may be sent to this origin.
fn is_safe(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    let here = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    url.username().is_empty() && url.password().is_none() && (url.scheme() == "https" || here)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Answers one request. Returns the document that was read, and the request.
    fn served(answer: &'static str, token: Option<&str>) -> (Result<Value, Error>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/openapi.json", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        });
        (fetch(&address, token), server.join().unwrap())
    }

    #[test]
    fn a_live_document_is_read_with_the_token() {
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 19\r\nconnection: close\r\n\r\n{\"openapi\":\"3.1.0\"}";
        let (document, request) = served(answer, Some("secret"));
        assert_eq!(document.unwrap()["openapi"], "3.1.0");
        assert!(request.starts_with("GET /openapi.json "), "{request}");
        assert!(request.to_lowercase().contains("authorization: bearer secret"), "{request}");
        let (_, request) = served(answer, None);
        assert!(!request.to_lowercase().contains("authorization"), "{request}");
    }

    #[test]
    fn an_answer_that_is_no_document_is_named_without_the_token() {
        for (answer, expected) in [
            ("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n", "LINKS_TOKEN"),
            (
                "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
                "302",
            ),
            (
                "HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nhtml",
                "is not JSON",
            ),
        ] {
            let (document, _) = served(answer, Some("secret"));
            let error = document.unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_token_never_travels_in_the_clear() {
        for origin in [
            "http://links.example/",
            "http://127.0.0.1.links.example/",
            "https://u:p@links.example/",
            "http://10.0.0.1/",
        ] {
            assert!(
                matches!(fetch(origin, Some("secret")), Err(Error::Address { .. })),
                "{origin}"
            );
        }
        assert!(
            is_safe("https://links.example/api/v1/openapi.json") && is_safe("http://[::1]:80/")
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        assert_eq!(
            fetch("no/such.json", None).unwrap_err().to_string(),
            "cannot read no/such.json"
        );
    }
}
