//! What was seen on the way to the end of a link: redirects, the end of a certificate, and why there was no answer.

use std::error::Error;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustls::CertificateError;
use url::Url;
use x509_cert::der::Decode;

use links_sdk::public_hosts::NameError;

/// Reason of [`VisitEnd::Connection`] where this machine has no way to the host.
pub(crate) const NETWORK_UNREACHABLE: &str = "the network cannot be reached";

/// What was seen when a link was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Visit {
    /// Redirects that were followed, in order. The last one may lead to what was not requested.
    pub(crate) hops: Vec<Hop>,
    /// End of the visit.
    pub(crate) end: VisitEnd,
    /// The earliest end of the certificates that were seen.
    pub(crate) certificate_ends: Option<SystemTime>,
    /// The link is http, and the same URL with https works.
    pub(crate) works_with_https: bool,
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// Status of the answer.
    pub(crate) status: u16,
    /// URL that it leads to, with its fragment, without a user name and a password.
    pub(crate) to: Url,
    /// The answer sets a cookie, which is not sent back.
    pub(crate) sets_cookie: bool,
    /// The URL held a user name or a password.
    pub(crate) had_credentials: bool,
}

/// End of a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VisitEnd {
    /// An answer that is no redirect to another URL, with its status.
    Status(u16),
    /// A redirect to a URL that was requested before.
    RedirectLoop,
    /// More redirects than are followed.
    TooManyRedirects,
    /// A redirect to a URL of this scheme, which is not requested.
    RedirectScheme(String),
    /// A redirect to what is no URL.
    RedirectUnreadable,
    /// The name of the host does not exist.
    NoHost,
    /// The name of the host cannot be resolved at the moment.
    NameUnresolved,
    /// The URL names a private host, which visitors cannot reach.
    PrivateHost,
    /// The name of the host resolves to private hosts only.
    PrivateName,
    /// The certificate is not valid, with the reason.
    Certificate(String),
    /// There is no secure connection for another reason.
    Tls(String),
    /// No answer within the time limit.
    Timeout,
    /// The same, although the host was reached.
    NoAnswer,
    /// No connection or no HTTP answer, with the reason.
    Connection(String),
    /// The host did not answer the requests before this one, so it was not asked.
    SilentHost,
    /// The host took too long for the requests before this one, so it was not asked.
    SlowHost,
}

impl Visit {
    /// Returns a visit that ended at once.
    pub(crate) fn ended(end: VisitEnd) -> Self {
        Self { hops: Vec::new(), end, certificate_ends: None, works_with_https: false }
    }
}

/// Returns the end of the validity of a certificate in DER. `None` if it cannot be read.
pub(super) fn certificate_end(certificate: &[u8]) -> Option<SystemTime> {
    let certificate = x509_cert::Certificate::from_der(certificate).ok()?;
    let end: Duration = certificate.tbs_certificate().validity().not_after.to_unix_duration();
    UNIX_EPOCH.checked_add(end)
}

/// Returns the end of a visit for an error of a request.
pub(super) fn end_of(error: &reqwest::Error) -> VisitEnd {
    if error.is_timeout() {
        return VisitEnd::Timeout;
    }
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(found) = known(error) {
            return found;
        }
        source = error.source();
    }
    VisitEnd::Connection("the response is not HTTP, or was cut off".to_owned())
}

fn known(error: &(dyn Error + 'static)) -> Option<VisitEnd> {
    if let Some(error) = error.downcast_ref::<NameError>() {
        return Some(match error {
            NameError::Private => VisitEnd::PrivateName,
            NameError::Lookup(error) if is_temporary(&error.to_string()) => {
                VisitEnd::NameUnresolved
            }
            NameError::Lookup(_) => VisitEnd::NoHost,
        });
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(match error {
            rustls::Error::InvalidCertificate(error) => VisitEnd::Certificate(words(error)),
            rustls::Error::NoCertificatesPresented => {
                VisitEnd::Certificate("none was sent".to_owned())
            }
            other => VisitEnd::Tls(other.to_string()),
        });
    }
    let error = error.downcast_ref::<io::Error>()?;
    // An error within an error of I/O is not among its sources.
    if let Some(inner) = error.get_ref() {
        return known(inner);
    }
    let words = match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => "the connection was closed without a response",
        io::ErrorKind::HostUnreachable => "the host cannot be reached",
        io::ErrorKind::NetworkUnreachable => NETWORK_UNREACHABLE,
        io::ErrorKind::TimedOut => return Some(VisitEnd::Timeout),
        _ => return None,
    };
    Some(VisitEnd::Connection(words.to_owned()))
}

/// Returns whether a lookup failed for now only. The system tells it in words alone.
fn is_temporary(words: &str) -> bool {
    ["Temporary failure", "Try again", "temporarily"].iter().any(|it| words.contains(it))
}

fn words(error: &CertificateError) -> String {
    use CertificateError as E;
    let words = match error {
        E::Expired | E::ExpiredContext { .. } => "expired",
        E::NotValidYet | E::NotValidYetContext { .. } => "not valid yet",
        E::NotValidForName | E::NotValidForNameContext { .. } => "issued for another name",
        E::UnknownIssuer => "issued by an unknown authority",
        E::BadSignature => "not signed by the issuer it names",
        E::Revoked => "revoked",
        other => return other.to_string(),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    #[test]
    fn the_end_of_a_certificate_is_read_in_both_forms_of_dates() {
        for (year, seconds) in [(2030, 1_893_456_000), (2060, 2_840_140_800)] {
            let mut params = CertificateParams::new(vec!["cafe.example".to_owned()]).unwrap();
            params.not_after = date_time_ymd(year, 1, 1);
            let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
            let expected = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(certificate_end(certificate.der()), Some(expected), "{year}");
            let cut = &certificate.der()[..certificate.der().len() - 1];
            assert_eq!(certificate_end(cut), None);
        }
        assert_eq!(certificate_end(&[]), None);
        assert_eq!(certificate_end(&vec![0x30; 64 * 1024]), None);
    }

    #[test]
    fn errors_are_told_apart_wherever_they_are() {
        let tls = |error: rustls::Error| io::Error::new(io::ErrorKind::InvalidData, error);
        let lookup = |words: &str| NameError::Lookup(io::Error::other(words.to_owned()));
        let nested: Box<dyn Error + Send + Sync> =
            Box::new(tls(rustls::Error::InvalidCertificate(CertificateError::Expired)));
        for (error, expected) in [
            (nested, Some(VisitEnd::Certificate("expired".to_owned()))),
            (Box::new(NameError::Private), Some(VisitEnd::PrivateName)),
            (Box::new(lookup("Name or service not known")), Some(VisitEnd::NoHost)),
            (
                Box::new(lookup("Temporary failure in name resolution")),
                Some(VisitEnd::NameUnresolved),
            ),
            (
                Box::new(tls(rustls::Error::HandshakeNotComplete)),
                Some(VisitEnd::Tls("handshake not complete".to_owned())),
            ),
            (
                Box::new(io::Error::from(io::ErrorKind::ConnectionRefused)),
                Some(VisitEnd::Connection("connection refused".to_owned())),
            ),
            (Box::new(io::Error::from(io::ErrorKind::TimedOut)), Some(VisitEnd::Timeout)),
            ("another".into(), None),
        ] {
            let error: &(dyn Error + 'static) = &*error;
            assert_eq!(known(error), expected, "{error:?}");
        }
    }
}
