//! TLS by rustls, with the verifier of the platform.

use std::sync::Arc;

use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::{NO_CERTIFICATE, NO_KEY, TlsError};

const NO_PROVIDER: &str = "no default provider of rustls is installed: \
     call `rustls::crypto::ring::default_provider().install_default()` when the program starts, or turn on the feature `rustls` of links-sdk";

/// Certificates that are trusted beside those of the system.
#[derive(Clone, Default)]
pub(in crate::transport) struct RustlsRoots(Vec<CertificateDer<'static>>);

/// Client certificate with its key.
#[derive(Clone)]
pub(in crate::transport) struct RustlsIdentity(Arc<dyn ResolvesClientCert>);

impl RustlsRoots {
    pub(in crate::transport) fn add_pem(&mut self, pem: &[u8]) -> Result<(), TlsError> {
        let certificates = certificates(pem)?;
        let mut checked = RootCertStore::empty();
        for certificate in &certificates {
            checked.add(certificate.clone())?;
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

impl RustlsIdentity {
    pub(in crate::transport) fn from_pem(pem: &[u8]) -> Result<Self, TlsError> {
        let chain = certificates(pem)?;
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
            pem::Error::NoItemsFound => NO_KEY.into(),
            error => TlsError::from(error),
        })?;
        let key = CertifiedKey::from_der(chain, key, &*provider()?)?;
        Ok(Self(Arc::new(SingleCertAndKey::from(key))))
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>()?;
    if certificates.is_empty() {
        return Err(NO_CERTIFICATE.into());
    }
    Ok(certificates)
}

/// Returns the cryptography of the process, or the one that reqwest falls back to. None is installed: that is for the program to do.
fn provider() -> Result<Arc<CryptoProvider>, TlsError> {
    let provider = CryptoProvider::get_default().cloned();
    #[cfg(feature = "rustls")]
    let provider =
        provider.or_else(|| Some(Arc::new(rustls::crypto::aws_lc_rs::default_provider())));
    provider.ok_or_else(|| NO_PROVIDER.into())
}

/// Sets up TLS. Without https no certificates are read, because reading them is most of a client's cost.
pub(in crate::transport) fn apply(
    builder: reqwest::ClientBuilder,
    is_https: bool,
    roots: &RustlsRoots,
    identity: Option<&RustlsIdentity>,
) -> Result<reqwest::ClientBuilder, TlsError> {
    Ok(builder.tls_backend_preconfigured(config(is_https, roots, identity)?))
}

/// Returns a TLS configuration with the certificates of the system alone.
#[cfg(any(feature = "link-check", feature = "redis"))]
pub(crate) fn system_config() -> Result<ClientConfig, TlsError> {
    config(true, &RustlsRoots::default(), None)
}

/// Returns a TLS configuration with the certificates of the system, so that a company's own authority is trusted, and further ones.
fn config(
    is_https: bool,
    roots: &RustlsRoots,
    identity: Option<&RustlsIdentity>,
) -> Result<ClientConfig, TlsError> {
    let provider = provider()?;
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    let builder = if is_https {
        let roots = roots.0.iter().cloned();
        let verifier = Arc::new(Verifier::new_with_extra_roots(roots, provider)?);
        builder.dangerous().with_custom_certificate_verifier(verifier)
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut config = match identity {
        Some(identity) => builder.with_client_cert_resolver(identity.0.clone()),
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use crate::client::Client;

    use super::*;

    #[test]
    fn found_34_a_client_leaves_the_tls_of_the_process_to_its_program() {
        for base in ["https://links.example/api/v1", "http://127.0.0.1:1/api/v1"] {
            Client::builder(base).build().unwrap();
        }
        assert!(CryptoProvider::get_default().is_none());
    }
}
