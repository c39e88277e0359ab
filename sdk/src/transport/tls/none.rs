//! No TLS: the crate was built without a feature for it.

use super::TlsError;

const NO_TLS: &str =
    "links-sdk was built without TLS: turn on its feature `rustls` or `native-tls`";

/// Certificates that are trusted beside those of the system; there are none.
#[derive(Clone, Default)]
pub(in crate::transport) struct NoRoots;

/// Client certificate with its key; there is none.
#[derive(Clone)]
pub(in crate::transport) enum NoIdentity {}

impl NoRoots {
    #[expect(clippy::unused_self, reason = "the same as with TLS")]
    pub(in crate::transport) fn add_pem(&mut self, _: &[u8]) -> Result<(), TlsError> {
        Err(NO_TLS.into())
    }

    #[expect(clippy::unused_self, reason = "the same as with TLS")]
    pub(in crate::transport) fn len(&self) -> usize {
        0
    }

    pub(in crate::transport) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl NoIdentity {
    pub(in crate::transport) fn from_pem(_: &[u8]) -> Result<Self, TlsError> {
        Err(NO_TLS.into())
    }
}

/// Lets only connections without https pass.
pub(in crate::transport) fn apply(
    builder: reqwest::ClientBuilder,
    is_https: bool,
    _: &NoRoots,
    _: Option<&NoIdentity>,
) -> Result<reqwest::ClientBuilder, TlsError> {
    if is_https { Err(NO_TLS.into()) } else { Ok(builder) }
}
