//! Settling what an interrupted run left open, before anything is planned anew.

use std::collections::{BTreeMap, HashSet};

use super::Journal;
use super::entry::seconds;
use super::settle::{CreateVerdict, verdict};
use crate::Client;
use crate::apply::create::{CreateRequest, create, list};
use crate::apply::plan::PlanBatch;
use crate::apply::{ApplyCause, DesiredPage, PageSnapshot, Step};
use crate::conditional_write::ReadTime;

impl Journal {
    /// Finds out what became of the request that the run was stopped in, and writes it down. `page` was read after the lock was taken; it
    /// is read again where something was written.
    ///
    /// A create of which the page shows nothing is asked for again under its own key if `desired` is what the run was for and the key is
    /// young enough to be known to the service; otherwise reading has to do.
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
        let Some((step, key, current)) = self.in_doubt() else { return Ok(()) };
        let Some(batch) = current.plan.batches().get(step).copied() else { return Ok(()) };
        match batch {
            PlanBatch::Create(creates) => {
                let known = self.known(&current.plan);
                let same_file = self.log().opening().is_of(desired);
                let times = (current.time, seconds(page.read_at));
                match (verdict(creates, &known, &page.slots, same_file, times), key) {
                    (CreateVerdict::Made(made), _) => self.end(step, made, 0),
                    (CreateVerdict::Repeat, Some(key)) => {
                        let sent = CreateRequest {
                            step,
                            creates,
                            known: &known,
                            key: Some(key),
                            is_repeated: true,
                        };
                        self.repeat(client, page, &sent).await?;
                    }
                    (CreateVerdict::Repeat | CreateVerdict::Absent, _) => self.refused(step),
                }
            }
            PlanBatch::Update(updates) => {
                if updates.iter().all(|update| update.is_done(&page.slots)) {
                    self.end(step, BTreeMap::new(), 0);
                }
            }
            PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                let there: HashSet<i64> = page.slots.iter().map(|slot| slot.id).collect();
                if deletes.iter().all(|delete| !there.contains(&delete.id)) {
                    self.end(step, BTreeMap::new(), deletes.len());
                }
            }
            // Twice is once, and the order can be read off the page.
            PlanBatch::Reorder | PlanBatch::TryCreate(_) => {}
        }
        Ok(())
    }

    /// Sends the same request again under the same key.
    async fn repeat(
        &mut self,
        client: &Client,
        page: &mut PageSnapshot,
        sent: &CreateRequest<'_>,
    ) -> Result<(), ApplyCause> {
        let handle = client.profile(page.id);
        self.begin_again(sent.step, sent.key.as_ref()).map_err(ApplyCause::Journal)?;
        match create(&handle, sent, Some(&mut *self)).await {
            Ok(made) => self.end(sent.step, made, 0),
            // The page is full, or a value is refused: the new plan meets the same refusal, at its place in the file.
            Err(ApplyCause::Call { items, source, .. })
                if source.is_conflict() || !items.is_empty() =>
            {
                self.refused(sent.step);
            }
            Err(error) => return Err(error),
        }
        page.slots = list(&handle, Step::Verify).await?;
        page.read_time = Some(ReadTime::now(&client.shared));
        Ok(())
    }
}
