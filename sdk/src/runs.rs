//! What runs over several requests need of a client: for `links-pages`, which is released with this crate and depends on exactly its
//! version. No part of what a version promises.

use std::time::Duration;

pub use crate::batch::item_of;
pub use crate::blocking::{LockRetry, blocking};
pub use crate::conditional_write::{
    ConditionalWrite, ReadTime, WriteAttempt, WriteStop, WriteVerdict,
};
pub use crate::crash_point::{point as crash_point, tear};
pub use crate::error::FailedRun;
pub use crate::operation::Operation;
pub use crate::same::{ValueShape, for_each_sorted, is_absent, present, same};
pub use crate::transport::Reservation;

use crate::api::{ConditionalPatch, DeletedSlots, PatchRecord, ProfileHandle, delete_if_unchanged};
use crate::call_sender::{CallSender, DEADLINE};
use crate::changes::{ProfileChanges, SettingsChanges};
use crate::client::Client;
use crate::conditional_write::write_if_unchanged;
use crate::error::Error;
use crate::generated::types::{Profile, ProfileSettings};
use crate::ids::SlotId;
use crate::operation::{self, DELETE_SLOTS, GET_PROFILE};
use crate::tolerant::Object;
use crate::transport::Answer;
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::clock::Clock;

/// The update of slots.
pub const UPDATE_SLOTS: &Operation = operation::UPDATE_SLOTS;

/// The move of slots.
pub const REORDER_SLOTS: &Operation = operation::REORDER_SLOTS;

/// The creation of slots.
pub const CREATE_SLOTS: &Operation = operation::CREATE_SLOTS;

/// Returns the clock of a client.
pub fn clock(client: &Client) -> &dyn Clock {
    &*client.shared.clock
}

/// Returns the time that a client gives a wait, if it limits that at all; `longest` if it does not.
pub fn deadline(client: &Client, longest: Option<Duration>) -> Duration {
    client.deadline.or(longest).unwrap_or(DEADLINE)
}

/// Notes in a client's account of its writes whether the write of a key in doubt was executed.
pub fn settle(client: &Client, key: &IdempotencyKey, executed: bool) {
    client.shared.tally.settle(key, executed);
}

/// Waits before a write is sent again after this many failures. Returns `false` if it may not be sent again.
pub async fn back_off(client: &Client, operation: &'static Operation, failed: u32) -> bool {
    let shared = &client.shared;
    failed < shared.retry.max_attempts
        && shared.back_off(operation, failed, None, Duration::MAX).await
}

/// Sends a write if what it overwrites is as the last read showed it, which was made `at` that time.
///
/// # Errors
///
/// When it is not, or the write failed.
pub async fn write_unchanged<W: ConditionalWrite>(
    client: &Client,
    operation: &'static Operation,
    at: Option<ReadTime>,
    write: &mut W,
) -> Result<W::Done, WriteStop> {
    let sender = CallSender::of(client, operation);
    write_if_unchanged(client, operation, &sender.options, at, write).await
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
    judge: impl FnMut(&[crate::Slot]) -> Vec<String> + Send,
) -> Result<DeletedSlots, WriteStop> {
    let sender = CallSender::of(&page.client, DELETE_SLOTS);
    delete_if_unchanged(&sender, &path_key(page), ids, at, judge).await
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
        patch::<ProfileSettings>(page, SettingsChanges::from(changes), seen, at).await
    } else {
        patch::<Profile>(page, ProfileChanges::from(changes), seen, at).await
    }
}

async fn patch<T: PatchRecord<Key = String>>(
    page: &ProfileHandle,
    changes: T::Changes,
    seen: Object,
    at: Option<ReadTime>,
) -> Result<Object, WriteStop> {
    let sender = CallSender::of(&page.client, T::WRITE);
    let (key, seen) = (path_key(page), Some(seen));
    let mut patch = ConditionalPatch::<T> { sender: &sender, key, seen, changes };
    let options = &sender.options;
    let done = write_if_unchanged(&page.client, T::WRITE, options, at, &mut patch).await?;
    Ok(done.fields())
}

/// A key that is no key is refused by its own text, as the path of a request.
fn path_key(page: &ProfileHandle) -> String {
    page.key.as_ref().map_or_else(Clone::clone, ToString::to_string)
}

/// Returns the error for an answer that shows no page.
pub fn no_page(answer: &Answer, why: String) -> Error {
    Error::unreadable(GET_PROFILE, answer, why)
}
