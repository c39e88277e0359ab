//! A bulk change as a run over pages: opens, confirms and executes it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use links_pages::apply::{
    Applied, AppliedChanges, BoundItem, DesiredPage, DesiredSlot, JournalEntries, JournalStore,
    OpenPage, PageRequest, PageSnapshot, Plan, PlanError, PlanOptions, Proposal, Run, RunEnding,
    RunSettings, RunState, Step, Wanted, execute,
};
use links_sdk::{Client, Object, ProfileId, SlotId};

use super::report;
use super::state::{AskedPage, BulkArgs, BulkPage, BulkState, PageEdit, invalid, run_error};
use crate::apply::execute::{
    RunFailure, interrupted_page_note, not_planned, not_recorded_note, step_message,
};
use crate::apply::preflight::require_write_access;
use crate::apply::run_progress::RunProgress;
use crate::apply::{problems, runs};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Style;
use crate::schema::slot_types::SlotTypeCatalog;

/// A bulk change.
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
        count: usize,
        BulkArgs { yes, full, .. }: BulkArgs,
    ) -> Self {
        let pages = (0..count).map(|_| BulkPage::default()).collect();
        let running = Rc::default();
        let state = BulkState { client, edit, is_full: full, pages };
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
            let command = log.opening.command.as_ref();
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
            (log.state == expected && is_same(&log)).then_some(log)
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
        self.context.ui.consent(&[], &question, "the changes", "--yes")?;
        Ok(true)
    }

    /// Reads and plans the pages, and locks them if the run writes.
    pub(super) async fn open(&mut self, run: &Run) -> Result<Vec<OpenPage>, CommandError> {
        let (mut open, mut failures) = (BTreeMap::new(), BTreeMap::new());
        for nth in run.order() {
            match self.open_page(run, nth).await {
                Ok(page) => drop(open.insert(nth, page)),
                Err(failure) => {
                    let page = self.state.pages.get(nth);
                    failures.insert(nth, run_error(failure, self.state.edit, page));
                }
            }
        }
        if failures.is_empty() {
            return Ok(open.into_values().collect());
        }
        Err(not_planned(failures.into_values().collect(), &self.state.client))
    }

    async fn open_page(&mut self, run: &Run, nth: usize) -> Result<OpenPage, RunFailure> {
        let mut page = run.open(nth).await?;
        let interrupted = self.unfinished(page.snapshot().id);
        let asked = self.state.edit.ask(page.snapshot(), &self.types, &interrupted)?;
        let asked = self.state.pages[nth].asked.insert(asked);
        if let Some((log, is_resumed)) = page.settle(&asked.items).await? {
            let line = if is_resumed {
                interrupted_page_note(&log, is_resumed)
            } else {
                report::replaced_run_note(&log)
            };
            self.context.ui.say(&line);
        }
        let proposal = self.plan(nth, &page)?;
        self.context.plan_first.plan(&*proposal.plan)?;
        let state = &mut self.state.pages[nth];
        (state.page, state.proposal) = (Some(page.snapshot().clone()), Some(proposal.clone()));
        page.propose(proposal)?;
        Ok(page)
    }

    fn plan(&self, nth: usize, open: &OpenPage) -> Result<Proposal, CommandError> {
        let (page, created) = (open.snapshot(), open.created());
        let Some(asked) = &self.state.pages[nth].asked else {
            return Err(CommandError::internal("a page is planned before it is read"));
        };
        let wanted = wanted(asked, page, &created);
        let options = PlanOptions { types: self.types.rules(), created, ..PlanOptions::default() };
        let name = |index| self.state.edit.item_name(&page.login, &asked.items, index);
        let plan = Plan::of_page(page, &wanted, &options)
            .map_err(|error| unplannable(&page.login, &error, name))?;
        let mut found = Vec::new();
        for (index, faults) in problems::violations(&plan, &page.slots, &self.types) {
            for fault in faults {
                found.push(format!("{}: {}", name(index), fault.in_words()));
            }
        }
        if !found.is_empty() {
            return Err(invalid(found));
        }
        Ok(Proposal { file: asked.items.clone(), wanted, options, plan: Arc::new(plan) })
    }

    /// Opens, confirms and executes the run. Returns a result for each page.
    pub(super) async fn run(
        &mut self,
        pages: Vec<PageRequest>,
        settings: RunSettings,
    ) -> Result<Vec<Result<Applied, RunFailure>>, CommandError> {
        let run = Run::begin(&self.state.client, pages, settings).await;
        let run = run.map_err(|error| run_error(error.into(), self.state.edit, None))?;
        let (mut open, unchanged): (Vec<OpenPage>, Vec<OpenPage>) =
            self.open(&run).await?.into_iter().partition(OpenPage::has_changes);
        // Their locks are free from here on.
        let nothing = &mut |_, _, _: &_| ControlFlow::Continue(());
        let mut ended = execute(unchanged, false, nothing).await;
        if !open.is_empty() {
            if self.context.ui.is_interactive() && !self.yes {
                // A read-only token is refused before the question.
                require_write_access(&self.state.client).await?;
            }
            let was_asked = self.confirmed()?;
            for page in open.iter_mut().filter(|_| was_asked) {
                if let Some(proposal) = page.proposal().cloned() {
                    page.revise(proposal);
                }
            }
        }
        let on_step = &mut |nth, step, done: &_| self.step(nth, step, done);
        ended.extend(execute(open, false, on_step).await);
        ended.sort_by_key(|page| page.nth);
        let mut results = Vec::new();
        for page in ended {
            if let Some(error) = page.not_recorded {
                let login = self.state.pages[page.nth].login().unwrap_or_default();
                let text = format!("{login}: {}", not_recorded_note(&error));
                self.context.ui.tell(Style::Changed, text);
            }
            results.push(page.result.map_err(RunFailure::from));
        }
        if results.iter().any(|it| it.as_ref().is_err_and(RunFailure::is_stopped)) {
            self.running.end_soon();
        }
        Ok(results)
    }

    fn step(&mut self, nth: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.state.pages[nth].done = done.clone();
        let plans = self.state.pages.iter().filter_map(BulkPage::plan);
        let steps = plans.map(|plan| plan.request_count() - 1).sum();
        let login = self.state.pages[nth].login().unwrap_or_default();
        let message = format!("{login}: {}", step_message(step));
        self.running.step(&self.context.ui, steps, &message)
    }
}

/// Returns the whole page as it should be: the items with their values, everything else as it is.
fn wanted(asked: &AskedPage, page: &PageSnapshot, created: &BTreeMap<usize, SlotId>) -> Wanted {
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
    let bound = |(item, slot): (usize, DesiredSlot)| (BoundItem { item, slot: slot.id }, slot);
    let (bound, slots): (Vec<BoundItem>, Vec<DesiredSlot>) = if asked.at_top {
        new.chain(there).map(bound).unzip()
    } else {
        there.chain(new).map(bound).unzip()
    };
    let mut wanted = Wanted::by_id(DesiredPage::from(slots), BTreeSet::new());
    wanted.bound = bound;
    wanted
}

fn unplannable(login: &str, error: &PlanError, name: impl Fn(usize) -> String) -> CommandError {
    match error {
        PlanError::Items(items) => {
            let line = |item: &links_pages::apply::ItemError| {
                format!("{}: {}", name(item.index), item.problem)
            };
            invalid(items.iter().map(line).collect())
        }
        other => CommandError::refused(format!("{login}: {other}; nothing was written")),
    }
}
