//! Options of one call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Request;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::call_result::AttemptCounts;
use super::clock::Clock;
use super::idempotency::{self, IdempotencyKey};
use super::pacing::WaitReason;
use super::reservation::Reservation;
use super::write_tally::WriteRecord;
use crate::write_mode::WriteMode;

const PRECOGNITION: HeaderName = HeaderName::from_static("precognition");

/// Options of one call.
#[derive(Clone, Debug)]
pub(crate) struct CallOptions {
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    pub(crate) dry_run: bool,
    /// Deadline of the call, by the client's monotonic clock.
    pub(crate) until: Duration,
    /// Maximum single wait for the rate limits.
    pub(crate) max_wait: Option<Duration>,
    /// The caller reads after an unknown outcome, so that no attempt is repeated blindly.
    pub(crate) reads_first: bool,
    /// Handling of a write.
    pub(crate) writes: WriteMode,
    /// Record in which the requests of a call that writes are noted.
    pub(crate) write: Option<Arc<WriteRecord>>,
    /// The limits have admitted the first request already.
    pub(crate) reserved: Option<Reservation>,
    /// The call is one attempt without a wait; what would follow is left to the caller.
    pub(crate) single_attempt: Option<SingleAttempt>,
    /// Headers that the caller adds to the requests of this call to the service.
    pub(crate) headers: Option<Arc<HeaderMap>>,
    /// Flag of a body that can be read once: set as soon as a part was sent, after which nothing is repeated.
    pub(crate) begun: Option<Arc<AtomicBool>>,
}

/// Options of a call that is a single attempt, and relies on what its caller has just read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SingleAttempt {
    /// The attempts before this one.
    pub(crate) tries: AttemptCounts,
    /// Time at which what was read is too old, by the client's monotonic clock.
    pub(crate) expires: Duration,
}

/// Least time that a wait has to leave for the attempt after it; a shorter wait has to leave no more than its own length. An attempt that the
/// deadline cuts off has an unknown outcome.
const LEAST_ATTEMPT: Duration = Duration::from_secs(1);

impl CallOptions {
    /// Returns whether the body was sent in part, and cannot be sent again.
    pub(crate) fn is_body_spent(&self) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.load(Ordering::Acquire))
    }

    pub(crate) fn time_left(&self, clock: &dyn Clock) -> Duration {
        self.until.saturating_sub(clock.monotonic())
    }

    /// Returns whether a wait would leave too little time for an attempt, or last longer than the caller lets a call wait for the limits.
    pub(super) fn is_too_long(
        &self,
        wait: Duration,
        reason: WaitReason,
        clock: &dyn Clock,
    ) -> bool {
        let most = self.max_wait.filter(|_| reason != WaitReason::Retry);
        wait.saturating_add(wait.min(LEAST_ATTEMPT)) >= self.time_left(clock)
            || most.is_some_and(|most| wait > most)
    }

    /// Adds the headers that the options ask for to a request. The token is added to each attempt.
    pub(crate) fn add_headers(&self, request: &mut Request) {
        let headers = request.headers_mut();
        if self.dry_run {
            headers.insert(PRECOGNITION, HeaderValue::from_static("true"));
        } else if let Some(key) = self.idempotency_key.as_ref().and_then(IdempotencyKey::header) {
            headers.insert(idempotency::HEADER, key);
        }
    }
}
