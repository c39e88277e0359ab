//! A bulk change as a run over pages: plans, checks, confirms and reports progress. The SDK keeps the order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use links_sdk::apply::{
    AccountDelegate, AppliedChanges, ApplyCause, ApplyError, Confirmation, DesiredPage,
    DesiredSlot, ItemRefusal, JournalEntries, JournalStore, MergedItems, PageSnapshot,
    PageToConfirm, Plan, PlanError, PlanOptions, Proposal, RecordedRun, Step,
};
use links_sdk::{Client, Object, Outcome};

use super::report;
use super::{AskedPage, BulkRequest, PageEdit};
use crate::apply::execute::{failed, interrupted, step_message};
use crate::apply::preflight::require_write_access;
use crate::apply::report::written;
use crate::apply::run_progress::RunProgress;
use crate::apply::{problems, refused_items, runs};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal;
use crate::output::{Style, StyledLine};
use crate::schema::slot_types::SlotTypeCatalog;

/// Hint after an interrupted or failed run.
pub(super) const RESUME: &str =
    "run the same command again: it continues from the current state of the pages";

/// Delegate of a bulk change.
pub(super) struct BulkSession<'c> {
    pub(super) context: &'c mut Context,
    pub(super) client: Client,
    types: SlotTypeCatalog,
    pub(super) edit: &'c dyn PageEdit,
    yes: bool,
    /// Words of the command line, by which an interrupted run is found.
    words: Vec<String>,
    pub(super) pages: Vec<BulkPage>,
    pub(super) running: Rc<RunProgress>,
}

/// A page of a bulk change.
#[derive(Default)]
pub(super) struct BulkPage {
    pub(super) asked: Option<AskedPage>,
    pub(super) page: Option<Arc<PageSnapshot>>,
    pub(super) proposal: Option<Proposal>,
    done: AppliedChanges,
}

impl BulkPage {
    fn login(&self) -> Option<&str> {
        self.page.as_ref().map(|page| page.login.as_str())
    }

    /// Returns the plan, if it changes the page.
    pub(super) fn plan(&self) -> Option<&Plan> {
        self.proposal.as_ref().map(|proposal| &*proposal.plan).filter(|plan| !plan.is_empty())
    }
}

/// Reason why a page, or the whole run, failed.
pub(super) enum BulkFailure {
    Here(CommandError),
    Run(ApplyError),
}

impl From<CommandError> for BulkFailure {
    fn from(failure: CommandError) -> Self {
        Self::Here(failure)
    }
}

impl From<ApplyError> for BulkFailure {
    fn from(error: ApplyError) -> Self {
        Self::Run(error)
    }
}

impl BulkFailure {
    /// Returns the error to report. `page` is the page that failed.
    pub(super) fn into_error(self, edit: &dyn PageEdit, page: Option<&BulkPage>) -> CommandError {
        let error = match self {
            Self::Here(failure) => return failure,
            Self::Run(error) => error,
        };
        let refused = refused_items(&error);
        let asked = page.and_then(|page| page.asked.as_ref());
        let login = page.and_then(BulkPage::login);
        if let ApplyCause::SamePage(id) = error.cause() {
            let message = format!("the page {id} is named twice; nothing was written");
            return CommandError::usage(message).with_hint("name each page once");
        }
        let failure = failed(error, None, RESUME);
        match (asked, login) {
            (Some(asked), Some(login)) if !refused.is_empty() => {
                let lines = refusal_lines(edit, login, &asked.items, &refused);
                failure.about(&lines.join("; "))
            }
            (_, Some(login)) => failure.about(login),
            _ => failure,
        }
    }

    /// Returns whether Ctrl-C ended the run.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self, Self::Run(error) if matches!(error.cause(), ApplyCause::Stopped))
    }

    /// Returns whether the page was, or may have been, written.
    pub(super) fn has_written(&self) -> bool {
        matches!(self, Self::Run(error) if error.outcome() != Outcome::NotExecuted)
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

impl<'c> BulkSession<'c> {
    pub(super) fn new(
        context: &'c mut Context,
        client: Client,
        types: SlotTypeCatalog,
        edit: &'c dyn PageEdit,
        request: &BulkRequest,
    ) -> Self {
        let words = journal::command(context, edit.command()).words;
        let pages = request.pages.iter().map(|_| BulkPage::default()).collect();
        let (yes, running) = (request.yes, Rc::default());
        Self { context, client, types, edit, yes, words, pages, running }
    }

    /// Returns an unfinished run of this command line on a page.
    fn unfinished(&self, page: i64) -> Option<JournalEntries> {
        let (state, service) = (runs::directory(self.context).ok()?, runs::service(self.context)?);
        let recorded = JournalStore::of(&state, &service, page).list().ok()?;
        let newest = recorded.into_iter().next_back().filter(RecordedRun::is_open)?;
        let log = newest.log.ok()?;
        let command = log.opening().command.as_ref()?;
        let is_same = command.name == self.edit.command() && command.words == self.words;
        is_same.then_some(log)
    }

    /// Returns the error of a run that was stopped by Ctrl-C, with what it has written.
    pub(super) fn interrupted(&self, more: &str) -> CommandError {
        let pages = self.pages.iter().filter(|page| !page.done.is_nothing());
        let parts: Vec<String> = pages
            .map(|page| format!("{}: {}", page.login().unwrap_or_default(), written(&page.done)))
            .collect();
        if parts.is_empty() {
            return interrupted(&AppliedChanges::default(), more, RESUME);
        }
        let message = format!("stopped by Ctrl-C: {}{more}", parts.join("; "));
        CommandError::new(Exit::Interrupted, message).with_hint(RESUME)
    }

    fn confirmed(&self) -> Result<bool, CommandError> {
        for line in report::plan_lines(self) {
            self.context.ui.say(&line);
        }
        if self.yes {
            return Ok(false);
        }
        let changed: Vec<&Plan> = self.pages.iter().filter_map(BulkPage::plan).collect();
        let slots = changed.iter().map(|plan| plan.updates.len() + plan.creates.len()).sum();
        let question = self.edit.question(slots, changed.len());
        match self.context.ui.ask(&question) {
            Some(true) => Ok(true),
            Some(false) => {
                Err(CommandError::new(Exit::Refused, "not confirmed; nothing was written"))
            }
            None => {
                let message =
                    "the changes need confirmation, but there is no terminal; nothing was written";
                Err(CommandError::new(Exit::Refused, message).with_hint("pass --yes"))
            }
        }
    }
}

impl AccountDelegate for BulkSession<'_> {
    type Error = BulkFailure;

    async fn resolve(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, BulkFailure> {
        let interrupted = self.unfinished(page.id);
        let asked = self.edit.ask(page, &self.types, interrupted.as_ref())?;
        let items = asked.items.clone();
        self.pages[nth].asked = Some(asked);
        Ok(items)
    }

    async fn plan(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, i64>,
        _: bool,
    ) -> Result<Proposal, BulkFailure> {
        let Some(asked) = &self.pages[nth].asked else {
            return Err(CommandError::internal("a page is planned before it is read").into());
        };
        let (desired, merged) = desired(asked, page, created);
        let options = PlanOptions {
            types: self.types.rules(),
            created: created.clone(),
            merged: Some(merged),
            ..PlanOptions::default()
        };
        let name = |index| self.edit.item_name(&page.login, &asked.items, index);
        let plan = Plan::of_page(page, &desired, &options)
            .map_err(|error| unplannable(&page.login, &error, name))?;
        let mut found = Vec::new();
        for (index, faults) in problems::violations(&plan, &page.slots, &self.types) {
            for fault in faults {
                let path = fault.path.join(".");
                let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
                let help = fault.help.map(|help| format!(" ({help})")).unwrap_or_default();
                found.push(format!("{}: {place}{}{help}", name(index), fault.message));
            }
        }
        if !found.is_empty() {
            return Err(invalid(found).into());
        }
        let (file, desired) = (asked.items.clone(), Arc::new(desired));
        let proposal = Proposal { file, desired, options, plan: Arc::new(plan) };
        let state = &mut self.pages[nth];
        (state.page, state.proposal) = (Some(page.clone()), Some(proposal.clone()));
        Ok(proposal)
    }

    async fn confirm(&mut self, pages: &[PageToConfirm]) -> Result<Vec<Confirmation>, BulkFailure> {
        if self.context.ui.is_interactive() && !self.yes {
            // A read-only token is refused before the question.
            require_write_access(&self.client).await?;
        }
        let was_asked = self.confirmed()?;
        let confirmed = pages.iter().map(|page| match &self.pages[page.nth].proposal {
            Some(proposal) if was_asked => Confirmation::Later(Box::new(proposal.clone())),
            _ => Confirmation::AsPlanned,
        });
        Ok(confirmed.collect())
    }

    fn refuse(&mut self, failures: Vec<(usize, BulkFailure)>) -> BulkFailure {
        let count = failures.len();
        let failures = failures
            .into_iter()
            .map(|(nth, failure)| failure.into_error(self.edit, self.pages.get(nth)));
        let message = format!("{count} pages cannot be planned; nothing was written");
        CommandError::of_several(failures.collect(), &message).into()
    }

    fn interrupted(&mut self, _: usize, log: &JournalEntries, is_resumed: bool) {
        let (time, done) = (runs::time(log.opening().time), written(log.done()));
        let what = if is_resumed { "continues" } else { "was for other content and is given up" };
        let login = &log.opening().login;
        let text = format!("{login}: the interrupted run of {time} {what} ({done} so far)");
        self.context.ui.say(&StyledLine::new(Style::Faint, text));
    }

    fn step(&mut self, nth: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.pages[nth].done = done.clone();
        let plans = self.pages.iter().filter_map(BulkPage::plan);
        let steps = plans.map(|plan| plan.request_count() - 1).sum();
        let login = self.pages[nth].login().unwrap_or_default();
        let message = format!("{login}: {}", step_message(step));
        self.running.step(&self.context.ui, steps, &message)
    }

    fn not_recorded(&mut self, nth: usize, error: &std::io::Error) {
        let login = self.pages[nth].login().unwrap_or_default();
        let text = format!(
            "{login}: the journal is incomplete: {error}; check the page for what was changed"
        );
        self.context.ui.say(&StyledLine::new(Style::Changed, text));
    }
}

/// Returns the whole page as it should be: the items with their values, everything else as it is.
fn desired(
    asked: &AskedPage,
    page: &PageSnapshot,
    created: &BTreeMap<usize, i64>,
) -> (DesiredPage, MergedItems) {
    let items = &asked.items.slots;
    let changed: BTreeMap<i64, usize> =
        items.iter().enumerate().filter_map(|(index, item)| Some((item.id?, index))).collect();
    let made: BTreeSet<i64> = created.values().copied().collect();
    let untouched = |(position, slot): (usize, &links_sdk::Slot)| match changed.get(&slot.id) {
        Some(index) => (*index, items[*index].clone()),
        None => {
            let (id, kind) = (Some(slot.id), slot.kind.clone());
            (items.len() + position, DesiredSlot { id, kind, data: Object::default() })
        }
    };
    let there = page.slots.iter().enumerate().filter(|(_, slot)| !made.contains(&slot.id));
    let there = there.map(untouched);
    let is_there = |id: &i64| page.slots.iter().any(|slot| slot.id == *id);
    let new =
        items.iter().enumerate().filter(|(_, item)| item.id.is_none()).map(|(index, item)| {
            let id = created.get(&index).copied().filter(is_there);
            // A slot that an interrupted run created has its values.
            let data = if id.is_some() { Object::default() } else { item.data.clone() };
            (index, DesiredSlot { id, data, ..item.clone() })
        });
    let (items, slots): (Vec<usize>, Vec<DesiredSlot>) =
        if asked.at_top { new.chain(there).unzip() } else { there.chain(new).unzip() };
    let merged = MergedItems { items, deleted: BTreeSet::new(), run: None };
    (slots.into(), merged)
}

fn unplannable(login: &str, error: &PlanError, name: impl Fn(usize) -> String) -> CommandError {
    match error {
        PlanError::Items(items) => {
            let line = |item: &links_sdk::apply::ItemError| {
                format!("{}: {}", name(item.index), item.problem)
            };
            invalid(items.iter().map(line).collect())
        }
        other => CommandError::new(Exit::Refused, format!("{login}: {other}; nothing was written")),
    }
}

/// Returns the error for items that cannot be written, one a line.
pub(crate) fn invalid(lines: Vec<String>) -> CommandError {
    let failure = |line: String| CommandError::new(Exit::Invalid, line);
    let message = format!("{} problems; nothing was written", lines.len());
    match <[String; 1]>::try_from(lines) {
        Ok([line]) => failure(format!("{line}; nothing was written")),
        Err(lines) => CommandError::of_several(lines.into_iter().map(failure).collect(), &message),
    }
}
