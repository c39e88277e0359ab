//! Pages and forms of a run over the files of an account.

use links_pages::apply::{Applied, AppliedChanges, ApplyCause, ApplyError, OpenPage};

use super::absent_files::AbsentFile;
use super::files::both_files_of;
use super::forms::PlannedForm;
use crate::apply::apply_args::RunOptions;
use crate::apply::execute::{RESUME, RunFailure, failed, interrupted, written};
use crate::apply::planned::PlannedPage;
use crate::apply::sync::WrittenLocks;
use crate::context::prelude::*;

/// A page of the run.
#[derive(Default)]
pub(super) struct PageState {
    pub(super) path: PathBuf,
    /// Latest plan.
    pub(super) planned: Option<PlannedPage>,
    /// True if the page did not exist when the run began.
    pub(super) is_new: bool,
    /// Login of the page that may have been meant by that of a page that would be created.
    pub(super) meant: Option<String>,
    /// Changes that the run has made.
    pub(super) done: AppliedChanges,
    /// Why it cannot be recorded that the page matches its file.
    pub(super) not_recorded: Option<CommandError>,
    /// Why a run leaves out a page that the lock has a record of: it is not there any more, or was renamed.
    pub(super) left_out: Option<String>,
}

/// Pages and forms of a run.
pub(super) struct AccountState {
    pub(super) client: Client,
    pub(super) options: RunOptions,
    pub(super) pages: Vec<PageState>,
    pub(super) forms: Vec<PlannedForm>,
    /// Files that a lock has a record of, and that are not there any more.
    pub(super) absent: Vec<AbsentFile>,
    /// Files that are neither pages nor forms.
    pub(super) skipped: Vec<PathBuf>,
    /// Ids of the forms that the run has written, by name.
    pub(super) written_forms: BTreeMap<String, String>,
    /// Why files, forms and pages cannot be planned.
    pub(super) failures: Vec<CommandError>,
    /// True if an edit is made, and no file is applied: every change needs confirmation, not only deletes.
    pub(super) is_edit: bool,
    /// True if every change is asked about on a terminal: files are applied, of which no plan was confirmed before.
    pub(super) asks_first: bool,
    /// True if the plan was shown.
    pub(super) is_shown: bool,
}

impl PageState {
    /// Records that the page matches its file. `applied` is the page after the run.
    pub(super) fn record(&mut self, context: &Context, Applied { page, done, .. }: &Applied) {
        let Some(planned) = &self.planned else { return };
        let Some(record) = &planned.record else { return };
        let (PlannedPage { file, merged, .. }, options) = (planned, &planned.proposal.options);
        let mut created = options.created.clone();
        created.extend(&done.created);
        let recorded = match merged {
            Some(merged) => record.store(context, file, merged, page, &created, options),
            None => record.rebuild(context, file, page, options.types.clone()),
        };
        self.not_recorded = recorded.err();
    }

    /// Records what a run has written before it ended. `page` is the page as the run knows it.
    pub(super) fn record_sent(&mut self, context: &Context, page: &PageSnapshot) -> Result<()> {
        match &mut self.planned {
            Some(PlannedPage {
                file,
                record: Some(record),
                merged: Some(merged),
                proposal,
                ..
            }) => record.store_sent(context, file, merged, page, &proposal.options),
            _ => Ok(()),
        }
    }
}

impl AccountState {
    /// Returns how a run that did not reach its end is continued.
    pub(super) fn resume(&self, is_planned: bool) -> &'static str {
        match &self.options.path {
            Some(_) if is_planned => {
                "run `links slots apply --resume` to continue from the current state of the page"
            }
            _ => RESUME,
        }
    }

    /// Returns the beginning of a message about one of several pages: its name. A page alone needs none.
    pub(super) fn named(&self, name: &str) -> String {
        if self.pages.len() == 1 { String::new() } else { format!("{name}: ") }
    }

    /// Returns the plans of the pages.
    pub(super) fn planned(&self) -> impl Iterator<Item = &PlannedPage> {
        self.pages.iter().filter_map(|page| page.planned.as_ref())
    }

    /// Returns the plans of those pages that no earlier run has confirmed.
    pub(super) fn unconfirmed(&self, pages: &[OpenPage]) -> impl Iterator<Item = &PlannedPage> {
        let new = pages.iter().filter(|page| !page.is_confirmed());
        new.filter_map(|page| self.pages[page.nth()].planned.as_ref())
    }

    /// Returns whether nothing can be shown but why.
    pub(super) fn is_unplanned(&self) -> bool {
        self.forms.is_empty() && self.planned().next().is_none() && !self.failures.is_empty()
    }

    /// Returns the files that are not there any more, apart from those that were moved.
    pub(super) fn absent(&self) -> impl Iterator<Item = &AbsentFile> {
        self.absent.iter().filter(|absent| self.planned().all(|it| it.page.id != absent.id))
    }

    /// Returns the forms that would be written.
    pub(super) fn changed_forms(&self) -> impl Iterator<Item = &PlannedForm> {
        self.forms.iter().filter(|form| !form.plan.is_empty())
    }

    /// Returns whether a form would be written.
    pub(super) fn has_form_changes(&self) -> bool {
        self.changed_forms().next().is_some()
    }

    /// Returns whether a page or a form would be written.
    pub(super) fn has_changes(&self) -> bool {
        self.planned().any(|planned| !planned.plan().is_empty())
            || self.pages.iter().any(|page| page.is_new)
            || self.has_form_changes()
    }

    /// Returns the locks that govern the files, which belong to the user of the requests.
    pub(super) fn locks(&self) -> WrittenLocks {
        let mut locks = WrittenLocks::default();
        for planned in self.planned() {
            locks.add_page(planned.record.as_deref(), &planned.page);
        }
        for form in &self.forms {
            if let Some(lock) = form.lock() {
                locks.add_form(lock, form.plan.id.as_deref());
            }
        }
        locks
    }

    /// Returns the error of a run that was stopped by Ctrl-C, with what it has written, and the errors of the pages that had failed.
    pub(super) fn interrupted(&self, more: &str, failures: Vec<CommandError>) -> CommandError {
        let words = |page: &PageState| {
            let login = page.planned.as_ref().map_or("", |it| it.page.login.as_str());
            let name = if self.options.is_one_page { String::new() } else { format!("{login}: ") };
            format!("{name}{}", written(&page.done))
        };
        let pages = self.pages.iter().filter(|page| !page.done.is_nothing());
        let mut parts: Vec<String> = pages.map(words).collect();
        parts.extend(self.written_forms.keys().map(|name| format!("wrote form {name}")));
        interrupted(&parts, more, self.resume(true)).with_failures(failures)
    }

    /// Returns the error of a run that did not begin.
    pub(super) fn not_run(&self, error: ApplyError) -> CommandError {
        if let ApplyCause::SamePage { id, pages: [one, other] } = error.cause() {
            if self.is_edit {
                let message = format!("page {id} was passed twice; nothing was written");
                return CommandError::usage(message).with_hint("pass each page once");
            }
            let (one, other) = (&self.pages[*one].path, &self.pages[*other].path);
            return both_files_of(&format!("the page with the ID {id}"), one, other);
        }
        failed(error, None, self.resume(false))
    }

    /// Returns the error of a page in the words of its file.
    pub(super) fn page_error(
        &self,
        context: &Context,
        nth: usize,
        failure: RunFailure,
    ) -> CommandError {
        let page = &self.pages[nth];
        let is_of_run = matches!(failure, RunFailure::Run(_));
        let refused = failure.refused_items();
        let planned = page.planned.as_ref();
        let error = failure.into_error(planned, self.resume(planned.is_some()));
        // A page that was created could not be planned.
        let is_left = !is_of_run && !page.done.is_nothing();
        let error = if is_left { error.partial(&written(&page.done)) } else { error };
        if is_of_run && error.is_validation() {
            context.forget_slot_types();
            if let Some(planned) = planned {
                planned.forget_images(context, &refused);
            }
        }
        // The places in a file name the file, and what concerns all pages is not about one.
        if self.pages.len() == 1 || error.is_of_file() || error.exit().is_general() {
            return error;
        }
        match planned.filter(|_| self.is_shown) {
            Some(planned) => error.about(&planned.page.login),
            // Until the plans of all pages are made, their files are what the user has to look at.
            None => error.about(&page.path.display().to_string()),
        }
    }
}
