//! Entry points for the fuzz targets in `fuzz/`. Each function panics if a required property does not hold.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::transport::answer::Answer;
use crate::upload;
use crate::{Error, generated, operation};

/// Returns the error of an answer, given as two bytes of its status and then its body.
pub fn error(bytes: &[u8]) -> Error {
    let (status, body) = bytes.split_at(bytes.len().min(2));
    let number = status.iter().fold(0_u16, |sum, byte| (sum << 8) | u16::from(*byte));
    let status = StatusCode::from_u16(100 + number % 900).unwrap_or(StatusCode::BAD_GATEWAY);
    let body = Bytes::copy_from_slice(body);
    let answer = Answer::new(status, HeaderMap::new(), body);
    Error::unreadable(operation::CREATE_SLOTS, &answer, "it is not what was asked for".to_owned())
}

/// Reads the answer of `createUploadUrl`, and checks the URL that it names.
///
/// # Panics
///
/// When an image would be sent to a URL that is not allowed.
pub fn upload_url(bytes: &[u8]) {
    upload::fuzzed::answer(bytes);
    if let Ok(envelope) = serde_json::from_slice::<generated::types::UploadUrlEnvelope>(bytes) {
        upload::fuzzed::target(&envelope.data.into());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use http::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

    use crate::transport::pacing::poll_once;
    use crate::{Bucket, InProcessPacer, Pacer, PacerNote, RateLimits, SystemClock};

    /// Does what the fuzz target of this name does.
    fn retry_after(bytes: &[u8]) {
        let mut lines = bytes.split(|byte| *byte == b'\n').map(HeaderValue::from_bytes);
        let mut headers = HeaderMap::new();
        if let Some(Ok(date)) = lines.next() {
            headers.insert(DATE, date);
        }
        for value in lines.flatten().take(100) {
            headers.append(RETRY_AFTER, value);
        }
        let wait = crate::transport::retry::retry_after(&headers, SystemTime::UNIX_EPOCH);
        let Some(wait) = wait else { return };
        let (pacer, clock) = (InProcessPacer::new(RateLimits::default()), SystemClock::new());
        let _ = poll_once(pacer.note(PacerNote::Blocked(wait), &clock));
        let admitted = poll_once(pacer.admit(Bucket::General, &clock));
        assert!(matches!(admitted, Ok(Err(_))) || wait < Duration::from_secs(2), "{wait:?}");
    }

    fn error_body(bytes: &[u8]) {
        let error = super::error(bytes);
        assert!(!error.to_string().is_empty(), "{error:?}");
    }

    /// Returns every input of the corpus of a target.
    fn corpus(target: &str) -> Vec<Vec<u8>> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
        let files =
            fs::read_dir(&directory).unwrap_or_else(|error| panic!("{directory:?}: {error}"));
        files.map(|it| fs::read(it.unwrap().path()).unwrap()).collect()
    }

    #[test]
    fn every_input_of_the_corpus_is_read() {
        type Reads = fn(&[u8]);
        let targets: [(&str, Reads); 3] = [
            ("retry_after", retry_after),
            ("error_body", error_body),
            ("upload_url", super::upload_url),
        ];
        for (target, read) in targets {
            let inputs = corpus(target);
            assert!(inputs.len() > 3, "{target}: {} inputs", inputs.len());
            for input in inputs {
                read(&input);
            }
        }
    }
}
