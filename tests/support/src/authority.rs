//! Certificate authority of a test, and servers with its certificates.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;

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
}
