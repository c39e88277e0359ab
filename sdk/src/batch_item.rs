//! Items that a batch run can write, and the request for each kind of them.

use std::collections::HashSet;

use crate::api::SlotsHandle;
use crate::batch_error::BatchCause;
use crate::error::Error;
use crate::generated::types::{NewSlot, SlotChange};
use crate::ids::SlotId;
use crate::operation;
use crate::slot::Slot;
use crate::transport::BoxFuture;
use crate::transport::idempotency::IdempotencyKey;

/// Items that a batch can write: [`NewSlot`], [`SlotChange`], and an id to delete.
pub trait BatchItem: sealed::Item {}
impl BatchItem for NewSlot {}
impl BatchItem for SlotChange {}
impl BatchItem for SlotId {}

pub(crate) mod sealed {
    use super::{BatchCause, BoxFuture, Error, IdempotencyKey, SlotId, SlotsHandle};

    /// Write of the slots of one request.
    pub trait Item: Sized + Send + 'static {
        type Done: Send;
        const VERB: &'static str;

        /// Refuses items that are known to fail half-way.
        fn check(_: &[Self]) -> Result<(), (usize, Error)> {
            Ok(())
        }

        fn write(
            slots: &SlotsHandle,
            chunk: Vec<Self>,
            key: IdempotencyKey,
        ) -> BoxFuture<'_, Result<Vec<Self::Done>, BatchCause>>;

        fn id(done: &Self::Done) -> SlotId;
    }
}

impl sealed::Item for NewSlot {
    type Done = Slot;
    const VERB: &'static str = "created";

    fn write(
        slots: &SlotsHandle,
        chunk: Vec<Self>,
        key: IdempotencyKey,
    ) -> BoxFuture<'_, Result<Vec<Slot>, BatchCause>> {
        Box::pin(async move {
            let sent = chunk.len();
            let made = slots.create_batch(chunk).with_idempotency_key(key).await;
            let made = made.map_err(BatchCause::Call)?;
            check_count(sent, made.len())?;
            Ok(made)
        })
    }

    fn id(slot: &Slot) -> SlotId {
        slot.id
    }
}

impl sealed::Item for SlotChange {
    type Done = SlotId;
    const VERB: &'static str = "updated";

    fn write(
        slots: &SlotsHandle,
        chunk: Vec<Self>,
        _: IdempotencyKey,
    ) -> BoxFuture<'_, Result<Vec<SlotId>, BatchCause>> {
        Box::pin(async move {
            let ids = chunk.iter().map(|change| change.id).collect();
            slots.update_batch(chunk).await.map_err(BatchCause::Call)?;
            Ok(ids)
        })
    }

    fn id(id: &SlotId) -> SlotId {
        *id
    }
}

impl sealed::Item for SlotId {
    type Done = SlotId;
    const VERB: &'static str = "deleted";

    fn check(ids: &[Self]) -> Result<(), (usize, Error)> {
        let mut seen = HashSet::new();
        match ids.iter().position(|id| !seen.insert(id)) {
            None => Ok(()),
            Some(index) => {
                let message = format!("slot {} is named twice", ids[index]);
                Err((index, Error::invalid(operation::DELETE_SLOTS.id, message)))
            }
        }
    }

    fn write(
        slots: &SlotsHandle,
        chunk: Vec<Self>,
        _: IdempotencyKey,
    ) -> BoxFuture<'_, Result<Vec<SlotId>, BatchCause>> {
        Box::pin(async move {
            let answer = slots.delete_batch(chunk.clone()).await.map_err(BatchCause::Call)?;
            check_count(chunk.len(), usize::try_from(answer.deleted).unwrap_or_default())?;
            Ok(chunk)
        })
    }

    fn id(id: &SlotId) -> SlotId {
        *id
    }
}

fn check_count(sent: usize, answered: usize) -> Result<(), BatchCause> {
    if sent == answered { Ok(()) } else { Err(BatchCause::Answer { sent, answered }) }
}
