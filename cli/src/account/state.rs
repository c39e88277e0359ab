//! Pages and forms of a run over the files of an account.

use std::collections::BTreeMap;
use std::path::PathBuf;

use links_sdk::apply::{AppliedChanges, ApplyCause, ApplyError};
use links_sdk::{Client, Outcome};

use super::forms::PlannedForm;
use crate::apply::execute::failed;
use crate::apply::planned::{PlanInputs, PlannedPage};
use crate::apply::refused_items;
use crate::apply::report::written;
use crate::apply::sync::SyncRecord;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::page_file::PageFile;

/// Hint for a run that did not reach its end.
pub(super) const RESUME: &str =
    "run the same command again: it continues from the current state of the pages";

/// A page of the run.
pub(super) struct PageState {
    pub(super) path: PathBuf,
    /// The file, until it is read together with its page.
    pub(super) file: Option<PageFile>,
    pub(super) record: Option<Box<SyncRecord>>,
    pub(super) inputs: Option<PlanInputs>,
    /// Latest plan.
    pub(super) planned: Option<PlannedPage>,
    /// True if the page did not exist when the run began.
    pub(super) is_new: bool,
    /// Changes that the run has made.
    pub(super) done: AppliedChanges,
}

/// Reason why a run did not begin, or a page failed.
pub(super) enum AccountFailure {
    Here(CommandError),
    Run(ApplyError),
}

impl From<CommandError> for AccountFailure {
    fn from(failure: CommandError) -> Self {
        Self::Here(failure)
    }
}

impl From<ApplyError> for AccountFailure {
    fn from(error: ApplyError) -> Self {
        Self::Run(error)
    }
}

impl From<AccountFailure> for CommandError {
    fn from(failure: AccountFailure) -> Self {
        match failure {
            AccountFailure::Here(failure) => failure,
            AccountFailure::Run(error) => failed(error, None, RESUME),
        }
    }
}

impl AccountFailure {
    /// Returns the error of a page in the words of its file.
    pub(super) fn into_error(
        self,
        context: &Context,
        state: &AccountState,
        nth: usize,
    ) -> CommandError {
        let failure = match self {
            Self::Here(failure) => failure,
            Self::Run(error) => state.failure(context, nth, error),
        };
        // The places in a file name the file.
        match &state.pages[..] {
            [_] => failure,
            _ if failure.is_of_file() => failure,
            pages => match &pages[nth].planned {
                Some(planned) => failure.about(&planned.page.login),
                None => failure.about(&pages[nth].path.display().to_string()),
            },
        }
    }

    /// Returns whether Ctrl-C ended the run.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self, Self::Run(error) if matches!(error.cause(), ApplyCause::Stopped))
    }

    /// Returns whether the page was, or may have been, written.
    pub(super) fn has_written(&self) -> bool {
        match self {
            // A page that was created could not be planned.
            Self::Here(_) => true,
            Self::Run(error) => error.outcome() != Outcome::NotExecuted,
        }
    }
}

/// Pages and forms of a run.
pub(super) struct AccountState {
    pub(super) client: Client,
    pub(super) pages: Vec<PageState>,
    pub(super) forms: Vec<PlannedForm>,
    /// Ids of the forms that the run has written, by name.
    pub(super) written_forms: BTreeMap<String, String>,
    /// True if the plan was shown.
    pub(super) is_shown: bool,
}

impl AccountState {
    /// Returns the plans of the pages.
    pub(super) fn planned(&self) -> impl Iterator<Item = &PlannedPage> {
        self.pages.iter().filter_map(|page| page.planned.as_ref())
    }

    /// Returns the error of a run that was stopped by Ctrl-C, with what it has written.
    pub(super) fn interrupted(&self, more: &str) -> CommandError {
        let login = |page: &PageState| page.planned.as_ref().map(|it| it.page.login.clone());
        let pages = self.pages.iter().filter(|page| !page.done.is_nothing());
        let mut parts: Vec<String> = pages
            .map(|page| format!("{}: {}", login(page).unwrap_or_default(), written(&page.done)))
            .collect();
        parts.extend(self.written_forms.keys().map(|name| format!("form {name} written")));
        let so_far =
            if parts.is_empty() { "nothing was written".to_owned() } else { parts.join("; ") };
        CommandError::new(Exit::Interrupted, format!("stopped by Ctrl-C: {so_far}{more}"))
            .with_hint(RESUME)
    }

    /// Returns the error of a page in the words of its file.
    pub(super) fn failure(&self, context: &Context, nth: usize, error: ApplyError) -> CommandError {
        let refused = refused_items(&error);
        let failure = failed(error, self.pages[nth].planned.as_ref(), RESUME);
        if failure.is_validation() {
            context.forget_slot_types();
            if let Some(planned) = &self.pages[nth].planned {
                planned.forget_images(context, &refused);
            }
        }
        failure
    }
}
