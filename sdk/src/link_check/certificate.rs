//! The day on which a certificate ends.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use x509_cert::der::Decode;

/// Largest certificate that is read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the end of the validity of a certificate in DER. `None` if it cannot be read.
pub(super) fn end(certificate: &[u8]) -> Option<SystemTime> {
    if certificate.len() > MAX_BYTES {
        return None;
    }
    let certificate = x509_cert::Certificate::from_der(certificate).ok()?;
    let end: Duration = certificate.tbs_certificate().validity().not_after.to_unix_duration();
    UNIX_EPOCH.checked_add(end)
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
            assert_eq!(end(certificate.der()), Some(expected), "{year}");
            let cut = &certificate.der()[..certificate.der().len() - 1];
            assert_eq!(end(cut), None);
        }
        assert_eq!(end(&[]), None);
        assert_eq!(end(&vec![0x30; MAX_BYTES + 1]), None);
    }
}
