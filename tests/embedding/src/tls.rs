//! What the program's own TLS does.

use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};

/// Tells the cryptography of the program. The line that makes the configuration panics if the process has two providers and no default one.
pub fn report() -> String {
    let installed = CryptoProvider::get_default().is_some();
    assert_eq!(installed, cfg!(feature = "sdk-no-provider"), "that is for the program to do");
    let config = ClientConfig::builder();
    let config = config.with_root_certificates(RootCertStore::empty()).with_no_client_auth();
    let provider = config.crypto_provider();
    let suites: Vec<_> = provider.cipher_suites.iter().map(|it| it.suite()).collect();
    let groups: Vec<_> = provider.kx_groups.iter().map(|it| it.name()).collect();
    format!("tls: {suites:?} {groups:?}")
}
