//! Certificate authority of a test, and servers with its certificates.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Certificate authority of a test.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Makes a new authority of this name.
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// Returns its certificate, for `SSL_CERT_FILE`.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// Returns the settings of a server for these names, with a certificate that is valid from two years before `now` until `days` days
    /// after it.
    pub fn server(&self, names: &[&str], now: SystemTime, days: i32) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        let length = DAY * days.unsigned_abs();
        let end = if days < 0 { now - length } else { now + length };
        params.not_before = (now - DAY * 730).into();
        params.not_after = end.into();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        Arc::new(config.with_single_cert(vec![certificate.der().clone()], key).unwrap())
    }

    /// Returns the settings of a server for `localhost` that accepts only clients with a certificate of this authority.
    pub fn server_for_clients(&self) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone());
        let config = ServerConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_client_cert_verifier(verifier.build().unwrap());
        let (certificate, key) = self.signed("localhost", ExtendedKeyUsagePurpose::ServerAuth);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        Arc::new(config.with_single_cert(vec![certificate.der().clone()], key).unwrap())
    }

    /// Returns a certificate for a client of this name, and its key, both as PEM.
    pub fn client(&self, name: &str) -> (String, String) {
        let (certificate, key) = self.signed(name, ExtendedKeyUsagePurpose::ClientAuth);
        (certificate.pem(), key.serialize_pem())
    }

    fn signed(&self, name: &str, usage: ExtendedKeyUsagePurpose) -> (Certificate, KeyPair) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }
}
