//! What runs over several requests need of a client: for `links-pages`, which is released with this crate and depends on exactly its
//! version. No part of what a version promises.

use std::time::Duration;

pub use crate::batch::item_of;
pub use crate::blocking::{LockRetry, blocking};
pub use crate::conditional_write::{ReadTime, WriteStop};
pub use crate::crash_point::{
    machine, point as crash_point, simulate as simulate_crash, simulate_machine, tear,
};
pub use crate::error::FailedRun;
pub use crate::same::{ValueShape, for_each_sorted, is_absent, present, same};

use crate::api::{
    DeletedSlots, OrderJudgment, PatchRecord, ProfileHandle, delete_if_unchanged,
    patch_if_unchanged, reorder_if_unchanged, update_if_unchanged,
};
use crate::call::Call;
use crate::call_sender::{CallSender, DEADLINE, copies};
use crate::client::Client;
use crate::conditional_write::Basis;
use crate::error::Error;
use crate::generated::types::{LeadForm, Profile, ProfileSettings, SlotChange};
use crate::ids::SlotId;
use crate::operation::{self, GET_PROFILE, LIST_FORMS, Operation};
use crate::slot::Slot;
use crate::tolerant::Object;
use crate::transport::Answer;
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::clock::Clock;
use crate::transport::pacing::PacerError;
use crate::transport::write_tally::WriteSummary;

/// Time for which a lock outlives a call.
const LOCK_MARGIN: Duration = Duration::from_secs(30);

/// Returns the clock of a client.
pub fn clock(client: &Client) -> &dyn Clock {
    &*client.shared.clock
}

/// Locks a name for all machines that share the limits of this client, or renews the lock of this number; see [`Pacer::lock`]. No call of the
/// client outlives the lock.
///
/// # Errors
///
/// When the machines cannot be asked.
pub async fn lock(
    client: &Client,
    name: &str,
    held: Option<u64>,
) -> Result<Option<u64>, PacerError> {
    client.shared.pacer.lock(name, held, deadline(client, None).saturating_add(LOCK_MARGIN)).await
}

/// Gives up a lock.
pub async fn unlock(client: &Client, name: &str, held: u64) {
    client.shared.pacer.unlock(name, held).await;
}

/// Returns the time that a client gives a wait, if it limits that at all; `longest` if it does not.
pub fn deadline(client: &Client, longest: Option<Duration>) -> Duration {
    client.deadline.or(longest).unwrap_or(DEADLINE)
}

/// Notes in a client's account of its writes whether the write of a key in doubt was executed.
pub fn settle(client: &Client, key: &IdempotencyKey, executed: bool) {
    client.shared.tally.settle(key, executed);
}

/// Returns what a client has written, for a program that ends now: none of its calls sends a write from then on, so that this stays true. One that
/// would waits for ever.
pub fn end_writes(client: &Client) -> WriteSummary {
    client.shared.tally.close()
}

/// Ends the waits of a client's calls, and lets it send no other request. Those under way come to their end.
pub fn stop(client: &Client) {
    client.shared.stop.cancel();
}

/// Waits before slots are created again after this many failures, for as long as the service has asked. Returns `false` if that may not be
/// tried again, or would have to wait for so long that the lock of the page could end.
pub async fn back_off_create(client: &Client, failed: u32, asked: Option<Duration>) -> bool {
    let shared = &client.shared;
    failed < shared.retry.max_attempts
        && asked.is_none_or(|asked| asked < deadline(client, None) / 4)
        && shared.back_off(operation::CREATE_SLOTS, failed, asked, Duration::MAX).await
}

/// Changes slots, all or none, if `judge` finds no change that another client made to the page. Returns the slots in the answer, or those of
/// the page where no answer came.
///
/// # Errors
///
/// When it finds one, or the write failed.
pub async fn update_slots(
    page: &ProfileHandle,
    changes: Vec<SlotChange>,
    at: Option<ReadTime>,
    judge: impl FnMut(&[Slot]) -> Vec<String> + Send,
) -> Result<Vec<Slot>, WriteStop> {
    let (sender, key) = writer(page, operation::UPDATE_SLOTS)?;
    let updated = update_if_unchanged(&sender, &key, changes, Basis::Read(at), judge).await;
    ended(&sender, updated)
}

/// Moves slots. `judge` is told the page of each read, and returns the order to write instead, if any is left, or the changes that another
/// client made. Returns the slots in the answer, and the order that was written; `None` if there was nothing to move.
///
/// # Errors
///
/// When another client changed the page, or the write failed.
pub async fn reorder_slots(
    page: &ProfileHandle,
    order: Vec<SlotId>,
    at: Option<ReadTime>,
    judge: impl FnMut(&[Slot]) -> OrderJudgment + Send,
) -> Result<Option<(Vec<Slot>, Vec<SlotId>)>, WriteStop> {
    let (sender, key) = writer(page, operation::REORDER_SLOTS)?;
    let moved = reorder_if_unchanged(&sender, &key, order, Basis::Read(at), judge).await;
    let (slots, order) = ended(&sender, moved)?;
    Ok(order.map(|order| (slots, order)))
}

/// Deletes slots, all or none, if `judge` finds no change that another client made to them.
///
/// # Errors
///
/// When it finds one, or the write failed.
pub async fn delete_slots(
    page: &ProfileHandle,
    ids: Vec<SlotId>,
    at: Option<ReadTime>,
    judge: impl FnMut(&[Slot]) -> Vec<String> + Send,
) -> Result<DeletedSlots, WriteStop> {
    let (sender, key) = writer(page, operation::DELETE_SLOTS)?;
    let deleted = delete_if_unchanged(&sender, &key, ids, Basis::Read(at), judge).await;
    ended(&sender, deleted)
}

/// Changes fields of a page, or its settings, if they hold what they held in `seen`. Returns the record of the answer.
///
/// # Errors
///
/// When they don't, or the write failed.
pub async fn patch_page(
    page: &ProfileHandle,
    of_settings: bool,
    changes: Object,
    seen: Object,
    at: Option<ReadTime>,
) -> Result<Object, WriteStop> {
    if of_settings {
        patch::<ProfileSettings>(page, changes, seen, at).await
    } else {
        patch::<Profile>(page, changes, seen, at).await
    }
}

async fn patch<T: PatchRecord<Key = String>>(
    page: &ProfileHandle,
    changes: Object,
    seen: Object,
    at: Option<ReadTime>,
) -> Result<Object, WriteStop> {
    let (sender, key) = writer(page, T::WRITE)?;
    let patched =
        patch_if_unchanged::<T>(&sender, &key, Some(seen), &changes, Basis::Read(at)).await;
    Ok(ended(&sender, patched)?.fields())
}

/// Returns the sender of a write that is no call of its own, with the time limit of a call, and the key of its page in paths.
fn writer(
    page: &ProfileHandle,
    operation: &'static Operation,
) -> Result<(CallSender, String), Error> {
    let key = page.key_text().map_err(|why| Error::invalid(operation.id, why))?;
    let mut sender = CallSender::new(&page.client, operation);
    sender.begin();
    Ok((sender, key))
}

/// Notes how such a write has ended.
fn ended<T>(sender: &CallSender, result: Result<T, WriteStop>) -> Result<T, WriteStop> {
    if let Some(write) = &sender.options.write {
        let outcome = |stop: &WriteStop| match stop {
            WriteStop::Failed(error) => error.outcome(),
            WriteStop::Changed { outcome, .. } => *outcome,
        };
        sender.client.shared.tally.end(write, result.as_ref().map(drop).map_err(outcome));
    }
    result
}

/// Returns a call that reads a page with its slots, with what `decode` makes of the answer.
pub fn read_page<T: Send + 'static>(
    page: &ProfileHandle,
    decode: impl Fn(&[u8]) -> serde_json::Result<T> + Clone + Send + Sync + 'static,
) -> Call<(T, Answer)> {
    Call::new(&page.client, GET_PROFILE, page.key_text(), |sender, key| async move {
        let request = sender.made(|api| api.get_profile(&key, Some("slots")))?;
        sender.send_made(decode, &mut copies(&request)).await
    })
}

/// Returns all forms of the account.
///
/// # Errors
///
/// When they cannot be read, or the service lists only some of them: a form that is not listed may exist.
pub async fn all_forms(client: &Client) -> Result<Vec<LeadForm>, Error> {
    let (forms, answer) = client.forms().list().with_answer().await?;
    let listed = forms.items.len();
    if usize::try_from(forms.total).is_ok_and(|total| total > listed) {
        let why = format!("it lists {listed} of {} forms", forms.total);
        return Err(Error::unreadable(LIST_FORMS, &answer, why));
    }
    Ok(forms.items)
}

/// Returns the error for an answer that shows no page.
pub fn no_page(answer: &Answer, why: String) -> Error {
    Error::unreadable(GET_PROFILE, answer, why)
}
