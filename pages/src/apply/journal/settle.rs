//! Settlement of the request that an interrupted run left open, before a new plan is made.

use std::collections::{BTreeMap, HashSet};

use super::Journal;
use super::entry::seconds;
use crate::apply::create::{create, failed};
use crate::apply::created_slots::created_slots;
use crate::apply::page_fields::held;
use crate::apply::{
    ApplyCause, DesiredPage, PageSnapshot, PlanBatch, PlannedCreate, Step, ids_of, same,
};
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
    pub(crate) async fn settle(
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
        let key = begun.key.as_ref().and_then(|key| IdempotencyKey::new(key).ok());
        let Some(batch) = current.plan.batches().get(step).copied() else { return Ok(()) };
        let slot = |id| page.slots.iter().find(|slot| slot.id == id);
        let is_done = match batch {
            PlanBatch::Create(creates) => {
                let known = current.plan.known(&self.log.done.created);
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
                false
            }
            PlanBatch::Reorder => {
                let (plan, made) = (&current.plan, &self.log.done.created);
                plan.creates.iter().all(|create| made.contains_key(&create.index))
                    && plan.resolve_order(&ids_of(&page.slots), made).is_none()
            }
            PlanBatch::TryCreate(_) => false,
            PlanBatch::Fields(request, fields) => fields.is_done(request, &page.fields()),
            PlanBatch::Update(updates) => updates.iter().all(|update| {
                let mut changed = update.changed.iter();
                slot(update.id).is_some_and(|slot| {
                    changed.all(|(key, wanted)| same(held(&slot.data, key), wanted))
                })
            }),
            PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                deletes.iter().all(|delete| slot(delete.id).is_none())
            }
        };
        if is_done {
            self.end(step, BTreeMap::new(), batch.deletes().len(), None);
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
        mut key: IdempotencyKey,
    ) -> Result<(), ApplyCause> {
        let handle = client.profile(page.id);
        self.begin(step, Some(&key)).map_err(ApplyCause::Journal)?;
        let sent = (step, creates);
        match create(&handle, Some(&mut *self), sent, known, &mut key, true).await {
            Ok((made, ..)) => self.end(step, made, 0, None),
            // The page is full, or a value is refused: the new plan gets the same refusal, at its place in the file.
            Err(ApplyCause::Call { items, source, .. })
                if source.is_conflict() || !items.is_empty() =>
            {
                self.failed(step, Outcome::NotExecuted);
            }
            Err(error) => return Err(error),
        }
        let read = page.with_new_slots(client).await;
        *page = read.map_err(|error| failed(Step::Verify, error))?;
        Ok(())
    }
}

/// Maximum age of a key that is relied on. The service keeps keys for 24 hours.
const KEY_LIFE: u64 = 23 * 60 * 60;
/// Maximum by which the service's clock may seem to go back, when several machines answer.
const CLOCK_SKEW: u64 = 5 * 60;

/// Returns whether the service still knows the key of a create, so that sending it again creates nothing twice. Both are the service's times in
/// seconds: that of the plan, and that of the page now.
fn is_key_known(planned: u64, now: u64) -> bool {
    now.saturating_add(CLOCK_SKEW) >= planned && now < planned.saturating_add(KEY_LIFE)
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_key_is_used_again_only_while_it_is_valid() {
        let hours = |hours: u64| 1_000_000 + hours * 3600;
        for (now, expected) in [
            (hours(0), true),
            (hours(23) - 1, true),
            (1_000_000 - 60, true),
            (hours(23), false),
            // A clock that jumped.
            (1_000_000 - 3600, false),
        ] {
            assert_eq!(is_key_known(1_000_000, now), expected, "{now}");
        }
    }
}
