//! Error of a batch run that ended before its last request.

use std::fmt;
use std::ops::Range;

use crate::error::{Error, FailedRun};
use crate::error_kind::Outcome;
use crate::ids::SlotId;
use crate::tolerant::FieldErrors;
use crate::transport::caller_headers::IdempotencyKey;

/// Error of a run that ended before its last request, with what was done and what was not.
#[derive(Debug)]
pub struct BatchError(pub(crate) Box<BatchErrorDetails>);

#[derive(Debug)]
pub(crate) struct BatchErrorDetails {
    pub(crate) verb: &'static str,
    pub(crate) done: Vec<SlotId>,
    pub(crate) failed: Range<usize>,
    pub(crate) total: usize,
    pub(crate) key: IdempotencyKey,
    pub(crate) field_errors: FieldErrors,
    pub(crate) cause: BatchCause,
}

/// Causes for which one request of a run failed.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum BatchCause {
    /// The call failed.
    Call(Error),
    /// The request was executed, but the answer is not about the slots that were sent.
    Answer {
        /// Number of slots sent.
        sent: usize,
        /// Number of slots in the answer.
        answered: usize,
    },
}

impl BatchError {
    /// Returns the ids of the slots written before the request that failed, in order.
    pub fn done(&self) -> &[SlotId] {
        &self.0.done
    }

    /// Returns the indexes of the slots of the failed request. The slots before them are done, and nothing was sent of those after them.
    pub fn failed(&self) -> Range<usize> {
        self.0.failed.clone()
    }

    /// Returns whether the failed request was executed.
    pub fn outcome(&self) -> Outcome {
        match &self.0.cause {
            BatchCause::Call(error) => error.outcome(),
            // The slot that the error is about is unknown.
            BatchCause::Answer { .. } => Outcome::Unknown,
        }
    }

    /// Returns the refused fields and why, with the index that the caller's slot has (`slots.120.data.link`).
    pub fn field_errors(&self) -> &FieldErrors {
        &self.0.field_errors
    }

    /// Returns the key of the run, for [`BatchRun::with_run_key`](crate::BatchRun::with_run_key).
    pub fn run_key(&self) -> &IdempotencyKey {
        &self.0.key
    }

    /// Returns the cause of the failure.
    pub fn cause(&self) -> &BatchCause {
        &self.0.cause
    }
}

impl BatchError {
    /// Returns whether the same run can be sent again without doing anything twice: nothing was done yet, and
    /// [the call](Error::is_safe_to_repeat) can be. Slots that are created under [the key of the run](BatchError::run_key) can be sent again
    /// in any case.
    pub fn is_safe_to_repeat(&self) -> bool {
        self.0.done.is_empty() && FailedRun::call(self).is_some_and(Error::is_safe_to_repeat)
    }
}

crate::of_run!(BatchError);

impl FailedRun for BatchError {
    fn call(&self) -> Option<&Error> {
        match &self.0.cause {
            BatchCause::Call(error) => Some(error),
            BatchCause::Answer { .. } => None,
        }
    }

    fn outcome(&self) -> Outcome {
        match self.outcome() {
            Outcome::NotExecuted if !self.0.done.is_empty() => Outcome::Executed,
            outcome => outcome,
        }
    }

    fn field_errors(&self) -> &FieldErrors {
        &self.0.field_errors
    }

    fn is_safe_to_repeat(&self) -> bool {
        self.is_safe_to_repeat()
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BatchErrorDetails { verb, done, failed, total, .. } = &*self.0;
        let outcome = match self.outcome() {
            Outcome::NotExecuted => "were not",
            Outcome::Executed => "were",
            Outcome::Unknown => "may have been",
        };
        let (first, last) = (failed.start + 1, failed.end);
        write!(f, "of {total} slots, numbers {first} to {last} {outcome} {verb}")?;
        if let BatchCause::Answer { sent, answered } = self.0.cause {
            write!(f, ": {sent} were sent, but the service reports {answered}")?;
        }
        if done.is_empty() { Ok(()) } else { write!(f, "; {} before them were", done.len()) }
    }
}

impl std::error::Error for BatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.cause {
            BatchCause::Call(error) => Some(error),
            BatchCause::Answer { .. } => None,
        }
    }
}
