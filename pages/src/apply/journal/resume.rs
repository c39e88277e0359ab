//! Settlement of the request that an interrupted run left open, before a new plan is made.

use std::collections::{BTreeMap, HashSet};

use super::Journal;
use super::entry::{JournalEntry, seconds};
use super::settle::{created_slots, is_key_known};
use crate::apply::create::{create, list};
use crate::apply::plan::PlanBatch;
use crate::apply::{ApplyCause, DesiredPage, PageSnapshot, PlannedCreate, Step};
use links_sdk::runs::ReadTime;
use links_sdk::{Client, IdempotencyKey, Outcome, SlotId};

impl Journal {
    /// Settles whether the request at which the run was stopped was executed, and records it. `page` was read after the lock was taken; it
    /// is read again if something was written.
    ///
    /// A create of which the page shows no slot is sent again under its own key if the run was for `desired` and the key is recent enough
    /// to be known to the service; otherwise the page alone decides.
    ///
    /// # Errors
    ///
    /// When a request fails, or the journal cannot be written.
    pub(in crate::apply) async fn settle(
        &mut self,
        client: &Client,
        page: &mut PageSnapshot,
        desired: &DesiredPage,
    ) -> Result<(), ApplyCause> {
        let (Some(begun), Some(current)) = (self.log.begun(), self.log.plans.last().cloned())
        else {
            return Ok(());
        };
        let step = begun.step;
        let key = begun.key.as_ref().or_else(|| current.keys.get(&step));
        let key = key.and_then(|key| IdempotencyKey::new(key.clone()).ok());
        let Some(batch) = current.plan.batches().get(step).copied() else { return Ok(()) };
        match batch {
            PlanBatch::Create(creates) => {
                let known = current.plan.known(self.log.done.created.values().copied());
                let made = created_slots(creates, &known, &page.slots);
                let is_known = self.log.opening.is_of(desired)
                    && is_key_known(current.time, seconds(page.read_at));
                if !made.is_empty() {
                    self.end(step, made, 0, None);
                } else if let Some(key) = key.filter(|_| is_known) {
                    self.repeat(client, page, (step, creates), &known, key).await?;
                } else {
                    self.failed(step, Outcome::NotExecuted);
                }
            }
            batch if is_done(batch, page) => {
                let deletes = matches!(batch, PlanBatch::MakeRoom(_) | PlanBatch::Delete(_));
                self.end(step, BTreeMap::new(), if deletes { batch.slots() } else { 0 }, None);
            }
            _ => {}
        }
        Ok(())
    }

    /// Sends the same request again under the same key.
    async fn repeat(
        &mut self,
        client: &Client,
        page: &mut PageSnapshot,
        (step, creates): (usize, &[PlannedCreate]),
        known: &HashSet<SlotId>,
        key: IdempotencyKey,
    ) -> Result<(), ApplyCause> {
        let handle = client.profile(page.id);
        let begin = JournalEntry::Begin { step, key: Some(key.to_string()) };
        self.append(begin).map_err(ApplyCause::Journal)?;
        let sent = (step, creates);
        match create(&handle, Some(&mut *self), sent, known, Some(key), true).await {
            Ok((made, _)) => self.end(step, made, 0, None),
            // The page is full, or a value is refused: the new plan gets the same refusal, at its place in the file.
            Err(ApplyCause::Call { items, source, .. })
                if source.is_conflict() || !items.is_empty() =>
            {
                self.failed(step, Outcome::NotExecuted);
            }
            Err(error) => return Err(error),
        }
        page.slots = list(&handle, Step::Verify).await?;
        page.read_time = Some(ReadTime::now(client));
        Ok(())
    }
}

/// Returns whether the page shows that a request which creates nothing was executed.
fn is_done(batch: PlanBatch<'_>, page: &PageSnapshot) -> bool {
    match batch {
        PlanBatch::Fields(request, fields) => fields.is_done(request, &page.fields()),
        PlanBatch::Update(updates) => updates.iter().all(|update| update.is_done(&page.slots)),
        PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
            let there: HashSet<SlotId> = page.slots.iter().map(|slot| slot.id).collect();
            deletes.iter().all(|delete| !there.contains(&delete.id))
        }
        // A repetition has no further effect, and the page shows the order.
        PlanBatch::Reorder | PlanBatch::Create(_) | PlanBatch::TryCreate(_) => false,
    }
}
