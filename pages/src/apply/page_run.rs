//! Execution of a plan, one batch after the other.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::batch_request::changes;
use super::create::{CreateRequest, check_creates, create, failed, list};
use super::journal::{Journal, RunEnding};
use super::known_fields::KnownFields;
use super::known_page::KnownPage;
use super::page_snapshot::read_page;
use super::page_turns::PageTurn;
use super::plan::{Plan, PlanBatch, PlannedCreate, PlannedDelete, PlannedUpdate};
use super::{
    AppliedChanges, ApplyCause, FieldsRequest, PageSnapshot, PlannedFields, Proposal, Step,
};
use links_sdk::SlotId;
use links_sdk::runs::blocking;
use links_sdk::runs::{ReadTime, WriteStop, delete_slots, reorder_slots, update_slots};
use links_sdk::{Client, Error, IdempotencyKey, Outcome, ProfileHandle, Slot};

/// A run of a plan that was confirmed and is in the journal. Its writes come in two parts, so that a run over several pages can add on all of
/// them before it removes on any.
pub(super) struct PageRun {
    handle: ProfileHandle,
    pub(super) page: Arc<PageSnapshot>,
    pub(super) proposal: Proposal,
    pub(super) journal: Option<Journal>,
    /// Changes that were made before: by an interrupted run whose last request was settled, or the creation of the page.
    pub(super) settled: AppliedChanges,
    /// Changes that the run has made so far.
    pub(super) done: AppliedChanges,
    seen: KnownPage,
    fields: KnownFields,
    /// Set if the last request showed the whole page.
    is_checked: bool,
    /// Number of batches that were written.
    written: usize,
    _turn: PageTurn,
}

/// Observer of the steps, before each is taken; a break ends the run there.
pub(super) trait Watch: FnMut(Step, &AppliedChanges) -> ControlFlow<()> {}

impl<W: FnMut(Step, &AppliedChanges) -> ControlFlow<()>> Watch for W {}

impl PageRun {
    pub(super) fn new(
        client: &Client,
        page: Arc<PageSnapshot>,
        proposal: Proposal,
        journal: Option<Journal>,
        settled: AppliedChanges,
        turn: PageTurn,
    ) -> Self {
        let seen = KnownPage::new(proposal.plan.clone(), proposal.options.types.clone(), &page);
        Self {
            handle: client.profile(page.id),
            fields: KnownFields::new(&page),
            page,
            proposal,
            journal,
            settled,
            done: AppliedChanges::default(),
            seen,
            is_checked: false,
            written: 0,
            _turn: turn,
        }
    }

    /// Returns whether the plan deletes or renames.
    pub(super) fn has_removals(&self) -> bool {
        let plan = &self.proposal.plan;
        !plan.deletes.is_empty() || plan.fields.needs(FieldsRequest::Login)
    }

    /// Returns whether slots have to be deleted before there is room for new ones.
    pub(super) fn makes_room(&self) -> bool {
        self.proposal.plan.make_room > 0
    }

    /// Closes the journal of a run that was stopped before its first write.
    pub(super) async fn close_unreached(&mut self) {
        self.close_untouched(&Ok(false)).await;
    }

    /// Returns whether the plan creates slots.
    pub(super) fn has_creates(&self) -> bool {
        !self.proposal.plan.creates.is_empty()
    }

    /// Sends everything that adds, changes or moves; with `removes` also the deletes, and the login, under which links lead to the page. Returns
    /// `false` if the observer ended the run.
    ///
    /// # Errors
    ///
    /// The first failure. Everything before it stays written.
    pub(super) async fn write(
        &mut self,
        removes: bool,
        watch: &mut impl Watch,
    ) -> Result<bool, ApplyCause> {
        let written = self.write_part(removes, watch).await;
        self.close_untouched(&written).await;
        written
    }

    /// Reads the page, and checks that it matches the file and that no change of another client is on it. Returns the page, or `None` if the
    /// observer ended the run.
    ///
    /// # Errors
    ///
    /// When the page cannot be read or does not match.
    pub(super) async fn finish(
        &mut self,
        watch: &mut impl Watch,
    ) -> Result<Option<PageSnapshot>, ApplyCause> {
        if watch(Step::Verify, &self.done).is_break() {
            return Ok(None);
        }
        let verified = self.verify().await;
        match &verified {
            Ok(page) => {
                let slots = page.slots.len();
                self.record(move |journal| journal.commit(slots)).await;
            }
            Err(ApplyCause::Call { .. }) => {}
            Err(_) => drop(self.record(|journal| journal.close(RunEnding::Drift)).await),
        }
        verified.map(Some)
    }
}

/// Maximum number of tries of a reorder that is refused because the page has other slots than the plan knows.
const MAX_REORDERS: usize = 3;

/// Failure of a step.
struct StepFailure {
    error: ApplyCause,
    /// Outcome of the step itself.
    outcome: Outcome,
}

impl From<ApplyCause> for StepFailure {
    fn from(error: ApplyCause) -> Self {
        Self { outcome: error.outcome(), error }
    }
}

impl PageRun {
    async fn write_part(
        &mut self,
        removes: bool,
        watch: &mut impl Watch,
    ) -> Result<bool, ApplyCause> {
        let plan = self.proposal.plan.clone();
        let batches = plan.batches();
        while let Some(batch) = batches.get(self.written).copied() {
            let is_removal =
                matches!(batch, PlanBatch::Delete(_) | PlanBatch::Fields(FieldsRequest::Login, _));
            if is_removal && !removes {
                break;
            }
            let deletes = matches!(batch, PlanBatch::MakeRoom(_) | PlanBatch::Delete(_));
            let looks = deletes && !self.is_checked;
            if looks && watch(Step::Check, &self.done).is_break()
                || watch(batch.into(), &self.done).is_break()
            {
                return Ok(false);
            }
            self.write_batch(self.written, batch).await?;
            self.written += 1;
        }
        Ok(true)
    }

    /// Closes the journal if nothing was written, so that there is nothing to continue.
    async fn close_untouched(&mut self, written: &Result<bool, ApplyCause>) {
        let ending = match written {
            Ok(false) | Err(ApplyCause::Changed(_)) => RunEnding::Stopped,
            Err(ApplyCause::Call { source, .. }) if source.outcome() == Outcome::NotExecuted => {
                let is_answer = source.status().is_some_and(|it| (400..500).contains(&it));
                if is_answer && !source.is_rate_limited() {
                    RunEnding::Refused
                } else {
                    RunEnding::Stopped
                }
            }
            _ => return,
        };
        if let Some(journal) = &self.journal
            && self.done.is_nothing()
            && journal.log.done.is_nothing()
            && !journal.log.is_in_doubt()
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

    async fn write_batch(&mut self, nth: usize, batch: PlanBatch<'_>) -> Result<(), ApplyCause> {
        if let PlanBatch::TryCreate(creates) = batch {
            // Nothing is written to the page, so there is nothing to record.
            return check_creates(&self.handle, creates).await;
        }
        let begun = self.record(move |journal| journal.begin(nth)).await;
        let key = begun.transpose().map_err(ApplyCause::Journal)?.flatten();
        let before = self.done.deleted;
        let is_checked = std::mem::take(&mut self.is_checked);
        let written = match batch {
            PlanBatch::Fields(request, planned) => self.write_fields(request, planned).await,
            PlanBatch::Update(updates) => self.update(updates).await,
            PlanBatch::Create(creates) => self.create(nth, creates, key).await,
            PlanBatch::Reorder => self.reorder().await,
            PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                self.delete(deletes, is_checked).await
            }
            PlanBatch::TryCreate(_) => Ok(CreatedIds::new()),
        };
        let deleted = self.done.deleted - before;
        let ended = match &written {
            Ok(created) => Ok(created.clone()),
            Err(StepFailure { error: ApplyCause::Changed(_), outcome: Outcome::Executed }) => {
                Ok(CreatedIds::new())
            }
            Err(StepFailure { outcome, .. }) => Err(*outcome),
        };
        let end = move |journal: &mut Journal| match ended {
            Ok(created) => journal.end(nth, created, deleted, None),
            Err(outcome) => journal.failed(nth, outcome),
        };
        self.record(end).await;
        written.map(|_| ()).map_err(|broken| broken.error)
    }

    async fn verify(&self) -> Result<PageSnapshot, ApplyCause> {
        let Proposal { wanted, options, plan, .. } = &self.proposal;
        let page = if plan.fields.is_empty() {
            self.page.with_slots(list(&self.handle, Step::Verify).await?)
        } else {
            let client = &self.handle.client;
            let page =
                read_page(client, self.page.id, wanted.page.fields.contains_key("languageCode"));
            page.await.map_err(|error| failed(Step::Verify, error))?
        };
        let mut found = self.seen.conflicts(&page.slots, &[]);
        found.extend(self.seen.foreign_slots(&page.slots));
        found.extend(self.seen.edits(&page.slots));
        found.extend(self.fields.edits(&plan.fields, &page));
        if !found.is_empty() {
            return Err(ApplyCause::Changed(found));
        }
        let mut options = options.clone();
        options.created.extend(&self.done.created);
        match Plan::of_page(&page, wanted, &options) {
            Ok(mut left) => {
                self.fields.accept_stored(&mut left.fields);
                // Where the last sync is recorded, the next plan knows what the service stores.
                if wanted.is_by_id {
                    self.seen.accept_stored(&mut left.updates);
                }
                if left.is_empty() { Ok(page) } else { Err(ApplyCause::Drift(Box::new(left))) }
            }
            Err(error) => Err(ApplyCause::Changed(vec![error.to_string()])),
        }
    }

    async fn write_fields(
        &mut self,
        request: FieldsRequest,
        planned: &PlannedFields,
    ) -> Result<CreatedIds, StepFailure> {
        let step = Step::Fields(request);
        let written = self.fields.write(&self.handle, request, planned).await;
        written.map_err(|stop| broken(stop, |error| failed(step, error)))?;
        self.done.fields.extend(planned.of(request).map(|(name, _)| name.clone()));
        Ok(CreatedIds::new())
    }

    async fn update(&mut self, updates: &[PlannedUpdate]) -> Result<CreatedIds, StepFailure> {
        let step = Step::Update(updates.len());
        let (at, seen, client) = (self.seen.at(), &mut self.seen, &self.handle.client);
        let judge = |page: &[Slot]| seen.accept(page, ReadTime::now(client));
        let answered = update_slots(&self.handle, changes(updates), at, judge).await;
        let answered = answered.map_err(|stop| {
            broken(stop, |error| {
                ApplyCause::call(step, error, |nth| PlanBatch::Update(updates).item(nth))
            })
        })?;
        self.seen.updated(updates, &answered);
        self.done.updated += updates.len();
        Ok(CreatedIds::new())
    }

    async fn create(
        &mut self,
        step: usize,
        creates: &[PlannedCreate],
        key: Option<IdempotencyKey>,
    ) -> Result<CreatedIds, StepFailure> {
        let known = self.seen.known();
        let sent = CreateRequest { step, creates, known: &known, key, is_repeated: false };
        let made = create(&self.handle, &sent, self.journal.as_mut()).await?;
        self.seen.created(made.ids.values().copied());
        if let Some((page, at)) = made.page {
            self.seen.accept(&page, at);
        }
        self.done.created.extend(&made.ids);
        Ok(made.ids)
    }

    async fn reorder(&mut self) -> Result<CreatedIds, StepFailure> {
        let plan = self.proposal.plan.clone();
        let planned = plan.creates.iter();
        let created: Vec<SlotId> =
            planned.filter_map(|create| self.done.created.get(&create.index).copied()).collect();
        let mut at = self.seen.at();
        for tries in 1.. {
            let ids = self.seen.order().to_vec();
            let Some(order) = plan.resolve_order(&ids, &created) else { break };
            let (seen, client) = (&mut self.seen, &self.handle.client);
            let judge = |page: &[Slot]| {
                let found = seen.accept(page, ReadTime::now(client));
                if found.is_empty() {
                    Ok(plan.resolve_order(seen.order(), &created))
                } else {
                    Err(found)
                }
            };
            match reorder_slots(&self.handle, order, at, judge).await {
                Ok(None) => break,
                Ok(Some((slots, order))) => {
                    self.seen.ordered();
                    self.done.reordered = true;
                    let answered: Vec<SlotId> = slots.iter().map(|slot| slot.id).collect();
                    // Whether the answer is the whole page is not documented.
                    if answered == order {
                        let found = self.seen.accept(&slots, ReadTime::now(&self.handle.client));
                        if !found.is_empty() {
                            let outcome = Outcome::Executed;
                            return Err(StepFailure { error: ApplyCause::Changed(found), outcome });
                        }
                        self.is_checked = true;
                    }
                    break;
                }
                // The page has slots that this run does not know.
                Err(WriteStop::Failed(error)) if error.is_validation() && tries < MAX_REORDERS => {
                    at = None;
                }
                Err(stop) => return Err(broken(stop, |error| failed(Step::Reorder, error))),
            }
        }
        self.seen.ordered();
        Ok(CreatedIds::new())
    }

    async fn delete(
        &mut self,
        deletes: &[PlannedDelete],
        is_checked: bool,
    ) -> Result<CreatedIds, StepFailure> {
        let ids: Vec<SlotId> = deletes.iter().map(|delete| delete.id).collect();
        let asked = ids.len();
        let at = self.seen.at().filter(|_| is_checked);
        let seen = &self.seen;
        let judge = |page: &[Slot]| seen.conflicts(page, &ids);
        let answer = delete_slots(&self.handle, ids.clone(), at, judge).await;
        let answer =
            answer.map_err(|stop| broken(stop, |error| failed(Step::Delete(asked), error)))?;
        self.seen.deleted(&ids);
        let gone = usize::try_from(answer.deleted).unwrap_or_default();
        self.done.deleted += gone;
        if gone != asked {
            return Err(ApplyCause::Answer(format!(
                "{asked} slots were to be deleted, but the service reports {gone}"
            ))
            .into());
        }
        Ok(CreatedIds::new())
    }
}

fn broken(stop: WriteStop, failed: impl FnOnce(Error) -> ApplyCause) -> StepFailure {
    match stop {
        WriteStop::Changed { found, outcome } => {
            StepFailure { error: ApplyCause::Changed(found), outcome }
        }
        WriteStop::Failed(error) => failed(error).into(),
    }
}

/// Ids of new slots by the index of their item.
type CreatedIds = BTreeMap<usize, SlotId>;
