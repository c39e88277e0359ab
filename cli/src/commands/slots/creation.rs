//! Create of one slot, with its journal.

use links_sdk::apply::{Plan, PlannedCreate};
use links_sdk::types::NewSlot;
use links_sdk::{Answer, Error, SlotsHandle};

use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::context::Context;
use crate::journal::CommandRecorder;

/// Creates a slot. Which slots were on the page before is not read, so that the command takes no request more than it needs.
pub(crate) async fn create(
    context: &Context,
    slots: &SlotsHandle,
    slot: NewSlot,
    key: IdempotencyKeyArgs,
    recorder: &CommandRecorder,
) -> Result<Answer, Error> {
    let (kind, data) = (slot.kind.clone(), slot.data.clone().unwrap_or_default());
    let creates = vec![PlannedCreate { index: 0, kind, data }];
    recorder.plan(&Plan { items: 1, creates, ..Plan::default() }, &[]);
    recorder.begin(0);
    let created = key.on(slots.create(slot)).answer().await;
    recorder.created(0, &created);
    recorder.finish(context, created.is_ok());
    created
}
