//! Deletes of slots, with a read of the page when an answer is lost or a slot may have changed.

use std::collections::{HashMap, HashSet};

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

use super::slots::SlotsHandle;
use crate::call::{Call, Delete, Write};
use crate::call_sender::{CallSender, Envelope};
use crate::conditional_write::{Basis, WriteStop, WriteVerdict, write_if_unchanged};
use crate::error_kind::Outcome;
use crate::generated::Client as Api;
use crate::generated::types::SlotsDeleted;
use crate::ids::SlotId;
use crate::operation;
use crate::same::is_unchanged;
use crate::slot::Slot;
use crate::transport::Answer;

/// Result of a batch delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeletedSlots {
    /// Number of slots deleted.
    pub deleted: i64,
    /// Number of slots left on the page.
    pub total: i64,
}

envelopes! {
    |answer| DeletedSlots { deleted: answer.meta.deleted, total: answer.meta.total };
    SlotsDeleted: DeletedSlots
}

impl SlotsHandle {
    /// Permanently deletes one slot and its click statistics. If the call is repeated after a lost response, "not found" means that the
    /// slot is deleted.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let divider = slots.list().await?.into_iter().find(|slot| slot.kind == "divider").unwrap();
    /// slots.delete(divider.id).await?;
    /// assert!(slots.get(divider.id).await.unwrap_err().is_not_found());
    /// # Ok(()) });
    /// ```
    pub fn delete(&self, id: impl Into<SlotId>) -> Call<(), Delete> {
        let path = self.key_and_id(id.into());
        Call::new(&self.page.client, operation::DELETE_SLOT, path, |sender, (key, id)| async move {
            let request = |api: Api<'_>| api.delete_slot(&key, &id);
            match sender.send(request).await {
                Err(error) if error.is_not_found() && error.outcome() == Outcome::Unknown => {
                    sender.keep_answer(&Answer::lost(StatusCode::NO_CONTENT, String::new()));
                    Ok(())
                }
                result => result,
            }
        })
    }

    /// Permanently deletes up to 50 slots and their click statistics, all or none. After a lost response, the page is read, and only the
    /// slots that are left are sent again. Unlike the delete of a single slot by its path, this call has a dry run.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let ids: Vec<_> =
    ///     slots.list().await?.iter().filter(|slot| slot.kind == "button").map(|slot| slot.id).collect();
    /// slots.delete_batch(ids.clone()).dry_run().await?;
    /// let done = slots.delete_batch(ids.clone()).await?;
    /// assert_eq!(done.deleted, ids.len() as i64);
    /// # Ok(()) });
    /// ```
    pub fn delete_batch(
        &self,
        ids: impl IntoIterator<Item = impl Into<SlotId>>,
    ) -> Call<DeletedSlots, Write> {
        let ids = ids.into_iter().map(Into::into).collect();
        self.delete_if(ids, None)
    }

    /// Permanently deletes up to 50 slots and their click statistics, all or none, if they still have the content that was read.
    ///
    /// The page is read right before each request, and again after every wait. If another client changed or deleted one of the slots in
    /// between, the call fails with [`Error::is_conflict`](crate::Error::is_conflict), and nothing more is deleted.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::Outcome;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let seen: Vec<_> = slots.list().await?.into_iter().filter(|slot| slot.kind == "text").collect();
    /// slots.update(seen[0].id, [("title", "Mine now")]).await?;
    /// let error = slots.delete_unchanged(seen.clone()).await.unwrap_err();
    /// assert!(error.is_conflict() && error.outcome() == Outcome::NotExecuted);
    ///
    /// let seen: Vec<_> = slots.list().await?.into_iter().filter(|slot| slot.kind == "text").collect();
    /// assert_eq!(slots.delete_unchanged(seen.clone()).await?.deleted, seen.len() as i64);
    /// # Ok(()) });
    /// ```
    pub fn delete_unchanged(&self, seen: Vec<Slot>) -> Call<DeletedSlots, Write> {
        let ids = seen.iter().map(|slot| slot.id).collect();
        self.delete_if(ids, Some(seen))
    }

    /// Deletes slots, only with the content `seen` if there is any.
    fn delete_if(&self, ids: Vec<SlotId>, seen: Option<Vec<Slot>>) -> Call<DeletedSlots, Write> {
        let key = self.page.key_text();
        Call::new(&self.page.client, operation::DELETE_SLOTS, key, move |sender, key| async move {
            let basis = if seen.is_some() { Basis::Read(None) } else { Basis::Nothing };
            let judge = |page: &[Slot]| edits(seen.as_deref().unwrap_or_default(), page);
            sender.finish(delete_if_unchanged(&sender, &key, ids, basis, judge).await)
        })
    }
}

/// Deletes slots. After a lost answer the page is read and only the slots that are left are sent again. `judge` describes what another client
/// did to the slots that are still there.
pub(crate) async fn delete_if_unchanged(
    sender: &CallSender,
    key: &str,
    ids: Vec<SlotId>,
    basis: Basis,
    mut judge: impl FnMut(&[Slot]) -> Vec<String> + Send,
) -> Result<DeletedSlots, WriteStop> {
    let asked = count(&ids);
    let decide = |left: &mut Vec<SlotId>, page: Vec<Slot>, in_doubt| {
        let there: HashSet<SlotId> = page.iter().map(|slot| slot.id).collect();
        if in_doubt {
            left.retain(|id| there.contains(id));
            if left.is_empty() {
                return WriteVerdict::Done(DeletedSlots { deleted: 0, total: count(&page) });
            }
        }
        let mut found = judge(&page);
        let gone = left.iter().filter(|id| !there.contains(id));
        found.extend(gone.map(|id| format!("slot {id} was deleted")));
        WriteVerdict::unless(found)
    };
    let mut left = ids;
    let read = (operation::LIST_SLOTS, |api: Api<'_>| api.list_slots(key));
    let write = |api: Api<'_>, left: &Vec<SlotId>| api.delete_slots(key, left);
    let done = write_if_unchanged(sender, basis, &mut left, read, write, decide).await?;
    if left.is_empty() {
        let done = DeletedSlots { deleted: asked, total: done.total };
        let body = serde_json::json!({ "meta": done }).to_string();
        sender.keep_answer(&Answer::lost(StatusCode::OK, body));
        return Ok(done);
    }
    // Those that are not left were deleted by a request whose answer was lost.
    Ok(DeletedSlots { deleted: asked - count(&left) + done.deleted, total: done.total })
}

/// Describes the edits that another client made to slots that are still there.
fn edits(seen: &[Slot], page: &[Slot]) -> Vec<String> {
    let now: HashMap<SlotId, &Slot> = page.iter().map(|slot| (slot.id, slot)).collect();
    let is_edited = |seen: &&Slot| now.get(&seen.id).is_some_and(|now| !is_unchanged(seen, now));
    let edited = seen.iter().filter(is_edited);
    edited.map(|slot| format!("slot {} ({}) was edited", slot.id, slot.kind)).collect()
}

fn count<T>(items: &[T]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}
