//! Reasons why a client cannot be built.

use crate::base_url::InvalidBaseUrl;
use crate::transport::caller_headers::InvalidHeader;

/// Reasons why a client cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The URL cannot be used.
    #[error("the base URL {url:?} cannot be used")]
    Base {
        /// The URL as it was given, without a password.
        url: String,
        /// The reason.
        source: InvalidBaseUrl,
    },
    /// A root certificate cannot be used.
    #[error("the root certificate cannot be used")]
    RootCertificate(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The client certificate or its key cannot be used.
    #[error("the client certificate cannot be used")]
    Identity(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The URL of the proxy cannot be used.
    #[error("the proxy {url:?} cannot be used")]
    Proxy {
        /// The URL as it was given, without a password.
        url: String,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A header cannot be added to every request.
    #[error(transparent)]
    Header(#[from] InvalidHeader),
    /// Options of the connections were set beside an HTTP client of the program, to which they belong.
    #[error(
        "root_certificate, identity and proxy have to be set in the HTTP client that was given"
    )]
    OwnHttpClient,
    /// TLS cannot be set up: there are no certificates on this machine, for example, or the crate was built without TLS.
    #[error("TLS cannot be set up")]
    Tls(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The HTTP client cannot start: a bad proxy in the environment, for example.
    #[error("the HTTP client cannot start")]
    Http(#[source] Box<dyn std::error::Error + Send + Sync>),
}
