//! Error of a run that ended before the page matched the file.

use std::io;
use std::path::PathBuf;

use super::{
    AppliedChanges, GuardRefusal, JournalError, LockError, PageSnapshot, Plan, PlanBatch,
    PlanError, Step,
};
use links_sdk::runs::{FailedRun, item_of};
use links_sdk::{Error, ErrorKind, Outcome, ProfileId};

/// Error of a run that stopped before the page matched the file.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ApplyError(pub(super) Box<ApplyFailure>);

/// What an error holds, in one allocation, because most results are no error.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub(super) struct ApplyFailure {
    #[source]
    pub cause: ApplyCause,
    done: AppliedChanges,
    run: Option<String>,
    /// The page as the run knows it.
    pub page: Option<PageSnapshot>,
    pub has_ended: bool,
}

/// Reason why a run stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyCause {
    /// The page cannot be read.
    #[error("{0}")]
    Read(#[from] Error),
    /// Planning failed.
    #[error("{0}")]
    Plan(#[from] PlanError),
    /// The plan needs a confirmation that was not given.
    #[error("{0}")]
    Guard(#[from] GuardRefusal),
    /// The user did not confirm the plan.
    #[error("not confirmed")]
    Declined,
    /// The observer of the steps stopped the run.
    #[error("the run was stopped")]
    Stopped,
    /// The page is empty, although the last run left this number of slots on it.
    #[error("the page is empty, but the last run left {0} slots on it")]
    Emptied(usize),
    /// The deletes and the new login of the page were not sent, because another page of the same run was not written. A slot that moves
    /// between pages would otherwise be on neither page. If the page had no room for its new slots, nothing was sent to it.
    #[error(
        "nothing was deleted or renamed on this page, because another page of the run was not written"
    )]
    Withheld,
    /// Two requests of a run are for the same page.
    #[error("duplicate page with ID {id}")]
    SamePage {
        /// ID of the page.
        id: ProfileId,
        /// Indices of the requests in the run.
        pages: [usize; 2],
    },
    /// Another run is in progress on the page, or the directory of journals cannot be used.
    #[error("{0}")]
    Lock(#[from] LockError),
    /// The journals of the page cannot be used.
    #[error("cannot use the run journals of the page: {0}")]
    Journals(#[source] io::Error),
    /// The journal of an unfinished run cannot be used.
    #[error("cannot use the journal {}: {why}", path.display())]
    BadJournal {
        /// The journal.
        path: PathBuf,
        /// The reason.
        #[source]
        why: JournalError,
    },
    /// A request failed.
    #[error("{source}")]
    Call {
        /// The step of the request.
        step: Step,
        /// Refused fields by the index of their item in the file, each with its path in the item and the messages of the service.
        items: Vec<ItemRefusal>,
        /// The failure. Its outcome says whether the step itself took place.
        source: Error,
    },
    /// Another client changed the page, and continuing could overwrite the change. Also the outcome of the request after which that was seen.
    #[error("the page was changed by another client: {}", .0.join("; "))]
    Changed(Vec<String>, Outcome),
    /// All was written, but the page does not match the file.
    #[error("the page differs from the file after everything was written")]
    Drift(Box<Plan>),
    /// The response of the service does not show what was executed.
    #[error("{0}")]
    Answer(String),
    /// The next step could not be recorded in the journal, so it was not executed.
    #[error("cannot write the journal")]
    Journal(#[source] io::Error),
}

/// Refusal of one item of the file by the service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemRefusal {
    /// The index of the item.
    pub index: usize,
    /// The path of keys in the item: `["data", "link"]`.
    pub path: Vec<String>,
    /// The service's messages.
    pub messages: Vec<String>,
}

impl ApplyError {
    pub(super) fn new(cause: ApplyCause, done: AppliedChanges, run: Option<String>) -> Self {
        Self(Box::new(ApplyFailure { cause, done, run, page: None, has_ended: false }))
    }

    /// Returns the reason why the run stopped.
    pub fn cause(&self) -> &ApplyCause {
        &self.0.cause
    }

    /// Returns the reason why the run stopped, by value.
    pub fn into_cause(self) -> ApplyCause {
        self.0.cause
    }

    /// Returns the changes that the run made before the error.
    pub fn done(&self) -> &AppliedChanges {
        &self.0.done
    }

    /// Returns the page with the changes of the run, as the service returned them, if the page was written.
    pub fn page(&self) -> Option<&PageSnapshot> {
        self.0.page.as_ref()
    }

    /// Returns whether everything was written, but a last read showed that the page differs or that another client changed it. The run
    /// cannot be continued; the same request starts another run.
    pub fn has_ended(&self) -> bool {
        self.0.has_ended
    }

    /// Returns the name of the run in the journals, if it was recorded.
    pub fn run(&self) -> Option<&str> {
        self.0.run.as_deref()
    }

    /// Returns whether the run has written anything before the error. Reads do not count.
    pub fn outcome(&self) -> Outcome {
        match self.0.cause.outcome() {
            Outcome::NotExecuted if !self.0.done.is_nothing() => Outcome::Executed,
            outcome => outcome,
        }
    }

    /// Returns whether a new run of the same request may succeed later without doing anything twice. The new run reads the page and does
    /// the rest. With a [journal](super::RunSettings::journal), it also finds out whether a request with an unknown outcome was executed,
    /// so it can be repeated as well. If another run has locked the page, or the server that keeps the locks cannot be reached, a new run
    /// may succeed later.
    pub fn is_safe_to_repeat(&self) -> bool {
        let kind = self.kind();
        let is_locked = matches!(self.0.cause, ApplyCause::Lock(_)) && kind == ErrorKind::Conflict;
        (self.outcome() != Outcome::Unknown || self.run().is_some())
            && (is_locked || kind.is_temporary())
    }
}

links_sdk::of_run!(ApplyError);

impl FailedRun for ApplyError {
    fn call(&self) -> Option<&Error> {
        self.0.cause.failed_call()
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn kind(&self) -> ErrorKind {
        match self.0.cause {
            ApplyCause::Lock(LockError::Io { .. }) => ErrorKind::Run,
            ApplyCause::Lock(LockError::Unreachable(_)) => ErrorKind::Network,
            ApplyCause::Changed(..) | ApplyCause::Lock(_) => ErrorKind::Conflict,
            _ => FailedRun::call(self).map_or(ErrorKind::Run, Error::kind),
        }
    }

    fn is_safe_to_repeat(&self) -> bool {
        self.is_safe_to_repeat()
    }
}

impl<C: Into<ApplyCause>> From<C> for ApplyError {
    /// Returns the error of a run that has done nothing.
    fn from(cause: C) -> Self {
        Self::new(cause.into(), AppliedChanges::default(), None)
    }
}

impl ApplyCause {
    /// Returns the cause for a batch whose request failed.
    pub(super) fn of_batch(batch: PlanBatch<'_>, source: Error) -> Self {
        Self::Call { step: batch.into(), items: refusals(batch, &source), source }
    }

    /// Returns the error of the call that failed.
    pub(super) fn failed_call(&self) -> Option<&Error> {
        match self {
            Self::Read(error) | Self::Call { source: error, .. } => Some(error),
            _ => None,
        }
    }

    /// Returns whether the step that failed was written.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Call { step: Step::Check | Step::Verify, .. } => Outcome::NotExecuted,
            Self::Call { step: Step::TryCreate(_), source, .. }
                if !source.is_dry_run_executed() =>
            {
                Outcome::NotExecuted
            }
            Self::Call { source, .. } => source.outcome(),
            Self::Changed(_, outcome) => *outcome,
            Self::Drift(_) | Self::Answer(_) => Outcome::Executed,
            _ => Outcome::NotExecuted,
        }
    }
}

/// Maps the refused fields of a batch, such as `slots.2.data.link`, to the items of the file that the slots were made from.
pub(super) fn refusals(batch: PlanBatch<'_>, error: &Error) -> Vec<ItemRefusal> {
    let refusal = |(path, messages): (&String, &Vec<String>)| {
        let (nth, below) = item_of(path)?;
        let path = below.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
        Some(ItemRefusal { index: batch.item(nth)?, path, messages: messages.clone() })
    };
    error.field_errors().iter().filter_map(refusal).collect()
}

#[cfg(test)]
mod tests {
    use links_sdk::testing::FailedCall;

    use super::*;

    #[test]
    fn a_run_that_met_another_one_can_be_repeated() {
        for lock in [LockError::Taken(None), LockError::Elsewhere, LockError::Lost] {
            let error = ApplyError::from(lock);
            assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
            assert!(error.is_safe_to_repeat(), "{error}");
        }
        let changed = ApplyError::from(ApplyCause::Changed(Vec::new(), Outcome::NotExecuted));
        assert_eq!(changed.kind(), ErrorKind::Conflict);
        assert!(!changed.is_safe_to_repeat());
    }

    #[test]
    fn an_unknown_outcome_can_be_repeated_only_with_a_journal() {
        let failed = |run: Option<&str>| {
            let source = FailedCall::new(ErrorKind::Network).outcome(Outcome::Unknown).into();
            let cause = ApplyCause::Call { step: Step::Delete(1), items: Vec::new(), source };
            ApplyError::new(cause, AppliedChanges::default(), run.map(str::to_owned))
        };
        assert_eq!(failed(None).outcome(), Outcome::Unknown);
        assert!(!failed(None).is_safe_to_repeat());
        assert!(failed(Some("a-run")).is_safe_to_repeat());
    }
}
