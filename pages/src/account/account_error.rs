//! Error of a run over an account, or of one of its pages.

use super::FormPlanError;
use crate::apply::PlanError;
use crate::apply::{ApplyError, GuardRefusal};
use crate::sync::Conflict;
use links_sdk::Error;
use links_sdk::ProfileId;

/// Error of a run over an account. The run did not start, stopped before its first page was written, or failed on a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// A page cannot be read or locked.
    #[error("{0}")]
    Apply(#[from] ApplyError),
    /// A request about forms failed. The forms before it may have been written.
    #[error("form {name}: {source}")]
    Form {
        /// Name of the form.
        name: String,
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
