//! Creation of a batch of slots, with a check of the page where the answer does not say whether it was executed.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::journal::{Journal, created_slots};
use super::plan::PlannedCreate;
use super::{ApplyCause, Step};
use crate::generated::types::NewSlot;
use crate::operation::CREATE_SLOTS;
use crate::{Error, IdempotencyKey, Outcome, ProfileHandle, Slot};

/// A `createSlots` request.
pub(super) struct CreateRequest<'a> {
    /// Its number among the batches of the plan.
    pub(super) step: usize,
    pub(super) creates: &'a [PlannedCreate],
    /// The slots that it did not make.
    pub(super) known: &'a HashSet<i64>,
    /// The key that was written down for it.
    pub(super) key: Option<IdempotencyKey>,
    /// Whether an earlier process already sent it.
    pub(super) is_repeated: bool,
}

/// Maximum number of requests for one batch.
const MAX_TRIES: u32 = 4;
/// Wait before a key is used again while the service may still be working on its first request.
const KEY_SETTLES: Duration = Duration::from_secs(5);

/// Sends the request and returns the ids of the new slots by the index of their item.
///
/// Where no answer says what happened, the page is read, and only if it shows nothing of the request it is sent again under the same
/// key. A service that stores failures would answer with the same one for ever: one that comes twice is left with another key.
pub(super) async fn create(
    handle: &ProfileHandle,
    sent: &CreateRequest<'_>,
    mut journal: Option<&mut Journal>,
) -> Result<BTreeMap<usize, i64>, ApplyCause> {
    let step = Step::Create(sent.creates.len());
    let shared = &handle.client.shared;
    // Without a journal the tries share a key all the same.
    let mut key = sent.key.clone().unwrap_or_else(IdempotencyKey::random);
    let mut doubt: Option<ApplyCause> = None;
    let mut failures_of_key = 0;
    let mut tries = 0;
    loop {
        tries += 1;
        let error = match send(handle, sent.creates, &key).await {
            Ok(made) => return Ok(made),
            Err(error) => error,
        };
        let is_refused = error.outcome() == Outcome::NotExecuted;
        // Even so the first request may be on its way still: a conflict is what the service says to a key in use.
        let may_be_ours = is_conflict(&error) && (sent.is_repeated || doubt.is_some());
        if is_refused && !may_be_ours {
            return Err(doubt.unwrap_or(error));
        }
        // Where the page cannot be read either, what matters is that it is unknown what became of the slots.
        let Ok(page) = list(handle, step).await else { return Err(doubt.unwrap_or(error)) };
        let made = created_slots(sent.creates, sent.known, &page);
        if made.len() == sent.creates.len() {
            shared.tally.settle(&key, true);
            return Ok(made);
        }
        if !made.is_empty() || tries == MAX_TRIES || !shared.back_off(CREATE_SLOTS, tries).await {
            return Err(doubt.unwrap_or(error));
        }
        if is_own_failure(&error) {
            failures_of_key += 1;
        } else {
            shared.clock.sleep(KEY_SETTLES).await;
        }
        if failures_of_key == 2 {
            // The page showed nothing of it.
            shared.tally.settle(&key, false);
            key = match &mut journal {
                Some(journal) => journal.begin_anew(sent.step).map_err(ApplyCause::Journal)?,
                None => IdempotencyKey::random(),
            };
        }
        if !is_refused {
            doubt = Some(error);
        }
    }
}

async fn send(
    handle: &ProfileHandle,
    creates: &[PlannedCreate],
    key: &IdempotencyKey,
) -> Result<BTreeMap<usize, i64>, ApplyCause> {
    let call = handle.slots().create_batch(new_slots(creates));
    let made = call
        .with_idempotency_key(key.clone())
        .reading_first()
        .await
        .map_err(|error| refused(Step::Create(creates.len()), creates, error))?;
    let agree = made.len() == creates.len()
        && made.iter().zip(creates).all(|(slot, create)| slot.kind == create.kind);
    if !agree {
        let (asked, answered) = (creates.len(), made.len());
        return Err(ApplyCause::Answer(format!(
            "{asked} slots were sent to be created, and the answer lists {answered} other ones"
        )));
    }
    Ok(creates.iter().zip(&made).map(|(create, slot)| (create.index, slot.id)).collect())
}

/// Validates the request and creates nothing. It is sent where the page has no room for all of them yet: a service that checks its limits
/// first refuses that, naming no slot, and then nothing is known of the slots.
pub(super) async fn check_creates(
    handle: &ProfileHandle,
    creates: &[PlannedCreate],
) -> Result<(), ApplyCause> {
    let step = Step::TryCreate(creates.len());
    let result = handle.slots().create_batch(new_slots(creates)).dry_run().await;
    match result.map_err(|error| refused(step, creates, error)) {
        Err(ApplyCause::Call { items, source, .. })
            if items.is_empty() && (source.is_conflict() || source.is_validation()) =>
        {
            Ok(())
        }
        result => result,
    }
}

fn refused(step: Step, creates: &[PlannedCreate], error: Error) -> ApplyCause {
    ApplyCause::call(step, error, |nth| creates.get(nth).map(|create| create.index))
}

/// A failure in the service's own format is its answer to the key; others come from something in front of it, which may have given up
/// on a request that the service is still working on.
fn is_own_failure(error: &ApplyCause) -> bool {
    matches!(error, ApplyCause::Call { source, .. } if source.is_server_error() && source.service().is_some())
}

fn is_conflict(error: &ApplyCause) -> bool {
    matches!(error, ApplyCause::Call { source, .. } if source.is_conflict())
}

pub(super) fn new_slots(creates: &[PlannedCreate]) -> Vec<NewSlot> {
    creates
        .iter()
        .map(|create| NewSlot {
            type_: create.kind.clone(),
            data: Some(create.data.clone()),
            order: None,
        })
        .collect()
}

/// The page as it is now.
pub(super) async fn list(handle: &ProfileHandle, step: Step) -> Result<Vec<Slot>, ApplyCause> {
    handle.slots().list().await.map_err(|error| failed(step, error))
}

pub(super) fn failed(step: Step, source: Error) -> ApplyCause {
    ApplyCause::call(step, source, |_| None)
}
