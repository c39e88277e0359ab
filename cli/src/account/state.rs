//! Pages and forms of a run over the files of an account.

use std::collections::BTreeMap;
use std::path::PathBuf;

use links_sdk::Client;
use links_sdk::apply::{AppliedChanges, ApplyError};

use super::forms::PlannedForm;
use crate::apply::execute::failed;
use crate::apply::planned::{PlanInputs, PlannedPage};
use crate::apply::refused_items;
use crate::apply::sync::SyncRecord;
use crate::context::Context;
use crate::error::CommandError;
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
