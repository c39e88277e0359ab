//! Reads a `Date` in the first line and a `Retry-After` in each further one, and makes a pacer wait for that time.

#![no_main]

use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use http::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};
use links_sdk::public_hosts::retry_after;
use links_sdk::{
    Bucket, InProcessPacer, Pacer, PacerFuture, PacerNote, RateLimits, SystemClock,
};

/// Returns the result of a future of a pacer that asks nobody.
fn at_once<T>(mut future: PacerFuture<'_, T>) -> T {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("it waits"),
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let mut headers = HeaderMap::new();
    if let Some(Ok(date)) = lines.next().map(HeaderValue::from_bytes) {
        headers.insert(DATE, date);
    }
    for value in lines.filter_map(|line| HeaderValue::from_bytes(line).ok()).take(100) {
        headers.append(RETRY_AFTER, value);
    }
    let Some(wait) = retry_after(&headers, SystemTime::UNIX_EPOCH) else { return };
    let (pacer, clock) = (InProcessPacer::new(RateLimits::default()), SystemClock::new());
    at_once(pacer.note(PacerNote::Blocked(wait), &clock));
    let admitted = at_once(pacer.admit(Bucket::General, &clock));
    assert!(admitted.is_err() || wait < Duration::from_secs(2), "{wait:?} were to be waited");
});
