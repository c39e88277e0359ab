//! Reorder of a page, with its journal.

use links_sdk::apply::{Plan, SlotRef};
use links_sdk::{Answer, Error, Slot, SlotId, SlotsHandle};

use crate::context::Context;
use crate::journal::CommandRecorder;

/// Writes an order if the slots are still as they were read.
pub(super) async fn reorder(
    context: &Context,
    slots: &SlotsHandle,
    page: &[Slot],
    order: Vec<SlotId>,
    recorder: &CommandRecorder,
) -> Result<Answer, Error> {
    let refs = order.iter().copied().map(SlotRef::Existing).collect();
    recorder.plan(&Plan { order: refs, reorder: true, ..Plan::default() }, page);
    recorder.begin(0);
    let seen = page.iter().map(|slot| slot.id);
    let ended = slots.reorder_unchanged(seen, order).answer().await;
    recorder.ended(0, 0, &ended);
    recorder.finish(context, ended.is_ok());
    ended
}
