//! Error of a run over an account, or of one of its pages.

use std::collections::BTreeMap;

use super::FormPlanError;
use crate::apply::{ApplyError, GuardRefusal, PlanError};
use crate::sync::Conflict;
use links_sdk::runs::FailedRun;
use links_sdk::{Error, ErrorKind, FormId, Outcome, ProfileId};

/// Error of a run over an account. The run did not start, stopped before its first page was written, or failed on a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// A page cannot be read or locked.
    #[error("{0}")]
    Apply(#[from] ApplyError),
    /// A request about a form failed.
    #[error("form {name}: {source}")]
    Form {
        /// Name of the form.
        name: String,
        /// Forms that were written before it, by their names.
        done: BTreeMap<String, FormId>,
        /// The failure.
        #[source]
        source: Error,
    },
    /// The forms of the account cannot be read.
    #[error("{0}")]
    Forms(#[source] Error),
    /// It is unclear which form is meant.
    #[error("form {name}: {source}")]
    FormPlan {
        /// Name of the form.
        name: String,
        /// The reason.
        #[source]
        source: FormPlanError,
    },
    /// A page refers to a form that is neither in the desired account nor in the account itself.
    #[error("page {page}: form not found: {}", names.join(", "))]
    UnknownForm {
        /// Key of the page.
        page: String,
        /// Names of the forms.
        names: Vec<String>,
    },
    /// A key is neither an ID nor a login, or a page or a form is a duplicate.
    #[error("{0}")]
    Invalid(String),
    /// It is unclear which slots are meant, or no plan can be made.
    #[error("page {page}: {source}")]
    Sync {
        /// Key of the page.
        page: String,
        /// The reason.
        #[source]
        source: PlanError,
    },
    /// Changes in the desired account conflict with changes on the page or form.
    #[error("{what}: conflicting changes ({}); nothing was written", conflicts.len())]
    Conflicts {
        /// The page or form.
        what: String,
        /// The conflicts.
        conflicts: Vec<Conflict>,
    },
    /// A plan needs a confirmation that was not given.
    #[error("page {page}: {refusal}")]
    Guard {
        /// Key of the page.
        page: String,
        /// The refusal.
        #[source]
        refusal: GuardRefusal,
    },
    /// A page was created, and nothing else was written to it, because no plan could be made for it.
    #[error("created page {page}, but wrote nothing else to it: {source}")]
    Created {
        /// Key of the page.
        page: String,
        /// ID of the page.
        id: ProfileId,
        /// The reason.
        #[source]
        source: Box<AccountError>,
    },
    /// A form was written, or what an interrupted run had left was settled, before the run stopped.
    #[error("{}; a part of the changes was written before that", said_of(source))]
    Partial {
        /// The reason.
        #[source]
        source: Box<AccountError>,
    },
    /// The plan that would be carried out now differs from the plan that was passed.
    #[error("{what}: the changes differ from the plan; nothing was written")]
    PlanChanged {
        /// The page or form.
        what: String,
    },
    /// Creating pages and forms, or changing a login, was not allowed.
    #[error("{0}")]
    NotAllowed(String),
}

impl AccountError {
    /// Returns whether the run has written anything before the error. Reads do not count.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Apply(error) => error.outcome(),
            Self::Created { .. } | Self::Partial { .. } => Outcome::Executed,
            Self::Form { done, source, .. } => match source.outcome() {
                Outcome::NotExecuted if !done.is_empty() => Outcome::Executed,
                outcome => outcome,
            },
            _ => Outcome::NotExecuted,
        }
    }

    /// Returns whether a new run of the same request may succeed later without doing anything twice. The new run reads the pages and forms
    /// again and does the rest. For a page, it is what [`ApplyError::is_safe_to_repeat`] says.
    pub fn is_safe_to_repeat(&self) -> bool {
        match self {
            Self::Apply(error) => error.is_safe_to_repeat(),
            Self::Created { source, .. } | Self::Partial { source } => source.is_safe_to_repeat(),
            _ => self.outcome() != Outcome::Unknown && self.kind().is_temporary(),
        }
    }
}

/// Returns what an error says, without what it says of the whole run.
fn said_of(error: &AccountError) -> String {
    let said = error.to_string();
    said.strip_suffix("; nothing was written").unwrap_or(&said).to_owned()
}

links_sdk::of_run!(AccountError);

impl FailedRun for AccountError {
    fn call(&self) -> Option<&Error> {
        match self {
            Self::Apply(error) => error.call(),
            Self::Form { source, .. } | Self::Forms(source) => Some(source),
            Self::Created { source, .. } | Self::Partial { source } => source.call(),
            _ => None,
        }
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::Apply(error) => error.kind(),
            Self::Created { source, .. } | Self::Partial { source } => source.kind(),
            Self::Conflicts { .. } | Self::PlanChanged { .. } => ErrorKind::Conflict,
            _ => FailedRun::call(self).map_or(ErrorKind::Run, Error::kind),
        }
    }

    fn is_safe_to_repeat(&self) -> bool {
        self.is_safe_to_repeat()
    }
}

#[cfg(test)]
mod tests {
    use links_sdk::testing::FailedCall;

    use super::*;
    use crate::apply::LockError;

    #[test]
    fn a_run_can_be_repeated_after_what_passes_if_it_is_known_what_it_wrote() {
        let lost =
            |outcome| -> Error { FailedCall::new(ErrorKind::Network).outcome(outcome).into() };
        let form = |outcome| AccountError::Form {
            name: "two".to_owned(),
            done: [("one".to_owned(), FormId::from("id"))].into(),
            source: lost(outcome),
        };
        let errors = [
            (AccountError::Forms(lost(Outcome::NotExecuted)), Outcome::NotExecuted, true),
            (form(Outcome::NotExecuted), Outcome::Executed, true),
            (form(Outcome::Unknown), Outcome::Unknown, false),
            (ApplyError::from(LockError::Taken(None)).into(), Outcome::NotExecuted, true),
            (AccountError::NotAllowed("no".to_owned()), Outcome::NotExecuted, false),
        ];
        for (error, outcome, is_safe) in errors {
            assert_eq!((error.outcome(), error.is_safe_to_repeat()), (outcome, is_safe), "{error}");
            let kind = error.kind();
            let error = Error::from(error);
            assert_eq!((error.outcome(), error.kind()), (outcome, kind), "{error}");
            assert_eq!(error.is_safe_to_repeat(), is_safe, "{error}");
        }
    }
}
