//! Execution of a plan, one batch after the other.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::create::{CreateRequest, check_creates, create, failed, list};
use super::journal::{Journal, RunEnding};
use super::known_page::KnownPage;
use super::plan::{Plan, PlanBatch, PlannedCreate, PlannedDelete, PlannedUpdate};
use super::{AppliedChanges, ApplyCause, DesiredPage, PageSnapshot, PlanOptions, Step};
use crate::api::delete_if_unchanged;
use crate::call_sender::CallSender;
use crate::conditional_write::{
    ConditionalWrite, ReadTime, WriteAttempt, WriteStop, WriteVerdict, write_if_unchanged,
};
use crate::generated::types::SlotChange;
use crate::operation::{DELETE_SLOTS, Operation, REORDER_SLOTS, UPDATE_SLOTS};
use crate::transport::Reservation;
use crate::{Client, Error, IdempotencyKey, Outcome, ProfileHandle, Slot};

/// A run of a plan, with its changes so far, its observer and its journal.
pub(super) struct ApplyRun<'a, W> {
    done: AppliedChanges,
    watch: &'a mut W,
    journal: Option<&'a mut Journal>,
}

impl<'a, W: FnMut(Step, &AppliedChanges) -> ControlFlow<()>> ApplyRun<'a, W> {
    /// Returns a run that reports each step to `watch` before the step is taken; a break ends the run there. The journal already holds the
    /// plan.
    pub(super) fn new(watch: &'a mut W, journal: Option<&'a mut Journal>) -> Self {
        Self { done: AppliedChanges::default(), watch, journal }
    }

    /// Returns the changes that the run has made so far.
    pub(super) fn done(&self) -> &AppliedChanges {
        &self.done
    }

    fn may_go_on(&mut self, step: Step) -> bool {
        (self.watch)(step, &self.done).is_continue()
    }
}

impl Plan {
    /// Executes this plan, which was made from `page` for `desired` with `options`, within `run`.
    ///
    /// Returns `None` if the observer ended the run. [`ApplyRun::done`] has the changes made until then in either case.
    ///
    /// # Errors
    ///
    /// The first failure. Everything before it stays written.
    pub(super) async fn execute<W: FnMut(Step, &AppliedChanges) -> ControlFlow<()>>(
        &self,
        client: &Client,
        page: &PageSnapshot,
        desired: &DesiredPage,
        options: &PlanOptions,
        run: &mut ApplyRun<'_, W>,
    ) -> Result<Option<Vec<Slot>>, ApplyCause> {
        let handle = client.profile(page.id);
        let seen = KnownPage::new(self, &options.types, page);
        let mut work = PlanExecution { plan: self, handle, run, seen, is_checked: false };
        let written = work.write_all().await;
        work.close_untouched(&written);
        if !written? || !work.run.may_go_on(Step::Verify) {
            return Ok(None);
        }
        let verified = work.verify(desired, options).await;
        if let Some(journal) = work.run.journal.as_deref_mut() {
            match &verified {
                Ok(slots) => journal.commit(slots.len()),
                Err(ApplyCause::Call { .. }) => {}
                Err(_) => journal.close(RunEnding::Drift),
            }
        }
        verified.map(Some)
    }
}

/// Maximum number of tries of a reorder that is refused because the page has other slots than the plan knows.
const MAX_REORDERS: usize = 3;

struct PlanExecution<'a, 'r, W> {
    plan: &'a Plan,
    handle: ProfileHandle,
    run: &'a mut ApplyRun<'r, W>,
    seen: KnownPage<'a>,
    /// Set if the last request showed the whole page.
    is_checked: bool,
}

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

impl<W: FnMut(Step, &AppliedChanges) -> ControlFlow<()>> PlanExecution<'_, '_, W> {
    /// Writes all batches. Returns `false` if the observer stopped the run before the end.
    async fn write_all(&mut self) -> Result<bool, ApplyCause> {
        let plan = self.plan;
        for (nth, batch) in plan.batches().into_iter().enumerate() {
            let deletes = matches!(batch, PlanBatch::MakeRoom(_) | PlanBatch::Delete(_));
            let looks = deletes && !self.is_checked;
            if looks && !self.run.may_go_on(Step::Check) || !self.run.may_go_on(batch.into()) {
                return Ok(false);
            }
            self.write(nth, batch).await?;
        }
        Ok(true)
    }

    /// Closes the journal if nothing was written, so that there is nothing to continue.
    fn close_untouched(&mut self, written: &Result<bool, ApplyCause>) {
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
        if let Some(journal) = self.run.journal.as_deref_mut()
            && self.run.done.is_nothing()
            && journal.log().done().is_nothing()
            && !journal.log().is_in_doubt()
        {
            journal.close(ending);
        }
    }

    async fn write(&mut self, nth: usize, batch: PlanBatch<'_>) -> Result<(), ApplyCause> {
        if let PlanBatch::TryCreate(creates) = batch {
            // Nothing is written to the page, so there is nothing to record.
            return check_creates(&self.handle, creates).await;
        }
        let key = match self.run.journal.as_deref_mut() {
            Some(journal) => journal.begin(nth).map_err(ApplyCause::Journal)?,
            None => None,
        };
        let before = self.run.done.deleted;
        let is_checked = std::mem::take(&mut self.is_checked);
        let written = match batch {
            PlanBatch::Update(updates) => self.update(updates).await,
            PlanBatch::Create(creates) => self.create(nth, creates, key).await,
            PlanBatch::Reorder => self.reorder().await,
            PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                self.delete(deletes, is_checked).await
            }
            PlanBatch::TryCreate(_) => Ok(CreatedIds::new()),
        };
        let deleted = self.run.done.deleted - before;
        if let Some(journal) = self.run.journal.as_deref_mut() {
            match &written {
                Ok(created) => journal.end(nth, created.clone(), deleted),
                Err(StepFailure { outcome: Outcome::NotExecuted, .. }) => journal.refused(nth),
                Err(StepFailure { error: ApplyCause::Changed(_), outcome: Outcome::Executed }) => {
                    journal.end(nth, CreatedIds::new(), deleted);
                }
                Err(_) => journal.unknown(nth),
            }
        }
        written.map(|_| ()).map_err(|broken| broken.error)
    }

    /// Reads the page, and checks that it matches the file and that no change of another client is on it.
    async fn verify(
        &mut self,
        desired: &DesiredPage,
        options: &PlanOptions,
    ) -> Result<Vec<Slot>, ApplyCause> {
        let slots = list(&self.handle, Step::Verify).await?;
        let mut found = self.seen.conflicts(&slots, &[]);
        found.extend(self.seen.foreign_slots(&slots));
        found.extend(self.seen.edits(&slots));
        if !found.is_empty() {
            return Err(ApplyCause::Changed(found));
        }
        let mut options = options.clone();
        options.created.extend(&self.run.done.created);
        match Plan::new(&slots, desired, &options) {
            Ok(left) if left.is_empty() => Ok(slots),
            Ok(left) => Err(ApplyCause::Drift(Box::new(left))),
            Err(error) => Err(ApplyCause::Changed(vec![error.to_string()])),
        }
    }

    async fn update(&mut self, updates: &[PlannedUpdate]) -> Result<CreatedIds, StepFailure> {
        let step = Step::Update(updates.len());
        let at = self.seen.at();
        let mut write = StepUpdate { handle: &self.handle, updates, seen: &mut self.seen };
        let answered = write_step(&self.handle, UPDATE_SLOTS, at, &mut write).await;
        let answered = answered.map_err(|stop| {
            broken(stop, |error| {
                ApplyCause::call(step, error, |nth| updates.get(nth).map(|update| update.index))
            })
        })?;
        self.seen.updated(updates, &answered);
        self.run.done.updated += updates.len();
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
        let made = create(&self.handle, &sent, self.run.journal.as_deref_mut()).await?;
        self.seen.created(made.values().copied());
        self.run.done.created.extend(&made);
        Ok(made)
    }

    async fn reorder(&mut self) -> Result<CreatedIds, StepFailure> {
        let planned = self.plan.creates.iter();
        let created: Vec<i64> = planned
            .filter_map(|create| self.run.done.created.get(&create.index).copied())
            .collect();
        let mut at = self.seen.at();
        for tries in 1.. {
            let ids = self.seen.order().to_vec();
            let Some(order) = self.plan.resolve_order(&ids, &created) else { break };
            let mut write = StepReorder {
                handle: &self.handle,
                plan: self.plan,
                seen: &mut self.seen,
                created: &created,
                order,
            };
            match write_step(&self.handle, REORDER_SLOTS, at, &mut write).await {
                Ok(None) => break,
                Ok(Some(slots)) => {
                    let order = write.order;
                    self.seen.ordered();
                    self.run.done.reordered = true;
                    let answered: Vec<i64> = slots.iter().map(|slot| slot.id).collect();
                    // Whether the answer is the whole page is not documented.
                    if answered == order {
                        let found = self.seen.conflicts(&slots, &[]);
                        if !found.is_empty() {
                            let outcome = Outcome::Executed;
                            return Err(StepFailure { error: ApplyCause::Changed(found), outcome });
                        }
                        self.seen.refresh(&slots, ReadTime::now(&self.handle.client.shared));
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
        let ids: Vec<i64> = deletes.iter().map(|delete| delete.id).collect();
        let (asked, key) = (ids.len(), self.handle.key.clone());
        let key = key.map_or_else(|why| why, |key| key.to_string());
        let sender = CallSender::of(&self.handle.client, DELETE_SLOTS);
        let at = self.seen.at().filter(|_| is_checked);
        let seen = &self.seen;
        let judge = |page: &[Slot]| seen.conflicts(page, &ids);
        let answer = delete_if_unchanged(&sender, &key, ids.clone(), at, judge).await;
        let answer =
            answer.map_err(|stop| broken(stop, |error| failed(Step::Delete(asked), error)))?;
        self.seen.deleted(&ids);
        let gone = usize::try_from(answer.deleted).unwrap_or_default();
        self.run.done.deleted += gone;
        if gone != asked {
            return Err(ApplyCause::Answer(format!(
                "{asked} slots were to be deleted, but the service reports {gone}"
            ))
            .into());
        }
        Ok(CreatedIds::new())
    }
}

/// Sends a write of a run if the page is as the run knows it.
async fn write_step<W: ConditionalWrite>(
    handle: &ProfileHandle,
    operation: &'static Operation,
    at: Option<ReadTime>,
    write: &mut W,
) -> Result<W::Done, WriteStop> {
    let sender = CallSender::of(&handle.client, operation);
    write_if_unchanged(&handle.client, operation, sender.options(), at, write).await
}

struct StepUpdate<'w, 'a> {
    handle: &'w ProfileHandle,
    updates: &'w [PlannedUpdate],
    seen: &'w mut KnownPage<'a>,
}

impl ConditionalWrite for StepUpdate<'_, '_> {
    type Snapshot = Vec<Slot>;
    type Done = Vec<Slot>;

    async fn read(&mut self, place: Reservation) -> Result<Vec<Slot>, Error> {
        self.handle.slots().list().reserved(place).await
    }

    fn decide(&mut self, page: Vec<Slot>, in_doubt: bool) -> WriteVerdict<Vec<Slot>> {
        if in_doubt && self.updates.iter().all(|update| update.is_done(&page)) {
            return WriteVerdict::Done(page);
        }
        accept_page(self.seen, self.handle, &page)
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<Vec<Slot>, Error> {
        let change =
            |update: &PlannedUpdate| SlotChange { id: update.id, data: update.changed.clone() };
        let changes = self.updates.iter().map(change).collect();
        self.handle.slots().update_batch(changes).single_attempt(attempt).await
    }
}

struct StepReorder<'w, 'a> {
    handle: &'w ProfileHandle,
    plan: &'w Plan,
    seen: &'w mut KnownPage<'a>,
    created: &'w [i64],
    order: Vec<i64>,
}

impl ConditionalWrite for StepReorder<'_, '_> {
    type Snapshot = Vec<Slot>;
    /// Slots in the answer; `None` if there was nothing to move.
    type Done = Option<Vec<Slot>>;

    async fn read(&mut self, place: Reservation) -> Result<Vec<Slot>, Error> {
        self.handle.slots().list().reserved(place).await
    }

    fn decide(&mut self, page: Vec<Slot>, in_doubt: bool) -> WriteVerdict<Option<Vec<Slot>>> {
        if in_doubt && page.iter().map(|slot| slot.id).eq(self.order.iter().copied()) {
            return WriteVerdict::Done(Some(page));
        }
        let verdict = accept_page(self.seen, self.handle, &page);
        if let WriteVerdict::Send = verdict {
            match self.plan.resolve_order(self.seen.order(), self.created) {
                Some(order) => self.order = order,
                None => return WriteVerdict::Done(None),
            }
        }
        verdict
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<Option<Vec<Slot>>, Error> {
        let slots = self.handle.slots().reorder(self.order.clone()).single_attempt(attempt).await?;
        Ok(Some(slots))
    }
}

/// Accepts a page that was read, unless changes by another client forbid to continue.
fn accept_page<T>(
    seen: &mut KnownPage<'_>,
    handle: &ProfileHandle,
    page: &[Slot],
) -> WriteVerdict<T> {
    let found = seen.conflicts(page, &[]);
    if !found.is_empty() {
        return WriteVerdict::Changed(found);
    }
    seen.refresh(page, ReadTime::now(&handle.client.shared));
    WriteVerdict::Send
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
type CreatedIds = BTreeMap<usize, i64>;
