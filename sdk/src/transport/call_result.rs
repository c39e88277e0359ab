//! Result of one call: its answer or its failure, and what all its attempts prove together.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use reqwest::Request;

use super::answer::Answer;
use super::pacing::{PacerError, WaitReason};
use super::retry::{AttemptEnd, Evidence};
use crate::operation::{Effect, Operation};
use crate::outcome::Outcome;
use crate::token_source::TokenError;
use crate::view::RequestView;

/// Result of one call, with the evidence of its attempts.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub(crate) operation: &'static Operation,
    /// Effect of sending the request twice: that of the operation, or of a read if it is a dry run.
    pub(crate) effect: Effect,
    /// Requests that were sent or tried.
    pub(crate) sent: u32,
    /// The strongest proof of any attempt.
    pub(crate) evidence: Evidence,
    /// Time that the last answer asked to wait.
    pub(crate) retry_after: Option<Duration>,
    /// The next attempt, if that is left to the caller.
    pub(crate) next_attempt: Option<NextAttempt>,
    pub(crate) result: Result<Answer, CallFailure>,
}

/// Counts and evidence of a call's attempts so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptCounts {
    /// Requests sent or tried.
    pub(crate) sent: u32,
    /// Of those, requests that were waited for after a 429.
    pub(crate) too_many: u32,
    /// Of those, requests that were waited for because one with the same key was being processed.
    pub(crate) in_flight: u32,
    /// Total wait after them.
    pub(crate) waited: Duration,
    /// The strongest proof of any of them.
    pub(crate) evidence: Evidence,
    /// Set if the service has refused a token of this call, and there was another one.
    pub(crate) renewed: bool,
}

impl AttemptCounts {
    /// Returns the number of attempts that count: a wait that the service asked for is not one.
    pub(crate) fn counted(self) -> u32 {
        self.sent - self.too_many - self.in_flight
    }
}

impl Default for AttemptCounts {
    fn default() -> Self {
        let evidence = Evidence::NotSent;
        let waited = Duration::ZERO;
        Self { sent: 0, too_many: 0, in_flight: 0, waited, evidence, renewed: false }
    }
}

/// Next attempt, which is left to the caller after a single one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextAttempt {
    /// Counts of the attempts so far, this one included.
    pub(crate) tries: AttemptCounts,
    /// The wait after which it would have been repeated.
    pub(crate) wait: Option<(Duration, WaitReason)>,
}

/// Reason why there is no answer.
#[derive(Debug)]
pub(crate) enum CallFailure {
    /// The request could not be made from what the caller gave.
    Request(io::Error),
    /// The attempt ended without a whole answer.
    Broken(BrokenAttempt),
    /// An answer with a 2xx status that is no [success](crate::success) of the operation, and why.
    Unusable { answer: Box<Answer>, why: String },
    /// There was no token to send.
    Token(TokenError),
    /// The pacer cannot tell whether the request may be sent.
    Pacer(PacerError),
    /// The client sends no writes.
    NotSent(Box<RequestView>),
    /// A wait was longer than the call may take.
    Deadline { wait: Duration, reason: WaitReason },
}

impl CallFailure {
    /// The deadline of the call has passed.
    pub(crate) const PASSED: Self =
        Self::Deadline { wait: Duration::ZERO, reason: WaitReason::Retry };
}

/// End of an attempt without a whole answer, and the error of the network library.
#[derive(Debug)]
pub(crate) struct BrokenAttempt {
    pub(crate) end: AttemptEnd,
    pub(crate) source: Box<dyn StdError + Send + Sync>,
    /// Beginning of a 2xx answer.
    pub(crate) begun: Option<Box<Answer>>,
}

impl CallResult {
    /// Returns the result of a write whose request was made, but not sent.
    pub(crate) fn not_sent(operation: &'static Operation, made: io::Result<Request>) -> Self {
        let failure = match made {
            Ok(request) => CallFailure::NotSent(Box::new(RequestView::new(&request))),
            Err(error) => CallFailure::Request(error),
        };
        Self::unsent(operation, AttemptCounts::default(), failure)
    }

    /// Returns the result of a request that was not sent after these attempts.
    pub(crate) fn unsent(
        operation: &'static Operation,
        tries: AttemptCounts,
        failure: CallFailure,
    ) -> Self {
        let AttemptCounts { sent, evidence, .. } = tries;
        let (effect, result) = (operation.effect, Err(failure));
        let (retry_after, next_attempt) = (None, None);
        Self { operation, effect, sent, evidence, retry_after, next_attempt, result }
    }

    /// Returns the answer, if it is a 2xx.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.result.as_ref().ok().filter(|answer| answer.status.is_success())
    }

    /// Returns the answer, if it is a 2xx, else the whole result.
    pub(crate) fn into_answer(self) -> Result<Answer, Box<Self>> {
        match self.result {
            Ok(answer) if answer.status.is_success() => Ok(answer),
            result => Err(Box::new(Self { result, ..self })),
        }
    }

    /// Returns whether something was written, by the evidence of all attempts. A read writes nothing.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.evidence {
            _ if !self.operation.has_outcome() => Outcome::NotExecuted,
            Evidence::NotSent | Evidence::NotExecuted => Outcome::NotExecuted,
            Evidence::Unknown => Outcome::Unknown,
            Evidence::Executed => Outcome::Executed,
        }
    }
}
