//! Execution of a plan, one batch after the other.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::batch_request::changes;
use super::create::{check_creates, create, failed, key_of, list, next_key};
use super::journal::{Journal, JournalEntry, RunEnding};
use super::known_page::{KnownFields, KnownPage};
use super::page_turns::PageTurn;
use super::{
    AppliedChanges, ApplyCause, ApplyError, FieldsRequest, PageSnapshot, Plan, PlanBatch,
    PlannedCreate, PlannedDelete, PlannedFields, PlannedUpdate, Proposal, Step, ids_of,
};
use links_sdk::runs::{ReadTime, WriteStop, blocking, delete_slots, reorder_slots, update_slots};
use links_sdk::{Client, IdempotencyKey, Outcome, ProfileHandle, ProfileKey, Slot, SlotId};

/// Result of a run on a page: the page matches the desired content.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The page as it is now.
    pub page: Arc<PageSnapshot>,
    /// The plan.
    pub plan: Arc<Plan>,
    /// Changes that were made, including the last request of an interrupted run if only this run found out that it was executed.
    pub done: AppliedChanges,
    /// Name of the run in the journals, if it was recorded.
    pub run: Option<String>,
}

/// Result of a run on a page.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndedPage {
    /// Index of the page in the run.
    pub nth: usize,
    /// The page as it is now, or the reason why it does not match the file.
    pub result: Result<Applied, ApplyError>,
    /// Reason why a change that was made is not in the journal. The page has the change.
    pub not_recorded: Option<io::Error>,
}

/// A run of a plan that was confirmed and is in the journal. Its writes come in two parts, so that a run over several pages can add on all of
/// them before it removes on any.
pub(super) struct PageRun {
    nth: usize,
    handle: ProfileHandle,
    page: Arc<PageSnapshot>,
    pub proposal: Proposal,
    journal: Option<Journal>,
    /// Changes that were made so far, also by an interrupted run whose last request was settled, and the creation of the page.
    done: AppliedChanges,
    seen: KnownPage,
    fields: KnownFields,
    /// Creates whose slots were not seen on the page since: their steps and keys.
    unseen: Vec<(usize, IdempotencyKey)>,
    /// Number of creates whose answer was an old one.
    stored: usize,
    /// Set if the slots are created each time, also while another run creates the same ones.
    pub adds: bool,
    /// Set if the last request showed the whole page.
    is_checked: bool,
    /// Number of batches that were written.
    written: usize,
    turn: PageTurn,
}

/// Observer of the steps, with the index of the page, before each is taken; a break ends the run there.
pub(super) trait OnStep: FnMut(usize, Step, &AppliedChanges) -> ControlFlow<()> {}

impl<F: FnMut(usize, Step, &AppliedChanges) -> ControlFlow<()>> OnStep for F {}

/// Maximum number of tries of a reorder that is refused because the page has other slots than the plan knows.
const MAX_REORDERS: usize = 3;

/// Number of old answers in a run after which its keys are random: slots that come and go many times a day would cost more and more requests.
const MAX_STORED: usize = 4;

impl PageRun {
    pub(super) fn new(
        nth: usize,
        client: &Client,
        page: Arc<PageSnapshot>,
        proposal: Proposal,
        journal: Option<Journal>,
        done: AppliedChanges,
        turn: PageTurn,
    ) -> Self {
        Self {
            nth,
            handle: client.profile(page.id),
            seen: KnownPage::new(proposal.plan.clone(), proposal.options.types.clone(), &page),
            fields: KnownFields::new(&page),
            page,
            proposal,
            journal,
            done,
            unseen: Vec::new(),
            stored: 0,
            adds: false,
            is_checked: false,
            written: 0,
            turn,
        }
    }

    /// Returns whether deletes or a new login remain to be written.
    pub(super) fn has_removals(&self) -> bool {
        self.proposal.plan.batches().iter().skip(self.written).any(PlanBatch::is_removal)
    }

    /// Sends everything that adds, changes or moves; with `removes` also the deletes, and the login, under which links lead to the page.
    ///
    /// # Errors
    ///
    /// The first failure. Everything before it stays written.
    pub(super) async fn write(
        &mut self,
        removes: bool,
        on_step: &mut impl OnStep,
    ) -> Result<(), ApplyCause> {
        let plan = self.proposal.plan.clone();
        let batches = plan.batches();
        while let Some(batch) = batches.get(self.written).copied() {
            if batch.is_removal() && !removes {
                break;
            }
            if batch.is_removal() || !batch.deletes().is_empty() {
                self.see_created(on_step).await?;
            }
            let looks = !batch.deletes().is_empty() && !self.is_checked;
            for step in looks.then_some(Step::Check).into_iter().chain([batch.into()]) {
                if on_step(self.nth, step, &self.done).is_break() {
                    return Err(ApplyCause::Stopped);
                }
            }
            self.send_batch(self.written, batch, None).await?;
            self.written += 1;
        }
        Ok(())
    }

    /// Verifies a page that was written, and ends its run.
    pub(super) async fn finish(
        mut self,
        written: Result<(), ApplyCause>,
        on_step: &mut impl OnStep,
    ) -> EndedPage {
        let is_written = written.is_ok();
        let ended = match written {
            Ok(()) if on_step(self.nth, Step::Verify, &self.done).is_break() => {
                Err(ApplyCause::Stopped)
            }
            Ok(()) => self.verify().await,
            Err(cause) => Err(cause),
        };
        let is_read =
            is_written && !matches!(ended, Err(ApplyCause::Stopped | ApplyCause::Call { .. }));
        if is_read {
            let entry = match &ended {
                Ok(page) => JournalEntry::Commit { slots: page.slots.len() },
                Err(_) => JournalEntry::Close { ending: RunEnding::Drift },
            };
            self.record(move |journal| journal.note(entry)).await;
        }
        self.turn.unlock(&self.handle.client).await;
        let known = (ended.is_err() && !self.done.is_nothing()).then(|| self.known_page());
        let Self { nth, proposal, journal, done, .. } = self;
        let run = journal.as_ref().map(|journal| journal.log.run.clone());
        let not_recorded = journal.and_then(|journal| journal.write_error);
        let result = match ended {
            Ok(page) => Ok(Applied { page: Arc::new(page), plan: proposal.plan, done, run }),
            Err(cause) => {
                let mut error = ApplyError::new(cause, done, run);
                (error.0.page, error.0.has_ended) = (known, is_read);
                Err(error)
            }
        };
        EndedPage { nth, result, not_recorded }
    }

    /// Returns the page with the changes of the run as the service answered them.
    fn known_page(&self) -> PageSnapshot {
        let mut page = self.page.with_slots(self.seen.slots());
        page.record.clone_from(&self.fields.record);
        if let Some(login) = page.record.get("login").and_then(|it| it.as_str()) {
            page.login = login.to_owned();
        }
        page
    }

    /// Closes the journal of a run that ended for this cause, if nothing was written, so that there is nothing to continue.
    pub(super) async fn close_untouched(&mut self, cause: &ApplyCause) {
        let ending = match cause {
            ApplyCause::Stopped | ApplyCause::Changed(..) | ApplyCause::Lock(_) => {
                RunEnding::Stopped
            }
            ApplyCause::Call { source, .. } if source.outcome() == Outcome::NotExecuted => {
                let is_answer = source.status().is_some_and(|it| (400..500).contains(&it));
                if is_answer && !source.is_rate_limited() {
                    RunEnding::Refused
                } else {
                    RunEnding::Stopped
                }
            }
            _ => return,
        };
        if let Some(Journal { log, .. }) = &self.journal
            && log.done.is_nothing()
            && !log.is_unsettled()
        {
            self.record(move |journal| journal.close(ending)).await;
        }
    }

    /// Writes to the journal, if there is one, on a thread that may block.
    async fn record<T: Send + 'static>(
        &mut self,
        write: impl FnOnce(&mut Journal) -> T + Send + 'static,
    ) -> Option<T> {
        let mut journal = self.journal.take()?;
        let written = blocking(move || {
            let written = write(&mut journal);
            (journal, written)
        });
        let (journal, written) = written.await;
        self.journal = Some(journal);
        Some(written)
    }

    /// Sends a batch. `key` is another key than the usual one for a batch that creates slots.
    async fn send_batch(
        &mut self,
        nth: usize,
        batch: PlanBatch<'_>,
        key: Option<IdempotencyKey>,
    ) -> Result<(), ApplyCause> {
        let key = match batch {
            // Nothing is written to the page, so there is nothing to record.
            PlanBatch::TryCreate(creates) => return check_creates(&self.handle, creates).await,
            PlanBatch::Create(_) if self.adds => Some(IdempotencyKey::random()),
            PlanBatch::Create(creates) => {
                key.or_else(|| Some(key_of(self.page.id, self.seen.order.clone(), creates)))
            }
            _ => None,
        };
        let client = &self.handle.client;
        self.turn.lock(client).await?;
        let noted = key.clone();
        let begun = self.record(move |journal| journal.begin(nth, noted.as_ref())).await;
        begun.transpose().map_err(ApplyCause::Journal)?;
        let before = self.done.clone();
        let is_checked = std::mem::take(&mut self.is_checked);
        let stopped = |stop| broken(batch, stop);
        let written = match batch {
            PlanBatch::Fields(request, planned) => {
                self.write_fields(request, planned).await.map_err(stopped)
            }
            PlanBatch::Update(updates) => self.update(updates).await.map_err(stopped),
            PlanBatch::Create(creates) => {
                self.create(nth, creates, key.unwrap_or_else(IdempotencyKey::random)).await
            }
            PlanBatch::Reorder => self.reorder().await,
            PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                self.delete(batch, deletes, is_checked).await
            }
            PlanBatch::TryCreate(_) => Ok(()),
        };
        let made = self.done.since(&before);
        let is_open =
            |cause: &&ApplyCause| !matches!(cause, ApplyCause::Changed(_, Outcome::Executed));
        let failed = written.as_ref().err().filter(is_open).map(ApplyCause::outcome);
        let end = move |journal: &mut Journal| match failed {
            None => journal.end(nth, made.created, made.deleted, None),
            Some(outcome) => journal.failed(nth, outcome),
        };
        self.record(end).await;
        written
    }

    /// Makes sure, before anything is removed, that the slots which the run created are on the page.
    pub(super) async fn see_created(
        &mut self,
        on_step: &mut impl OnStep,
    ) -> Result<(), ApplyCause> {
        while !self.unseen.is_empty() {
            if on_step(self.nth, Step::Check, &self.done).is_break() {
                return Err(ApplyCause::Stopped);
            }
            let page = list(&self.handle, Step::Check).await?;
            if !self.create_again(&page).await? {
                self.is_checked =
                    self.seen.accept(&page, ReadTime::now(&self.handle.client)).is_empty();
            }
        }
        Ok(())
    }

    /// Creates slots again of which the page shows none, under another key: the service remembered a create of the last day and returned
    /// its answer, but those slots were deleted since. Returns whether there were any.
    async fn create_again(&mut self, page: &[Slot]) -> Result<bool, ApplyCause> {
        let on_page: HashSet<SlotId> = page.iter().map(|slot| slot.id).collect();
        let plan = self.proposal.plan.clone();
        let batches = plan.batches();
        let mut is_any = false;
        for (nth, key) in std::mem::take(&mut self.unseen) {
            let Some(batch) = batches.get(nth).copied() else { continue };
            let of_batch = batch.creates().iter();
            let made: Vec<SlotId> =
                of_batch.filter_map(|it| self.done.created.get(&it.index).copied()).collect();
            if made.iter().any(|id| on_page.contains(id)) {
                continue;
            }
            (self.stored, is_any) = (self.stored + 1, true);
            let next = match self.stored {
                ..MAX_STORED => next_key(&key, &made),
                _ => IdempotencyKey::random(),
            };
            self.done.created.retain(|_, id| !made.contains(id));
            self.seen.deleted(&made);
            Box::pin(self.send_batch(nth, batch, Some(next))).await?;
        }
        Ok(is_any)
    }

    async fn verify(&mut self) -> Result<PageSnapshot, ApplyCause> {
        let page = loop {
            let client = &self.handle.client;
            let page = read_again(client, &self.page, &self.proposal, Step::Verify).await?;
            if !self.create_again(&page.slots).await? {
                break page;
            }
        };
        let Proposal { wanted, options, plan, .. } = &self.proposal;
        let mut found = self.seen.conflicts(&page.slots, &[]);
        found.extend(self.seen.foreign_changes(&page.slots));
        found.extend(self.fields.edits(&plan.fields, &page));
        if !found.is_empty() {
            return Err(ApplyCause::Changed(found, Outcome::NotExecuted));
        }
        let made = wanted.clone().with_created(&page.slots, &self.done.created, &options.types);
        match Plan::of_page(&page, &made, options) {
            Ok(mut left) => {
                self.fields.accept_stored(&mut left.fields);
                // Where the last sync is recorded, the next plan knows what the service stores.
                if wanted.is_by_id {
                    self.seen.accept_stored(&mut left.updates);
                }
                if left.is_empty() { Ok(page) } else { Err(ApplyCause::Drift(Box::new(left))) }
            }
            Err(error) => Err(ApplyCause::Changed(vec![error.to_string()], Outcome::NotExecuted)),
        }
    }

    async fn write_fields(
        &mut self,
        request: FieldsRequest,
        planned: &PlannedFields,
    ) -> Result<(), WriteStop> {
        self.fields.write(&self.handle, request, planned).await?;
        self.done.fields.extend(planned.of(request).map(|(name, _)| name.clone()));
        Ok(())
    }

    async fn update(&mut self, updates: &[PlannedUpdate]) -> Result<(), WriteStop> {
        let (at, seen, client) = (self.seen.at, &mut self.seen, &self.handle.client);
        let judge = |page: &[Slot]| seen.accept(page, ReadTime::now(client));
        let answered = update_slots(&self.handle, changes(updates), at, judge).await?;
        self.seen.updated(updates, &answered);
        self.done.updated += updates.len();
        Ok(())
    }

    async fn create(
        &mut self,
        step: usize,
        creates: &[PlannedCreate],
        mut key: IdempotencyKey,
    ) -> Result<(), ApplyCause> {
        let (handle, known) = (&self.handle, self.seen.order.iter().copied().collect());
        let (journal, sent) = (self.journal.as_mut(), (step, creates));
        let (made, slots, at) = create(handle, journal, sent, &known, &mut key, false).await?;
        let new = made.values().filter_map(|id| slots.iter().find(|slot| slot.id == *id));
        self.seen.created(new.cloned());
        match at {
            Some(at) => drop(self.seen.accept(&slots, at)),
            None if !self.adds => self.unseen.push((step, key)),
            None => {}
        }
        self.done.created.extend(made);
        Ok(())
    }

    async fn reorder(&mut self) -> Result<(), ApplyCause> {
        let plan = self.proposal.plan.clone();
        let mut at = self.seen.at;
        for tries in 1.. {
            let created = &self.done.created;
            let Some(order) = plan.resolve_order(&self.seen.order, created) else { break };
            let (seen, client) = (&mut self.seen, &self.handle.client);
            let judge = |page: &[Slot]| {
                let found = seen.accept(page, ReadTime::now(client));
                if found.is_empty() {
                    Ok(plan.resolve_order(&seen.order, created))
                } else {
                    Err(found)
                }
            };
            match reorder_slots(&self.handle, order, at, judge).await {
                Ok(None) => break,
                Ok(Some((slots, order))) => {
                    self.seen.is_ordered = true;
                    self.done.reordered = true;
                    // Only slots of the page can be ordered.
                    if created.values().all(|id| order.contains(id)) {
                        self.unseen.clear();
                    }
                    // Whether the answer is the whole page is not documented.
                    if ids_of(&slots) == order {
                        let found = self.seen.accept(&slots, ReadTime::now(&self.handle.client));
                        if !found.is_empty() {
                            return Err(ApplyCause::Changed(found, Outcome::Executed));
                        }
                        self.is_checked = true;
                    }
                    break;
                }
                // The slots that are to be ordered may be those of an old answer.
                Err(stop) if !self.unseen.is_empty() && is_refused(&stop) => {
                    let page = list(&self.handle, Step::Reorder).await?;
                    self.create_again(&page).await?;
                    at = None;
                }
                // The page has slots that this run does not know.
                Err(WriteStop::Failed(error)) if error.is_validation() && tries < MAX_REORDERS => {
                    at = None;
                }
                Err(stop) => return Err(broken(PlanBatch::Reorder, stop)),
            }
        }
        self.seen.is_ordered = true;
        Ok(())
    }

    async fn delete(
        &mut self,
        batch: PlanBatch<'_>,
        deletes: &[PlannedDelete],
        is_checked: bool,
    ) -> Result<(), ApplyCause> {
        let ids: Vec<SlotId> = deletes.iter().map(|delete| delete.id).collect();
        let asked = ids.len();
        let at = self.seen.at.filter(|_| is_checked);
        let seen = &mut self.seen;
        let judge = |page: &[Slot]| seen.compare(page, &ids);
        let answer = delete_slots(&self.handle, ids.clone(), at, judge).await;
        let answer = answer.map_err(|stop| broken(batch, stop))?;
        self.seen.deleted(&ids);
        let gone = usize::try_from(answer.deleted).unwrap_or_default();
        self.done.deleted += gone;
        if gone != asked {
            return Err(ApplyCause::Answer(format!(
                "the service reported deleting {gone} of {asked} slots"
            )));
        }
        Ok(())
    }
}

fn is_refused(stop: &WriteStop) -> bool {
    match stop {
        WriteStop::Changed { outcome, .. } => *outcome == Outcome::NotExecuted,
        WriteStop::Failed(error) => error.is_validation(),
    }
}

fn broken(batch: PlanBatch<'_>, stop: WriteStop) -> ApplyCause {
    match stop {
        WriteStop::Changed { found, outcome } => ApplyCause::Changed(found, outcome),
        WriteStop::Failed(error) => ApplyCause::of_batch(batch, error),
    }
}

/// Reads as much of a page again as its plan writes.
pub(super) async fn read_again(
    client: &Client,
    page: &PageSnapshot,
    proposal: &Proposal,
    step: Step,
) -> Result<PageSnapshot, ApplyCause> {
    let read = async {
        if proposal.plan.fields.is_empty() {
            return page.with_new_slots(client).await;
        }
        let mut page = PageSnapshot::read(client, &ProfileKey::Id(page.id)).await?;
        if proposal.wanted.page.fields.contains_key("languageCode") {
            page.read_language(client).await?;
        }
        Ok(page)
    };
    read.await.map_err(|error| failed(step, error))
}
