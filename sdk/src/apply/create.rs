//! Creating a batch of slots, and finding out whether it was created where the answer does not say.

use std::collections::{BTreeMap, HashSet};

use super::journal::{Journal, traces};
use super::plan::Create;
use super::{ApplyError, Step, crash};
use crate::generated::types::NewSlot;
use crate::{Error, IdempotencyKey, Outcome, ProfileHandle};

/// A `createSlots` request.
pub(super) struct Sent<'a> {
    /// Its number among the batches of the plan.
    pub(super) step: usize,
    pub(super) creates: &'a [Create],
    /// The slots that it did not make.
    pub(super) known: &'a HashSet<i64>,
    /// The key that was written down for it.
    pub(super) key: Option<IdempotencyKey>,
}

/// Sends the request and returns the ids of the new slots by the index of their item.
///
/// Where no answer says what happened, the page is looked at. A failure that the service has stored would be answered for ever: if the
/// page shows nothing of the request after one, it is sent once more under another key.
pub(super) async fn create(
    handle: &ProfileHandle,
    sent: &Sent<'_>,
    mut journal: Option<&mut Journal>,
) -> Result<BTreeMap<usize, i64>, ApplyError> {
    let mut key = sent.key.clone();
    let mut is_anew = false;
    loop {
        let error = match send(handle, sent.creates, key).await {
            Ok(made) => return Ok(made),
            Err(error) if error.outcome() == Outcome::NotExecuted => return Err(error),
            Err(error) => error,
        };
        crash::point("before_send");
        // Where the page cannot be read either, what matters is that nobody knows what became of the slots.
        let Ok(page) = handle.slots().list().await else { return Err(error) };
        crash::point("after_send");
        let made = traces(sent.creates, sent.known, &page);
        if made.len() == sent.creates.len() {
            return Ok(made);
        }
        if is_anew || !made.is_empty() || !is_stored_failure(&error) {
            return Err(error);
        }
        is_anew = true;
        key = match &mut journal {
            Some(journal) => journal.begin_anew(sent.step).map_err(ApplyError::Journal)?,
            None => None,
        };
    }
}

async fn send(
    handle: &ProfileHandle,
    creates: &[Create],
    key: Option<IdempotencyKey>,
) -> Result<BTreeMap<usize, i64>, ApplyError> {
    let call = handle.slots().create_batch(new_slots(creates));
    let call = match key {
        Some(key) => call.with_idempotency_key(key),
        None => call,
    };
    crash::point("before_send");
    let made = call.await.map_err(|error| refused(Step::Create(creates.len()), creates, error))?;
    crash::point("after_send");
    let agree = made.len() == creates.len()
        && made.iter().zip(creates).all(|(slot, create)| slot.kind == create.kind);
    if !agree {
        let (asked, answered) = (creates.len(), made.len());
        return Err(ApplyError::Answer(format!(
            "{asked} slots were sent to be created, and the answer lists {answered} other ones"
        )));
    }
    Ok(creates.iter().zip(&made).map(|(create, slot)| (create.index, slot.id)).collect())
}

/// Validates the request and creates nothing.
pub(super) async fn rehearse(handle: &ProfileHandle, creates: &[Create]) -> Result<(), ApplyError> {
    let step = Step::TryCreate(creates.len());
    crash::point("before_send");
    let result = handle.slots().create_batch(new_slots(creates)).dry_run().await;
    crash::point("after_send");
    result.map_err(|error| refused(step, creates, error))
}

fn refused(step: Step, creates: &[Create], error: Error) -> ApplyError {
    ApplyError::call(step, error, |nth| creates.get(nth).map(|create| create.index))
}

/// A 500 is the service's own answer and is the same for the key from then on; other failures may come from something in front of it.
fn is_stored_failure(error: &ApplyError) -> bool {
    matches!(error, ApplyError::Call { source, .. } if source.status() == Some(500))
}

fn new_slots(creates: &[Create]) -> Vec<NewSlot> {
    creates
        .iter()
        .map(|create| NewSlot {
            type_: create.kind.clone(),
            data: Some(create.data.clone()),
            order: None,
        })
        .collect()
}
