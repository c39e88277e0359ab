//! Tests of connections whose certificate is not trusted.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

use super::own_process;

/// Answers 418 over TLS with this certificate, until the process ends; counts the connections.
fn serve(
    certificate: &CertificateParams,
    issuer: Option<&CertifiedIssuer<'_, KeyPair>>,
) -> (String, Arc<AtomicUsize>) {
    let key = KeyPair::generate().unwrap();
    let certificate = match issuer {
        Some(issuer) => certificate.signed_by(&key, issuer).unwrap(),
        None => certificate.self_signed(&key).unwrap(),
    };
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = config
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = format!("https://localhost:{}/api/v1", listener.local_addr().unwrap().port());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::Relaxed);
            let (mut stream, mut tls) =
                (stream.unwrap(), ServerConnection::new(config.clone()).unwrap());
            let mut stream = Stream::new(&mut tls, &mut stream);
            // A client that refuses the certificate hangs up here.
            if stream.read(&mut [0; 4096]).is_ok() {
                stream
                    .write_all(
                        b"HTTP/1.1 418 Status\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                    )
                    .unwrap();
            }
        }
    });
    (address, connections)
}

fn certificate(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).unwrap()
}

#[tokio::test]
async fn a_certificate_that_is_not_to_be_trusted_is_named_and_never_tried_again() {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(DnType::CommonName, "An authority of this test");
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let trusted = directory.path().join("authority.pem");
    std::fs::write(&trusted, authority.pem()).unwrap();
    let mut expired = certificate("localhost");
    expired.not_before = date_time_ymd(2001, 1, 1);
    expired.not_after = date_time_ymd(2002, 1, 1);

    for (certificate, issuer, reason) in [
        (certificate("localhost"), None, "UnknownIssuer"),
        (expired, Some(&authority), "expired"),
        (certificate("links.example"), Some(&authority), "not valid for name"),
    ] {
        let (address, connections) = serve(&certificate, issuer);
        let said = own_process::ask(&address, &[("SSL_CERT_FILE", trusted.as_os_str())]).await;
        assert!(
            said.starts_with("1 attempts, NotExecuted: getMe: cannot establish a secure"),
            "{said}"
        );
        assert!(said.contains(reason), "{said}");
        assert_eq!(connections.load(Ordering::Relaxed), 1);
    }
    let (address, _) = serve(&certificate("localhost"), Some(&authority));
    let said = own_process::ask(&address, &[("SSL_CERT_FILE", trusted.as_os_str())]).await;
    assert!(said.contains("418"), "a good certificate is accepted: {said}");
}
