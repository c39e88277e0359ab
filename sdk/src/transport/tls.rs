//! TLS of a client, set up for each client, because the TLS settings of the whole process belong to the program.

#[cfg(all(feature = "native-tls", not(feature = "rustls-no-provider")))]
mod native;
#[cfg(not(any(feature = "rustls-no-provider", feature = "native-tls")))]
mod none;
#[cfg(feature = "rustls-no-provider")]
mod rustls_backend;

use std::error::Error as StdError;

#[cfg(all(feature = "native-tls", not(feature = "rustls-no-provider")))]
pub(super) use native::{NativeIdentity as Identity, NativeRoots as Roots, apply};
#[cfg(not(any(feature = "rustls-no-provider", feature = "native-tls")))]
pub(super) use none::{NoIdentity as Identity, NoRoots as Roots, apply};
#[cfg(any(feature = "link-check", feature = "redis"))]
pub(crate) use rustls_backend::system_config;
#[cfg(feature = "rustls-no-provider")]
pub(super) use rustls_backend::{RustlsIdentity as Identity, RustlsRoots as Roots, apply};

/// Error of a certificate or a key.
pub(super) type TlsError = Box<dyn StdError + Send + Sync>;

#[cfg(any(feature = "rustls-no-provider", feature = "native-tls"))]
const NO_CERTIFICATE: &str = "it holds no certificate (`-----BEGIN CERTIFICATE-----`)";
#[cfg(any(feature = "rustls-no-provider", feature = "native-tls"))]
const NO_KEY: &str =
    "it holds no private key that is not encrypted (`-----BEGIN PRIVATE KEY-----`)";
