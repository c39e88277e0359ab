//! Why a request had no answer.

use std::error::Error;
use std::io;

use rustls::CertificateError;

use super::visit::{NETWORK_UNREACHABLE, VisitEnd};
use crate::transport::public_resolver::NameError;

/// Returns the end of a visit for an error of a request.
pub(super) fn end(error: &reqwest::Error) -> VisitEnd {
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
    VisitEnd::Connection("the answer is not HTTP, or was cut off".to_owned())
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
                VisitEnd::Certificate("there is none".to_owned())
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
        | io::ErrorKind::UnexpectedEof => "the connection was closed without an answer",
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
        E::NotValidForName | E::NotValidForNameContext { .. } => "for another name",
        E::UnknownIssuer => "issued by an unknown authority",
        E::BadSignature => "not signed by the authority that it names",
        E::Revoked => "revoked",
        other => return other.to_string(),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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
