//! TLS of a client, set up for each client, because the TLS settings of the whole process belong to the program.

#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
mod native;
#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
mod none;
#[cfg(feature = "rustls")]
mod rustls_backend;

use std::error::Error as StdError;

#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
use native as backend;
#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
use none as backend;
#[cfg(feature = "rustls")]
use rustls_backend as backend;

#[cfg(feature = "link-check")]
pub(crate) use backend::config;
pub(super) use backend::{Identity, Roots};

use super::connection_options::ConnectionOptions;
use crate::client::BuildError;

/// Error of a certificate or a key.
pub(super) type TlsError = Box<dyn StdError + Send + Sync>;

#[cfg(any(feature = "rustls", feature = "native-tls"))]
const NO_CERTIFICATE: &str = "it holds no certificate (`-----BEGIN CERTIFICATE-----`)";
#[cfg(any(feature = "rustls", feature = "native-tls"))]
const NO_KEY: &str =
    "it holds no private key that is not encrypted (`-----BEGIN PRIVATE KEY-----`)";

/// Sets up TLS. Without https no certificates are read, because reading them is most of a client's cost.
pub(super) fn apply(
    builder: reqwest::ClientBuilder,
    is_https: bool,
    options: &ConnectionOptions,
) -> Result<reqwest::ClientBuilder, BuildError> {
    backend::apply(builder, is_https || options.is_proxy_https(), options).map_err(BuildError::Tls)
}
