//! TLS by the library of the system, with its certificates.

use super::{NO_CERTIFICATE, NO_KEY, TlsError};

/// Certificates that are trusted beside those of the system.
#[derive(Clone, Default)]
pub(in crate::transport) struct NativeRoots(Vec<reqwest::Certificate>);

/// Client certificate with its key.
#[derive(Clone)]
pub(in crate::transport) struct NativeIdentity(reqwest::Identity);

impl NativeRoots {
    pub(in crate::transport) fn add_pem(&mut self, pem: &[u8]) -> Result<(), TlsError> {
        let certificates = reqwest::Certificate::from_pem_bundle(pem)?;
        if certificates.is_empty() {
            return Err(NO_CERTIFICATE.into());
        }
        self.0.extend(certificates);
        Ok(())
    }

    pub(in crate::transport) fn len(&self) -> usize {
        self.0.len()
    }

    pub(in crate::transport) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl NativeIdentity {
    pub(in crate::transport) fn from_pem(pem: &[u8]) -> Result<Self, TlsError> {
        let text = std::str::from_utf8(pem)?;
        let certificates = sections(text, "CERTIFICATE");
        if certificates.is_empty() {
            return Err(NO_CERTIFICATE.into());
        }
        let key = sections(text, "PRIVATE KEY");
        if key.is_empty() {
            return Err(NO_KEY.into());
        }
        Ok(Self(reqwest::Identity::from_pkcs8_pem(certificates.as_bytes(), key.as_bytes())?))
    }
}

/// Returns the sections of a PEM text that have this label.
fn sections(text: &str, label: &str) -> String {
    let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
    let mut found = String::new();
    let mut rest = text;
    while let Some((_, section)) = rest.split_once(&begin)
        && let Some((body, after)) = section.split_once(&end)
    {
        found.extend([&begin, body, &end, "\n"]);
        rest = after;
    }
    found
}

/// Sets up TLS.
pub(in crate::transport) fn apply(
    builder: reqwest::ClientBuilder,
    _: bool,
    roots: &NativeRoots,
    identity: Option<&NativeIdentity>,
) -> Result<reqwest::ClientBuilder, TlsError> {
    let builder = builder.tls_backend_native().tls_certs_merge(roots.0.iter().cloned());
    Ok(match identity {
        Some(identity) => builder.identity(identity.0.clone()),
        None => builder,
    })
}
