//! A bulk change as a run over pages: plans, checks, confirms and reports progress. The SDK keeps the order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use links_sdk::apply::{
    AccountDelegate, AppliedChanges, Confirmation, DesiredPage, DesiredSlot, JournalEntries,
    JournalStore, MergedItems, PageSnapshot, PageToConfirm, Plan, PlanError, PlanOptions, Proposal,
    RunEnding, RunState, Step,
};
use links_sdk::{Client, Object, ProfileId, SlotId};

use super::page_edit::{AskedPage, BulkRequest, PageEdit};
use super::report;
use super::state::{BulkPage, BulkState, invalid, run_error};
use crate::apply::execute::{interrupted_page_note, not_planned, not_recorded_note, step_message};
use crate::apply::preflight::require_write_access;
use crate::apply::run_failure::RunFailure;
use crate::apply::run_progress::RunProgress;
use crate::apply::{problems, runs};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Style, StyledLine};
use crate::schema::slot_types::SlotTypeCatalog;

/// Delegate of a bulk change.
pub(super) struct BulkSession<'c> {
    pub(super) context: &'c mut Context,
    pub(super) state: BulkState<'c>,
    types: SlotTypeCatalog,
    yes: bool,
    pub(super) running: Rc<RunProgress>,
}

impl<'c> BulkSession<'c> {
    pub(super) fn new(
        context: &'c mut Context,
        client: Client,
        types: SlotTypeCatalog,
        edit: &'c dyn PageEdit,
        request: &BulkRequest,
    ) -> Self {
        let pages = request.pages.iter().map(|_| BulkPage::default()).collect();
        let (yes, running) = (request.how.yes, Rc::default());
        let state = BulkState { client, edit, is_full: request.how.full, pages };
        Self { context, state, types, yes, running }
    }

    /// Returns the unfinished run on a page that asks for the same, and those that it has replaced, the newest first.
    fn unfinished(&self, page: ProfileId) -> Vec<JournalEntries> {
        let (Ok(state), Some(service), Some(digest)) =
            (runs::directory(self.context), runs::service(self.context), self.state.edit.digest())
        else {
            return Vec::new();
        };
        let recorded = JournalStore::of(&state, &service, page).list().unwrap_or_default();
        let logs = recorded.into_iter().rev().map_while(|run| run.log.ok());
        let is_same = |log: &JournalEntries| {
            let command = log.opening().command.as_ref();
            command.is_some_and(|command| {
                let is_named = command.name == self.state.edit.command();
                is_named && command.digest.as_ref() == Some(&digest)
            })
        };
        let chained = logs.enumerate().map_while(|(nth, log)| {
            let expected = match nth {
                0 => RunState::Unfinished,
                _ => RunState::Ended(RunEnding::Replaced),
            };
            (log.state() == expected && is_same(&log)).then_some(log)
        });
        chained.collect()
    }

    fn confirmed(&self) -> Result<bool, CommandError> {
        for line in report::plan_lines(&self.state) {
            self.context.ui.say(&line);
        }
        if self.yes {
            return Ok(false);
        }
        let changed: Vec<&Plan> = self.state.pages.iter().filter_map(BulkPage::plan).collect();
        let slots = changed.iter().map(|plan| plan.updates.len() + plan.creates.len()).sum();
        let question = self.state.edit.question(slots, changed.len());
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
    type Error = RunFailure;

    async fn resolve(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, RunFailure> {
        let interrupted = self.unfinished(page.id);
        let asked = self.state.edit.ask(page, &self.types, &interrupted)?;
        let items = asked.items.clone();
        self.state.pages[nth].asked = Some(asked);
        Ok(items)
    }

    async fn plan(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        _: bool,
    ) -> Result<Proposal, RunFailure> {
        let Some(asked) = &self.state.pages[nth].asked else {
            return Err(CommandError::internal("a page is planned before it is read").into());
        };
        let (desired, merged) = desired(asked, page, created);
        let options = PlanOptions {
            types: self.types.rules(),
            created: created.clone(),
            merged: Some(merged),
            ..PlanOptions::default()
        };
        let name = |index| self.state.edit.item_name(&page.login, &asked.items, index);
        let plan = Plan::of_page(page, &desired, &options)
            .map_err(|error| unplannable(&page.login, &error, name))?;
        let mut found = Vec::new();
        for (index, faults) in problems::violations(&plan, &page.slots, &self.types) {
            for fault in faults {
                found.push(format!("{}: {}", name(index), fault.in_words()));
            }
        }
        if !found.is_empty() {
            return Err(invalid(found).into());
        }
        self.context.check_plan(&plan)?;
        let (file, desired) = (asked.items.clone(), Arc::new(desired));
        let proposal = Proposal { file, desired, options, plan: Arc::new(plan) };
        let state = &mut self.state.pages[nth];
        (state.page, state.proposal) = (Some(page.clone()), Some(proposal.clone()));
        Ok(proposal)
    }

    async fn confirm(&mut self, pages: &[PageToConfirm]) -> Result<Vec<Confirmation>, RunFailure> {
        if self.context.ui.is_interactive() && !self.yes {
            // A read-only token is refused before the question.
            require_write_access(&self.state.client).await?;
        }
        let was_asked = self.confirmed()?;
        let confirmed = pages.iter().map(|page| match &self.state.pages[page.nth].proposal {
            Some(proposal) if was_asked => Confirmation::Later(Box::new(proposal.clone())),
            _ => Confirmation::AsPlanned,
        });
        Ok(confirmed.collect())
    }

    fn refuse(&mut self, failures: Vec<(usize, RunFailure)>) -> RunFailure {
        let failures = failures
            .into_iter()
            .map(|(nth, failure)| run_error(failure, self.state.edit, self.state.pages.get(nth)));
        not_planned(failures.collect(), &self.state.client).into()
    }

    fn interrupted(&mut self, _: usize, log: &JournalEntries, is_resumed: bool) {
        let line = if is_resumed {
            interrupted_page_note(log, is_resumed)
        } else {
            report::replaced_run_note(log)
        };
        self.context.ui.say(&line);
    }

    fn step(&mut self, nth: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.state.pages[nth].done = done.clone();
        let plans = self.state.pages.iter().filter_map(BulkPage::plan);
        let steps = plans.map(|plan| plan.request_count() - 1).sum();
        let login = self.state.pages[nth].login().unwrap_or_default();
        let message = format!("{login}: {}", step_message(step));
        self.running.step(&self.context.ui, steps, &message)
    }

    fn not_recorded(&mut self, nth: usize, error: &std::io::Error) {
        let login = self.state.pages[nth].login().unwrap_or_default();
        let text = format!("{login}: {}", not_recorded_note(error));
        self.context.ui.say(&StyledLine::new(Style::Changed, text));
    }
}

/// Returns the whole page as it should be: the items with their values, everything else as it is.
fn desired(
    asked: &AskedPage,
    page: &PageSnapshot,
    created: &BTreeMap<usize, SlotId>,
) -> (DesiredPage, MergedItems) {
    let items = &asked.items.slots;
    let changed: BTreeMap<SlotId, usize> =
        items.iter().enumerate().filter_map(|(index, item)| Some((item.id?, index))).collect();
    let made: BTreeSet<SlotId> = created.values().copied().collect();
    let untouched = |(position, slot): (usize, &links_sdk::Slot)| match changed.get(&slot.id) {
        Some(index) => {
            let item = &items[*index];
            let data = asked.instead.get(&slot.id).unwrap_or(&item.data).clone();
            (*index, DesiredSlot { data, ..item.clone() })
        }
        None => {
            let (id, kind) = (Some(slot.id), slot.kind.clone());
            (items.len() + position, DesiredSlot { id, kind, data: Object::default() })
        }
    };
    let there = page.slots.iter().enumerate().filter(|(_, slot)| !made.contains(&slot.id));
    let there = there.map(untouched);
    let is_there = |id: &SlotId| page.slots.iter().any(|slot| slot.id == *id);
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
