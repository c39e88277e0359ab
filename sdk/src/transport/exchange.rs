//! One call as the transport sees it: its options, the function that makes a request for each attempt, and its result.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::Request;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::BoxError;
use super::answer::Answer;
use super::caller_headers::{IDEMPOTENCY_KEY, IdempotencyKey};
use super::clock::Clock;
use super::observer::RequestView;
use super::pacing::{MustWait, PacerError, Ticket, WaitReason};
use super::retry::{AttemptCounts, AttemptEnd};
use super::write_tally::WriteRecord;
use crate::error_kind::Outcome;
use crate::operation::{Effect, Operation};
use crate::token::TokenError;

/// Result of one call, with the evidence of its attempts.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub(crate) operation: &'static Operation,
    /// Effect of sending the request twice: that of the operation, or of a read if it is a dry run.
    pub(crate) effect: Effect,
    /// The attempts, with the strongest proof of any.
    pub(crate) tries: AttemptCounts,
    /// Time that the last answer asked to wait.
    pub(crate) retry_after: Option<Duration>,
    /// If the next attempt is left to the caller: the attempts so far, this one included, and the wait after which it would have been
    /// repeated.
    pub(crate) next_attempt: Option<NextAttempt>,
    pub(crate) result: Result<Answer, CallFailure>,
}

/// Counts of the attempts so far, and the wait before the next one.
pub(crate) type NextAttempt = (AttemptCounts, Option<MustWait>);

/// Reason why there is no answer.
#[derive(Debug)]
pub(crate) enum CallFailure {
    /// The request could not be made from what the caller gave.
    Request(io::Error),
    /// The attempt ended without a whole answer, with the error of the network library, and the beginning of a 2xx answer.
    Broken { end: AttemptEnd, source: BoxError, begun: Option<Box<Answer>> },
    /// An answer with a 2xx status that is no [success](crate::success) of the operation, and why.
    Unusable { answer: Box<Answer>, why: String },
    /// There was no token to send.
    Token(TokenError),
    /// The pacer cannot tell whether the request may be sent.
    Pacer(PacerError),
    /// The client sends no writes.
    NotSent(Box<RequestView>),
    /// A wait was longer than the call may take.
    Deadline(MustWait),
}

impl CallFailure {
    /// The deadline of the call has passed.
    pub(crate) const PASSED: Self =
        Self::Deadline(MustWait { duration: Duration::ZERO, reason: WaitReason::Retry });
}

/// Returns how an attempt ended; `None` if nothing was sent.
pub(super) fn attempt_end(result: &Result<Answer, CallFailure>) -> Option<AttemptEnd> {
    match result {
        Ok(answer) => Some(AttemptEnd::Answer(answer.status())),
        Err(CallFailure::Broken { end, .. }) => Some(*end),
        Err(CallFailure::Unusable { answer, .. }) => Some(AttemptEnd::Unusable(answer.status())),
        Err(_) => None,
    }
}

/// Returns the answer of an attempt, also one that cannot be used.
pub(crate) fn answer_of(result: &mut Result<Answer, CallFailure>) -> Option<&mut Answer> {
    match result {
        Ok(answer) => Some(answer),
        Err(CallFailure::Unusable { answer, .. }) => Some(answer),
        Err(_) => None,
    }
}

impl CallResult {
    /// Returns the result of a request that was not sent after these attempts.
    pub(crate) fn unsent(
        operation: &'static Operation,
        tries: AttemptCounts,
        failure: CallFailure,
    ) -> Self {
        let (effect, result) = (operation.effect, Err(failure));
        let (retry_after, next_attempt) = (None, None);
        Self { operation, effect, tries, retry_after, next_attempt, result }
    }

    /// Returns whether something was written, by the evidence of all attempts. A read writes nothing.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.operation.has_outcome() { self.tries.evidence } else { Outcome::NotExecuted }
    }
}

const PRECOGNITION: HeaderName = HeaderName::from_static("precognition");

/// Options of one call.
#[derive(Clone, Debug, Default)]
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
    /// Ticket of the first request, if the limits have admitted it already. It counts as under way until it is answered.
    pub(crate) reserved: Option<Ticket>,
    /// The call is one attempt without a wait, and what would follow is left to the caller: the attempts before this one, and the time at which
    /// what the caller has read is too old, by the time that has passed.
    pub(crate) single_attempt: Option<(AttemptCounts, Duration)>,
    /// Headers that the caller adds to the requests of this call to the service.
    pub(crate) headers: Option<Arc<HeaderMap>>,
    /// Flag of a body that can be read once: set as soon as a part was sent, after which nothing is repeated.
    pub(crate) begun: Option<Arc<AtomicBool>>,
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
    pub(super) fn is_too_long(&self, wait: MustWait, clock: &dyn Clock) -> bool {
        let MustWait { duration, reason } = wait;
        let most = self.max_wait.filter(|_| reason != WaitReason::Retry);
        duration.saturating_add(duration.min(LEAST_ATTEMPT)) >= self.time_left(clock)
            || most.is_some_and(|most| duration > most)
    }

    /// Adds the headers that the options ask for to a request. The token is added to each attempt.
    pub(crate) fn add_headers(&self, request: &mut Request) {
        let headers = request.headers_mut();
        if self.dry_run {
            headers.insert(PRECOGNITION, HeaderValue::from_static("true"));
        } else if let Some(key) = self.idempotency_key.as_ref().and_then(IdempotencyKey::header) {
            headers.insert(IDEMPOTENCY_KEY, key);
        }
    }
}

/// Makes the request of each attempt; the bytes must be the same every time.
pub(crate) type MakeRequest<'a> = dyn FnMut() -> BoxFuture<'a, io::Result<Request>> + Send + 'a;

/// What to do with calls that would change something. Reads are sent in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WriteMode {
    /// Writes are sent.
    #[default]
    Send,
    /// Writes are sent as dry runs, which change nothing. If the service would accept the write, the call fails with an error for which
    /// [`Error::is_dry_run_accepted`](crate::Error::is_dry_run_accepted) is true. A call without a dry run, the delete of a single slot by
    /// its path, is not sent.
    DryRun,
    /// No write is sent. Each call fails with an error that has the [request](crate::Error::not_sent) that would have been sent.
    Withhold,
}
