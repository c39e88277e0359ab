//! `Retry-After` (RFC 9110, section 10.2.3) as a duration.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

/// Returns how long the service asks to wait: the largest of several headers; dates are read against the answer's own `Date`, so that a
/// wrong clock here does not matter. `None` if there is no usable value (absent, negative, past, garbage). A number too large to be meant
/// counts as [`LONGEST`].
pub(crate) fn retry_after(headers: &HeaderMap, wall: SystemTime) -> Option<Duration> {
    headers.get(RETRY_AFTER)?;
    let now = headers.get(DATE).and_then(date).unwrap_or(wall);
    headers
        .get_all(RETRY_AFTER)
        .iter()
        .filter_map(|value| wait(value, now))
        .max()
        .map(|wait| wait.min(LONGEST))
}

/// Longest time to wait that an answer can ask for: a hundred years, which a program can add to the time without an overflow.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

fn wait(value: &HeaderValue, now: SystemTime) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().map_or(LONGEST, Duration::from_secs));
    }
    date(value)?.duration_since(now).ok()
}

fn date(value: &HeaderValue) -> Option<SystemTime> {
    httpdate::parse_http_date(value.to_str().ok()?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(date: Option<&str>, values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        for value in values {
            headers.append(RETRY_AFTER, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    const NOON: &str = "Sun, 06 Nov 1994 12:00:00 GMT";

    #[test]
    fn every_form_of_retry_after_is_read() {
        let an_hour_ahead = httpdate::parse_http_date("Sun, 06 Nov 1994 13:00:00 GMT").unwrap();
        let table: &[(&[&[u8]], Option<u64>)] = &[
            (&[], None),
            (&[b"2"], Some(2)),
            (&[b" 2 "], Some(2)),
            (&[b"0"], Some(0)),
            (&[b"Sun, 06 Nov 1994 12:00:07 GMT"], Some(7)),
            (&[b"Sunday, 06-Nov-94 12:00:07 GMT"], Some(7)),
            (&[b"Sun Nov  6 12:00:07 1994"], Some(7)),
            (&[b"Sun, 06 Nov 1994 11:59:59 GMT"], None),
            (&[b"-1"], None),
            (&[b""], None),
            (&["²".as_bytes()], None),
            (&[b"1e9"], None),
            (&[b"99999999999999999999999"], Some(LONGEST.as_secs())),
            (&[b"1", b"99999999999999999999999"], Some(LONGEST.as_secs())),
            (&[b"9999999999"], Some(LONGEST.as_secs())),
            (&[b"999999999"], Some(999_999_999)),
            (&[b"Fri, 31 Dec 9999 23:59:59 GMT"], Some(LONGEST.as_secs())),
            (&[b"3", b"5", b"nonsense"], Some(5)),
        ];
        for (values, expected) in table {
            let wait = retry_after(&headers(Some(NOON), values), an_hour_ahead);
            assert_eq!(wait, expected.map(Duration::from_secs), "{values:?}");
        }
    }

    #[test]
    fn without_a_date_the_own_clock_counts() {
        let now = httpdate::parse_http_date(NOON).unwrap();
        let wait = retry_after(&headers(None, &[b"Sun, 06 Nov 1994 12:00:07 GMT"]), now);
        assert_eq!(wait, Some(Duration::from_secs(7)));
    }

    proptest! {
        #[test]
        fn no_value_panics(values in prop::collection::vec("[ -~\u{80}-\u{ff}]{0,40}", 0..4), date in prop::option::of("[ -~]{0,40}")) {
            let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
            let mut headers = headers(None, &values);
            if let Some(date) = date {
                headers.insert(DATE, HeaderValue::from_str(&date).unwrap());
            }
            retry_after(&headers, SystemTime::UNIX_EPOCH);
        }
    }
}
