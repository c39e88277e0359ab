//! TLS configuration of a client. It is set up for each client, because the TLS settings of the whole process belong to the program.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, Error, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Returns a TLS configuration with the certificates of the system, so that a company's own authority is trusted. Without https no
/// certificates are read, because reading them is most of a client's cost.
pub(crate) fn config(is_https: bool) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    let builder = if is_https {
        let verifier = Arc::new(Verifier::new(provider)?);
        builder.dangerous().with_custom_certificate_verifier(verifier)
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use rustls::crypto::CryptoProvider;

    use crate::client::Client;

    #[test]
    fn found_34_a_client_leaves_the_tls_of_the_process_to_its_program() {
        for base in ["https://links.example/api/v1", "http://127.0.0.1:1/api/v1"] {
            Client::builder(base).build().unwrap();
        }
        assert!(CryptoProvider::get_default().is_none());
    }
}
