//! TLS of a client, set up for each client, because the TLS settings of the whole process belong to the program.

use super::BoxError;

#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
pub(super) use native::{Certificate, Identity, apply, certificates, identity};
#[cfg(not(any(feature = "rustls-no-provider", feature = "native-tls")))]
pub(super) use none::{Certificate, Identity, apply, certificates, identity};
#[cfg(feature = "rustls-no-provider")]
pub use with_rustls::system_config;
#[cfg(any(
    feature = "rustls",
    all(feature = "rustls-no-provider", not(feature = "native-tls"))
))]
pub(super) use with_rustls::{Certificate, Identity, apply, certificates, identity};

#[cfg(any(feature = "rustls-no-provider", feature = "native-tls"))]
const NO_CERTIFICATE: &str = "no certificate found (`-----BEGIN CERTIFICATE-----`)";
#[cfg(any(feature = "rustls-no-provider", feature = "native-tls"))]
const NO_KEY: &str = "no unencrypted private key found (`-----BEGIN PRIVATE KEY-----`)";

/// TLS by rustls, with the verifier of the platform.
#[cfg(feature = "rustls-no-provider")]
#[cfg_attr(
    all(feature = "native-tls", not(feature = "rustls")),
    expect(
        dead_code,
        reason = "clients use the library of the system; links and Redis use rustls"
    )
)]
mod with_rustls {
    use std::sync::Arc;

    use rustls::client::ResolvesClientCert;
    use rustls::crypto::CryptoProvider;
    use rustls::pki_types::pem::{self, PemObject};
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use rustls::sign::{CertifiedKey, SingleCertAndKey};
    use rustls::{ClientConfig, RootCertStore};
    use rustls_platform_verifier::Verifier;

    use super::{BoxError, NO_CERTIFICATE, NO_KEY};

    /// Certificate that is trusted beside those of the system.
    pub(crate) type Certificate = CertificateDer<'static>;

    /// Client certificate with its key.
    pub(crate) type Identity = Arc<dyn ResolvesClientCert>;

    const NO_PROVIDER: &str = "no default crypto provider is installed for rustls: \
         call `rustls::crypto::ring::default_provider().install_default()` when the program starts, or turn on the `rustls` feature of links-sdk";

    /// Returns the certificates of a PEM text, each of which can be a root.
    pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, BoxError> {
        let certificates = chain(pem)?;
        let mut checked = RootCertStore::empty();
        for certificate in &certificates {
            checked.add(certificate.clone())?;
        }
        Ok(certificates)
    }

    /// Returns the client certificate and the key of a PEM text.
    pub(crate) fn identity(pem: &[u8]) -> Result<Identity, BoxError> {
        let chain = chain(pem)?;
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
            pem::Error::NoItemsFound => NO_KEY.into(),
            error => BoxError::from(error),
        })?;
        let key = CertifiedKey::from_der(chain, key, &*provider()?)?;
        Ok(Arc::new(SingleCertAndKey::from(key)))
    }

    fn chain(pem: &[u8]) -> Result<Vec<Certificate>, BoxError> {
        let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>()?;
        if certificates.is_empty() {
            return Err(NO_CERTIFICATE.into());
        }
        Ok(certificates)
    }

    /// Returns the cryptography of the process, or the one that reqwest falls back to. None is installed: that is for the program to do.
    fn provider() -> Result<Arc<CryptoProvider>, BoxError> {
        let provider = CryptoProvider::get_default().cloned();
        #[cfg(feature = "rustls")]
        let provider =
            provider.or_else(|| Some(Arc::new(rustls::crypto::aws_lc_rs::default_provider())));
        provider.ok_or_else(|| NO_PROVIDER.into())
    }

    /// Sets up TLS. Without https no certificates are read, because reading them is most of a client's cost.
    pub(crate) fn apply(
        builder: reqwest::ClientBuilder,
        is_https: bool,
        roots: &[Certificate],
        identity: Option<&Identity>,
    ) -> Result<reqwest::ClientBuilder, BoxError> {
        Ok(builder.tls_backend_preconfigured(config(is_https, roots, identity)?))
    }

    /// Returns a TLS configuration with the certificates of the system alone.
    pub fn system_config() -> Result<ClientConfig, BoxError> {
        config(true, &[], None)
    }

    /// Returns a TLS configuration with the certificates of the system, so that a company's own authority is trusted, and further ones.
    fn config(
        is_https: bool,
        roots: &[Certificate],
        identity: Option<&Identity>,
    ) -> Result<ClientConfig, BoxError> {
        let provider = provider()?;
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()?;
        let builder = if is_https {
            let verifier =
                Arc::new(Verifier::new_with_extra_roots(roots.iter().cloned(), provider)?);
            builder.dangerous().with_custom_certificate_verifier(verifier)
        } else {
            builder.with_root_certificates(RootCertStore::empty())
        };
        let mut config = match identity {
            Some(identity) => builder.with_client_cert_resolver(identity.clone()),
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// TLS by the library of the system, with its certificates.
#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
mod native {
    pub(crate) use reqwest::{Certificate, Identity};

    use super::{BoxError, NO_CERTIFICATE, NO_KEY};

    /// Returns the certificates of a PEM text.
    pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, BoxError> {
        let certificates = Certificate::from_pem_bundle(pem)?;
        if certificates.is_empty() {
            return Err(NO_CERTIFICATE.into());
        }
        Ok(certificates)
    }

    /// Returns the client certificate and the key of a PEM text.
    pub(crate) fn identity(pem: &[u8]) -> Result<Identity, BoxError> {
        let text = std::str::from_utf8(pem)?;
        let certificates = sections(text, "CERTIFICATE");
        if certificates.is_empty() {
            return Err(NO_CERTIFICATE.into());
        }
        let key = sections(text, "PRIVATE KEY");
        if key.is_empty() {
            return Err(NO_KEY.into());
        }
        let (certificates, key) = (certificates.as_bytes(), key.as_bytes());
        // The library compares the key with the certificate only when it sets up a connection.
        let checked = native_tls::Identity::from_pkcs8(certificates, key)?;
        native_tls::TlsConnector::builder().identity(checked).build()?;
        Ok(Identity::from_pkcs8_pem(certificates, key)?)
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
    pub(crate) fn apply(
        builder: reqwest::ClientBuilder,
        _: bool,
        roots: &[Certificate],
        identity: Option<&Identity>,
    ) -> Result<reqwest::ClientBuilder, BoxError> {
        let builder = builder.tls_backend_native().tls_certs_merge(roots.iter().cloned());
        Ok(match identity {
            Some(identity) => builder.identity(identity.clone()),
            None => builder,
        })
    }
}

/// No TLS: the crate was built without a feature for it.
#[cfg(not(any(feature = "rustls-no-provider", feature = "native-tls")))]
mod none {
    pub(crate) use std::convert::{Infallible as Certificate, Infallible as Identity};

    use super::BoxError;

    const NO_TLS: &str =
        "links-sdk was built without TLS: turn on its `rustls` or `native-tls` feature";

    pub(crate) fn certificates(_: &[u8]) -> Result<Vec<Certificate>, BoxError> {
        Err(NO_TLS.into())
    }

    pub(crate) fn identity(_: &[u8]) -> Result<Identity, BoxError> {
        Err(NO_TLS.into())
    }

    /// Lets only connections without https pass.
    pub(crate) fn apply(
        builder: reqwest::ClientBuilder,
        is_https: bool,
        _: &[Certificate],
        _: Option<&Identity>,
    ) -> Result<reqwest::ClientBuilder, BoxError> {
        if is_https { Err(NO_TLS.into()) } else { Ok(builder) }
    }
}

#[cfg(test)]
#[cfg(feature = "rustls-no-provider")]
mod tests {
    use rustls::crypto::CryptoProvider;

    use crate::client::Client;

    #[test]
    fn a_client_leaves_the_tls_of_the_process_to_its_program() {
        for base in ["https://links.example/api/v1", "http://127.0.0.1:1/api/v1"] {
            Client::builder(base).build().unwrap();
        }
        assert!(CryptoProvider::get_default().is_none());
    }
}
