//! Pages of a bulk change, what is asked of them, and the errors of those that failed.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use links_pages::apply::{
    AppliedChanges, ApplyCause, DesiredPage, ItemRefusal, JournalEntries, PageSnapshot, Plan,
    Proposal,
};
use links_sdk::{Client, Object, SlotId};

use crate::apply::execute::{PLAN_AGAIN, RESUME, RunFailure, failed, interrupted, written};
use crate::error::{CommandError, Exit};
use crate::output::StyledLine;
use crate::schema::slot_types::SlotTypeCatalog;

/// Maximum number of problems of a page or a file that are listed.
const LISTED: usize = 20;

/// Hint after a change by another client that ended the run.
const WRITTEN: &str = "everything is written: `links slots list` shows the page; the run has ended, and the same command would be a new one";

/// Hint after a change by another client before everything was written.
const UNFINISHED: &str = "`links slots list` shows the page; the same command continues the run";

/// Decision what a page should have.
pub(crate) trait PageEdit {
    /// Name of the command, for the journal and for messages: `slots rewrite`.
    fn command(&self) -> &'static str;

    /// Digest of what is asked for, by which an interrupted run is found that has to be continued as it was planned.
    fn digest(&self) -> Option<String> {
        None
    }

    /// Returns what is asked of a page. `interrupted` are the unfinished run on that page with the same digest and those that it has replaced,
    /// the newest first.
    fn ask(
        &self,
        page: &PageSnapshot,
        types: &SlotTypeCatalog,
        interrupted: &[JournalEntries],
    ) -> Result<AskedPage, CommandError>;

    /// Returns the name of an item in messages: a slot of a page, or a line of a file.
    fn item_name(&self, login: &str, asked: &DesiredPage, index: usize) -> String;

    /// Question before the run. `slots` is the number of slots that it changes or creates, `pages` that of their pages.
    fn question(&self, slots: usize, pages: usize) -> String;
}

/// What is asked of a page.
pub(crate) struct AskedPage {
    /// The slots to write: an item with an id is changed, one without is new. A run that was interrupted is recognised by it.
    pub(crate) items: Arc<DesiredPage>,
    /// Values to write to a slot instead of those of its item; none where it is left as it is.
    pub(crate) instead: BTreeMap<SlotId, Object>,
    /// True if new slots come before the others.
    pub(crate) at_top: bool,
    /// Notes for the user.
    pub(crate) notes: Vec<StyledLine>,
}

// How a bulk change is confirmed and shown. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BulkArgs {
    /// Confirm the changes without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Wait for other runs on the same pages instead of refusing
    #[arg(long, hide_short_help = true)]
    pub(crate) wait: bool,
    /// Show every line of a large plan
    #[arg(long, hide_short_help = true)]
    pub(crate) full: bool,
}

/// Pages of a bulk change.
pub(super) struct BulkState<'e> {
    pub(super) client: Client,
    pub(super) edit: &'e dyn PageEdit,
    /// True if a large plan is shown with all its lines.
    pub(super) is_full: bool,
    pub(super) pages: Vec<BulkPage>,
}

/// A page of a bulk change.
#[derive(Default)]
pub(super) struct BulkPage {
    pub(super) asked: Option<AskedPage>,
    pub(super) page: Option<Arc<PageSnapshot>>,
    pub(super) proposal: Option<Proposal>,
    pub(super) done: AppliedChanges,
}

impl BulkPage {
    pub(super) fn login(&self) -> Option<&str> {
        self.page.as_ref().map(|page| page.login.as_str())
    }

    /// Returns the plan, if it changes the page.
    pub(super) fn plan(&self) -> Option<&Plan> {
        self.proposal.as_ref().map(|proposal| &*proposal.plan).filter(|plan| !plan.is_empty())
    }
}

/// Returns the error of a run to report. `page` is the page that failed.
pub(super) fn run_error(
    failure: RunFailure,
    edit: &dyn PageEdit,
    page: Option<&BulkPage>,
) -> CommandError {
    let refused = failure.refused_items();
    let error = match failure {
        RunFailure::Here(failure) => return failure,
        RunFailure::Run(error) => error,
    };
    let asked = page.and_then(|page| page.asked.as_ref());
    let login = page.and_then(BulkPage::login);
    if let ApplyCause::SamePage { id, .. } = error.cause() {
        let message = format!("the page {id} is named twice; nothing was written");
        return CommandError::usage(message).with_hint("name each page once");
    }
    let hint = if error.has_ended() { WRITTEN } else { UNFINISHED };
    let failure = match error.cause() {
        ApplyCause::Drift(left) => {
            let message =
                format!("{}, but the page differs from the plan: {left}", written(error.done()));
            CommandError::new(Exit::Drift, message)
                .with_hint("everything was sent; `links slots list` shows what the service stored")
        }
        _ => failed(error, None, RESUME),
    };
    let failure = match failure.exit() {
        Exit::Drift if failure.hint() == Some(PLAN_AGAIN) => failure.with_hint(hint),
        _ => failure,
    };
    match (asked, login) {
        (Some(asked), Some(login)) if !refused.is_empty() => {
            let lines = refusal_lines(edit, login, &asked.items, &refused);
            failure.about(&lines.join("; "))
        }
        (_, Some(login)) => failure.about(login),
        _ => failure,
    }
}

/// Returns the refusals of the service: `slot 1002: data.link: must be a URL`.
pub(super) fn refusal_lines(
    edit: &dyn PageEdit,
    login: &str,
    asked: &DesiredPage,
    refused: &[ItemRefusal],
) -> Vec<String> {
    let line = |item: &ItemRefusal| {
        let name = edit.item_name(login, asked, item.index);
        format!("{name}: {}: {}", item.path.join("."), item.messages.join(" "))
    };
    refused.iter().map(line).collect()
}

impl BulkState<'_> {
    /// Returns the error of a run that was stopped by Ctrl-C, with what it has written, and the errors of the pages that had failed.
    pub(super) fn interrupted(&self, more: &str, failures: Vec<CommandError>) -> CommandError {
        let pages = self.pages.iter().filter(|page| !page.done.is_nothing());
        let parts: Vec<String> = pages
            .map(|page| format!("{}: {}", page.login().unwrap_or_default(), written(&page.done)))
            .collect();
        interrupted(&parts, more, RESUME).with_failures(failures)
    }
}

/// Returns the error for items that cannot be written, one a line.
pub(crate) fn invalid(mut lines: Vec<String>) -> CommandError {
    let failure = |line: String| CommandError::invalid(line);
    let listed = match lines.len() {
        count @ ..=LISTED => format!("{count} problems"),
        count => format!("{count} problems, of which the first {LISTED} are listed"),
    };
    let message = format!("{listed}; nothing was written");
    lines.truncate(LISTED);
    match <[String; 1]>::try_from(lines) {
        Ok([line]) => failure(format!("{line}; nothing was written")),
        Err(lines) => CommandError::of_several(lines.into_iter().map(failure).collect(), &message),
    }
}
