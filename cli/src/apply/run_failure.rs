//! Reason why a run ended before its pages match.

use links_pages::apply::{AppliedChanges, ApplyCause, ApplyError, ItemRefusal};
use links_sdk::Outcome;

use super::execute::failed;
use super::planned::PlannedPage;
use crate::error::CommandError;

/// Reason why a run, or one page of it, failed.
pub(crate) enum RunFailure {
    /// Error of this program's own steps: planning, or a confirmation that was not given.
    Here(CommandError),
    /// Error of the run of the SDK.
    Run(ApplyError),
}

impl From<CommandError> for RunFailure {
    fn from(failure: CommandError) -> Self {
        Self::Here(failure)
    }
}

impl From<ApplyError> for RunFailure {
    fn from(error: ApplyError) -> Self {
        Self::Run(error)
    }
}

impl RunFailure {
    /// Returns the error to report. `planned` is the plan, if there is one.
    pub(crate) fn into_error(self, planned: Option<&PlannedPage>, resume: &str) -> CommandError {
        match self {
            Self::Here(failure) => failure,
            Self::Run(error) => failed(error, planned, resume),
        }
    }

    /// Returns what the service refused of the items of a file.
    pub(crate) fn refused_items(&self) -> Vec<ItemRefusal> {
        match self.cause() {
            Some(ApplyCause::Call { items, .. }) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns what the run has written, and its name in the journals.
    pub(crate) fn so_far(&self) -> (AppliedChanges, Option<String>) {
        match self {
            Self::Here(_) => (AppliedChanges::default(), None),
            Self::Run(error) => (error.done().clone(), error.run().map(str::to_owned)),
        }
    }

    /// Returns whether everything was written, and the run is not continued.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self, Self::Run(error) if error.has_ended())
    }

    /// Returns whether Ctrl-C ended the run.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.cause(), Some(ApplyCause::Stopped))
    }

    /// Returns whether a page that was planned and confirmed was, or may have been, written.
    pub(crate) fn has_written(&self) -> bool {
        match self {
            // A page that was created could not be planned.
            Self::Here(_) => true,
            Self::Run(error) => error.outcome() != Outcome::NotExecuted,
        }
    }

    fn cause(&self) -> Option<&ApplyCause> {
        match self {
            Self::Here(_) => None,
            Self::Run(error) => Some(error.cause()),
        }
    }
}
