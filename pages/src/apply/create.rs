//! Creation of a batch of slots, with a check of the page where the answer does not say whether it was executed.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::batch_request::new_slots;
use super::created_slots::created_slots;
use super::journal::Journal;
use super::{ApplyCause, PlanBatch, PlannedCreate, Step};
use links_sdk::runs::{ReadTime, back_off_create, clock, settle};
use links_sdk::{Error, IdempotencyKey, Outcome, ProfileHandle, ProfileId, Slot, SlotId};

/// Slots that a request created, by the index of their item, with the slots of the answer. If no answer told what was created, these are the
/// slots of the page, with the time at which it was read.
type Created = (BTreeMap<usize, SlotId>, Vec<Slot>, Option<ReadTime>);

/// Maximum number of requests for one batch.
const MAX_TRIES: u32 = 4;
/// Wait before a key is used again while the service may still be working on its first request.
const KEY_SETTLES: Duration = Duration::from_secs(5);

/// Returns the key under which slots are created on a page with these slots. Two runs that create the same slots on the same page at the
/// same time, on any two machines, send one key, so the service creates them once.
///
/// The service remembers a key for a day. If its slots are deleted and are to be created again meanwhile, it returns the old answer:
/// [`next_key`] is for that.
pub(super) fn key_of(
    page: ProfileId,
    mut known: Vec<SlotId>,
    creates: &[PlannedCreate],
) -> IdempotencyKey {
    known.sort_unstable();
    hashed(&json!([page, known, new_slots(creates)]))
}

/// Returns the key for the same slots, after the answer to this key named `made`, which are not on the page, or was a stored failure. It is
/// the same on each machine that got this answer.
pub(super) fn next_key(key: &IdempotencyKey, made: &[SlotId]) -> IdempotencyKey {
    hashed(&json!([key.as_str(), made]))
}

fn hashed(content: &Value) -> IdempotencyKey {
    let digest = Sha256::digest(content.to_string());
    let key = IdempotencyKey::new(format!("links-{}", hex::encode(&digest[..16])));
    key.unwrap_or_else(|_| IdempotencyKey::random())
}

/// Sends the creates of a step of the plan. `known` are slots that the request did not create, `key` is the key that was recorded for it,
/// which is replaced by another one that was used, and `is_repeated` is set if an earlier process already sent it.
///
/// If no answer tells what happened, the page is read, and only if it shows no slot of the request, the request is sent again under the
/// same key. A service that stores failures would answer with the same failure for ever: after the same failure twice, another key is used.
pub(super) async fn create(
    handle: &ProfileHandle,
    mut journal: Option<&mut Journal>,
    (number, creates): (usize, &[PlannedCreate]),
    known: &HashSet<SlotId>,
    key: &mut IdempotencyKey,
    is_repeated: bool,
) -> Result<Created, ApplyCause> {
    let step = Step::Create(creates.len());
    let client = &handle.client;
    let mut doubt: Option<ApplyCause> = None;
    let mut failures_of_key = 0;
    let mut tries = 0;
    loop {
        tries += 1;
        let error = match send(handle, creates, key).await {
            Ok(made) => {
                let ids = creates.iter().zip(&made).map(|(create, slot)| (create.index, slot.id));
                return Ok((ids.collect(), made, None));
            }
            Err(error) => error,
        };
        let is_refused = error.outcome() == Outcome::NotExecuted;
        // Even then the first request may be in progress: the service answers a key in use with a conflict.
        let failure = error.failed_call();
        let may_be_ours =
            failure.is_some_and(Error::is_conflict) && (is_repeated || doubt.is_some());
        // A failure in the service's own format is its answer to the key. Others come from something in front of the service, which may have
        // given up on a request that the service is still working on.
        let is_own = failure.is_some_and(|it| it.is_server_error() && it.service().is_some());
        let asked = failure.and_then(Error::retry_after);
        if is_refused && !may_be_ours {
            return Err(doubt.unwrap_or(error));
        }
        // The page is read after the wait: what the first request has made meanwhile counts.
        let may_repeat = tries < MAX_TRIES && back_off_create(client, tries, asked).await;
        // If the page cannot be read either, the error tells that the outcome of the create is unknown.
        let Ok(page) = list(handle, step).await else { return Err(doubt.unwrap_or(error)) };
        let read_time = ReadTime::now(client);
        let ids = created_slots(creates, known, &page);
        if ids.len() == creates.len() {
            settle(client, key, true);
            return Ok((ids, page, Some(read_time)));
        }
        if !ids.is_empty() || !may_repeat {
            return Err(doubt.unwrap_or(error));
        }
        if !is_own {
            clock(client).sleep(KEY_SETTLES).await;
        } else if asked.is_none() {
            // One that asks for a wait is stored by no service.
            failures_of_key += 1;
        }
        if failures_of_key == 2 {
            // The page showed no slot of the request.
            settle(client, key, false);
            *key = next_key(key, &[]);
            if let Some(journal) = &mut journal {
                journal.begin(number, Some(key)).map_err(ApplyCause::Journal)?;
            }
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
) -> Result<Vec<Slot>, ApplyCause> {
    let call = handle.slots().create_batch(new_slots(creates));
    let made = call
        .with_idempotency_key(key.clone())
        .reading_first()
        .await
        .map_err(|error| ApplyCause::of_batch(PlanBatch::Create(creates), error))?;
    let kinds = creates.iter().map(|create| &create.kind);
    if !made.iter().map(|slot| &slot.kind).eq(kinds) {
        let (asked, answered) = (creates.len(), made.len());
        return Err(ApplyCause::Answer(format!(
            "the created slots do not match the request ({answered} returned, {asked} sent)"
        )));
    }
    Ok(made)
}

/// Validates the request as a dry run, which creates nothing. The page may not have room for all of the slots yet: a service that checks
/// its limits first then refuses the request without naming a slot, which says nothing about the slots themselves.
pub(super) async fn check_creates(
    handle: &ProfileHandle,
    creates: &[PlannedCreate],
) -> Result<(), ApplyCause> {
    let batch = PlanBatch::TryCreate(creates);
    let result = batch.send(handle, Vec::new(), true).await;
    match result.map_err(|error| ApplyCause::of_batch(batch, error)) {
        Err(ApplyCause::Call { items, source, .. })
            if items.is_empty() && (source.is_conflict() || source.is_validation()) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Reads the slots of the page.
pub(super) async fn list(handle: &ProfileHandle, step: Step) -> Result<Vec<Slot>, ApplyCause> {
    handle.slots().list().await.map_err(|error| failed(step, error))
}

pub(super) fn failed(step: Step, source: Error) -> ApplyCause {
    ApplyCause::Call { step, items: Vec::new(), source }
}
