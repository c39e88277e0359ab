//! Writes over any number of slots, sent in requests of 50.

use std::collections::HashSet;
use std::fmt;
use std::future::IntoFuture;
use std::ops::Range;

use futures_util::future::BoxFuture;

use crate::api::SlotsHandle;
use crate::call::CallFuture;
use crate::error::{Error, FailedRun};
use crate::error_kind::{ErrorKind, Outcome};
use crate::generated::types::{NewSlot, SlotChange};
use crate::ids::SlotId;
use crate::operation::{self, Operation};
use crate::slot::Slot;
use crate::tolerant::FieldErrors;
use crate::transport::caller_headers::IdempotencyKey;

/// Maximum number of slots that one request creates, updates or deletes.
pub const SLOTS_PER_BATCH: usize = 50;

/// A write of any number of slots that is not sent yet. `.await` sends it, 50 slots per request, in the given order.
///
/// Each request is all or nothing, but the run as a whole is not: it stops at the first request that fails, and a [`BatchError`] reports
/// what was done. From [`SlotsHandle::create_many`], [`SlotsHandle::update_many`] and [`SlotsHandle::delete_many`].
#[must_use = "nothing is sent unless you `.await` it"]
pub struct BatchRun<I, D> {
    slots: SlotsHandle,
    items: Vec<I>,
    key: IdempotencyKey,
    progress: Option<Box<dyn FnMut(BatchProgress) + Send>>,
    verb: &'static str,
    /// An item that is known to be refused half-way.
    refused: Option<(usize, Error)>,
    write: WriteBatch<I, D>,
    id: fn(&D) -> SlotId,
}

/// Sends the items of one request.
type WriteBatch<I, D> =
    fn(&SlotsHandle, Vec<I>, IdempotencyKey) -> BoxFuture<'_, Result<Vec<D>, Error>>;

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchProgress {
    /// Number of slots written.
    pub done: usize,
    /// Number of slots to write.
    pub total: usize,
}

impl<I: Clone + Send + Sync + 'static, D: Send + Sync + 'static> BatchRun<I, D> {
    /// Sets a callback that is called after each request.
    pub fn on_progress(mut self, watch: impl FnMut(BatchProgress) + Send + 'static) -> Self {
        self.progress = Some(Box::new(watch));
        self
    }

    /// Returns the future of the run, so that you can spawn it or poll it with others. `.await` is the same.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let task = tokio::spawn(slots.create_many([NewSlot::of("divider"), NewSlot::of("divider")]).send());
    /// assert_eq!(task.await??.len(), 2);
    /// # Ok(()) });
    /// ```
    pub fn send(self) -> CallFuture<Vec<D>, BatchError> {
        Box::pin(self.run())
    }

    async fn run(self) -> Result<Vec<D>, BatchError> {
        let Self { slots, items, key, mut progress, verb, refused, write, id } = self;
        let total = items.len();
        let mut done = Vec::with_capacity(total);
        let fail = |done: &[D], failed: Range<usize>, cause| {
            BatchError(Box::new(BatchErrorDetails {
                verb,
                done: done.iter().map(id).collect(),
                field_errors: at_index(failed.start, &cause),
                failed,
                total,
                key: key.clone(),
                cause,
            }))
        };
        if let Some((index, error)) = refused {
            return Err(fail(&done, index..index + 1, error));
        }
        for (number, chunk) in items.chunks(SLOTS_PER_BATCH).enumerate() {
            let written = match key_of(&key, number) {
                Ok(key) => write(&slots, chunk.to_vec(), key).await,
                Err(error) => Err(error),
            };
            match written {
                Ok(written) => done.extend(written),
                Err(cause) => {
                    let first = done.len();
                    return Err(fail(&done, first..first + chunk.len(), cause));
                }
            }
            if let Some(watch) = &mut progress {
                watch(BatchProgress { done: done.len(), total });
            }
        }
        Ok(done)
    }
}

impl SlotsHandle {
    /// Creates any number of slots, 50 per request, in page order.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let lines = (1..=120).map(|n| NewSlot::of("text").with("title", format!("Line {n}")));
    /// let many = client.profile("cafe").slots().create_many(lines);
    /// let run = many.run_key().clone();
    /// let made = many.on_progress(|at| println!("{} of {}", at.done, at.total)).await?;
    /// assert_eq!((made.len(), &made[119].data["title"]), (120, &"Line 120".into()));
    ///
    /// // Once more under the same key, as after a crash: nothing is created twice.
    /// let lines = (1..=120).map(|n| NewSlot::of("text").with("title", format!("Line {n}")));
    /// let again = client.profile("cafe").slots().create_many(lines).with_run_key(run).await?;
    /// assert_eq!(again, made);
    /// # Ok(()) });
    /// ```
    pub fn create_many(
        &self,
        slots: impl IntoIterator<Item = impl Into<NewSlot>>,
    ) -> BatchRun<NewSlot, Slot> {
        BatchRun {
            slots: self.clone(),
            items: slots.into_iter().map(Into::into).collect(),
            key: IdempotencyKey::random(),
            progress: None,
            verb: "created",
            refused: None,
            write: |slots, chunk, key| {
                Box::pin(async move {
                    let sent = chunk.len();
                    let made = slots.create_batch(chunk).with_idempotency_key(key).await?;
                    check_count(operation::CREATE_SLOTS, sent, made.len())?;
                    Ok(made)
                })
            },
            id: |slot| slot.id,
        }
    }

    /// Returns a run that sets or deletes slots, and returns their IDs.
    fn run_of<I>(
        &self,
        items: Vec<I>,
        verb: &'static str,
        write: WriteBatch<I, SlotId>,
    ) -> BatchRun<I, SlotId> {
        let (slots, key) = (self.clone(), IdempotencyKey::random());
        BatchRun { slots, items, key, progress: None, verb, refused: None, write, id: |id| *id }
    }

    /// Changes any number of slots, 50 per request, like [`SlotsHandle::update`] does for each. Returns their IDs. Sending the same changes
    /// again has no further effect.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::SlotChange;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let buttons = slots.list().await?.into_iter().filter(|slot| slot.kind == "button");
    /// let quiet = buttons.map(|slot| SlotChange::new(slot.id, [("style", "primary")]));
    /// let changed = slots.update_many(quiet).await?;
    /// assert!(!changed.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn update_many(
        &self,
        changes: impl IntoIterator<Item = SlotChange>,
    ) -> BatchRun<SlotChange, SlotId> {
        self.run_of(changes.into_iter().collect(), "updated", |slots, chunk, _| {
            Box::pin(async move {
                let ids = chunk.iter().map(|change| change.id).collect();
                slots.update_batch(chunk).await?;
                Ok(ids)
            })
        })
    }

    /// Permanently deletes any number of slots and their click statistics, 50 per request. Returns their IDs. A duplicate ID is refused
    /// before anything is sent.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let page = slots.list().await?;
    /// let dividers = page.iter().filter(|slot| slot.kind == "divider").map(|slot| slot.id);
    /// let deleted = slots.delete_many(dividers).await?;
    /// assert_eq!(slots.list().await?.len(), page.len() - deleted.len());
    /// # Ok(()) });
    /// ```
    pub fn delete_many(
        &self,
        ids: impl IntoIterator<Item = impl Into<SlotId>>,
    ) -> BatchRun<SlotId, SlotId> {
        let ids: Vec<SlotId> = ids.into_iter().map(Into::into).collect();
        let mut seen = HashSet::new();
        let repeated = ids.iter().position(|id| !seen.insert(*id));
        let refused = repeated.map(|index| {
            let message = format!("duplicate slot {}", ids[index]);
            (index, Error::invalid(operation::DELETE_SLOTS.id, message))
        });
        let run = self.run_of(ids, "deleted", |slots, chunk, _| {
            Box::pin(async move {
                let answer = slots.delete_batch(chunk.clone()).await?;
                let deleted = usize::try_from(answer.deleted).unwrap_or_default();
                check_count(operation::DELETE_SLOTS, chunk.len(), deleted)?;
                Ok(chunk)
            })
        });
        BatchRun { refused, ..run }
    }
}

impl BatchRun<NewSlot, Slot> {
    /// Returns the key of the run. The key of each request is made from it and the request's number.
    pub fn run_key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// Sets the key of the run instead of a random one. If you send the same slots under the key of an earlier run, that run continues: for
    /// 24 hours, the service repeats its responses to the requests it has executed, and creates the remaining slots.
    pub fn with_run_key(mut self, key: IdempotencyKey) -> Self {
        self.key = key;
        self
    }
}

impl<I: Clone + Send + Sync + 'static, D: Send + Sync + 'static> IntoFuture for BatchRun<I, D> {
    type Output = Result<Vec<D>, BatchError>;
    type IntoFuture = CallFuture<Vec<D>, BatchError>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

impl<I, D> fmt::Debug for BatchRun<I, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchRun")
            .field("slots", &self.items.len())
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// Splits the path of a refused field of a batch, such as `slots.2.data.link`, into the index in the batch and the path below it.
pub fn item_of(path: &str) -> Option<(usize, &str)> {
    let (list, rest) = path.split_once('.')?;
    let (index, below) = rest.split_once('.').unwrap_or((rest, ""));
    matches!(list, "slots" | "ids").then_some(())?;
    Some((index.parse().ok()?, below))
}

/// Returns the refused fields of a request whose first slot has this index.
fn at_index(first: usize, error: &Error) -> FieldErrors {
    let moved = |path: &String| match item_of(path) {
        Some((index, _)) => path.replacen(&format!(".{index}"), &format!(".{}", first + index), 1),
        None => path.clone(),
    };
    let errors = error.field_errors().iter();
    FieldErrors(errors.map(|(path, why)| (moved(path), why.clone())).collect())
}

fn key_of(run: &IdempotencyKey, number: usize) -> Result<IdempotencyKey, Error> {
    IdempotencyKey::new(format!("{run}-{number}")).map_err(|_| {
        let message = "the run key is too long: each request appends a number to it";
        Error::invalid(operation::CREATE_SLOTS.id, message)
    })
}

/// Refuses an answer that is not about the slots that were sent. Which one it is about is unknown.
fn check_count(operation: &Operation, sent: usize, answered: usize) -> Result<(), Error> {
    if sent == answered {
        return Ok(());
    }
    let why = format!("the service reports {answered} slots instead of {sent}");
    Err(Error::own(operation.id, Outcome::Unknown, ErrorKind::Unreadable, why))
}

/// Error of a run that stopped before its last request, with what was done and what was not.
#[derive(Debug)]
pub struct BatchError(Box<BatchErrorDetails>);

#[derive(Debug)]
struct BatchErrorDetails {
    verb: &'static str,
    done: Vec<SlotId>,
    failed: Range<usize>,
    total: usize,
    key: IdempotencyKey,
    field_errors: FieldErrors,
    cause: Error,
}

impl BatchError {
    /// Returns the IDs of the slots written before the request that failed, in order.
    pub fn done(&self) -> &[SlotId] {
        &self.0.done
    }

    /// Returns the indexes of the slots in the failed request. The slots before them were written; the slots after them were not sent.
    pub fn failed(&self) -> Range<usize> {
        self.0.failed.clone()
    }

    /// Returns whether the failed request was executed.
    pub fn outcome(&self) -> Outcome {
        self.0.cause.outcome()
    }

    /// Returns the refused fields and the reasons, with the index of the slot in your list (`slots.120.data.link`).
    pub fn field_errors(&self) -> &FieldErrors {
        &self.0.field_errors
    }

    /// Returns the key of the run, for [`BatchRun::with_run_key`](crate::BatchRun::with_run_key).
    pub fn run_key(&self) -> &IdempotencyKey {
        &self.0.key
    }

    /// Returns whether you can send the same run again without doing anything twice: nothing was done yet, and [the
    /// call](Error::is_safe_to_repeat) can be sent again. Slots that are created under [the key of the run](BatchError::run_key) can always
    /// be sent again.
    pub fn is_safe_to_repeat(&self) -> bool {
        self.0.done.is_empty() && self.0.cause.is_safe_to_repeat()
    }
}

crate::of_run!(BatchError);

#[doc(hidden)]
impl FailedRun for BatchError {
    fn call(&self) -> Option<&Error> {
        Some(&self.0.cause)
    }

    fn outcome(&self) -> Outcome {
        match self.outcome() {
            Outcome::NotExecuted if !self.0.done.is_empty() => Outcome::Executed,
            outcome => outcome,
        }
    }

    fn field_errors(&self) -> &FieldErrors {
        &self.0.field_errors
    }

    fn is_safe_to_repeat(&self) -> bool {
        self.is_safe_to_repeat()
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BatchErrorDetails { verb, done, failed, total, .. } = &*self.0;
        let (first, last) = (failed.start + 1, failed.end);
        let (slots, be) = if first == last {
            (format!("slot {first}"), "was")
        } else {
            (format!("slots {first} to {last}"), "were")
        };
        let outcome = match self.outcome() {
            Outcome::NotExecuted => format!("{be} not"),
            Outcome::Executed => be.to_owned(),
            Outcome::Unknown => "may have been".to_owned(),
        };
        write!(f, "{slots} of {total} {outcome} {verb}")?;
        match done.len() {
            0 => Ok(()),
            before => write!(f, "; the first {before} were {verb}"),
        }
    }
}

impl std::error::Error for BatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_the_item_it_is_below() {
        assert_eq!(item_of("slots.2.data.link"), Some((2, "data.link")));
        assert_eq!(item_of("slots.2"), Some((2, "")));
        assert_eq!(item_of("ids.13"), Some((13, "")));
        for other in ["slots", "slots.x.data", "data.2", "", "slots.-1", "slots."] {
            assert_eq!(item_of(other), None, "{other}");
        }
    }

    #[test]
    fn the_keys_of_a_run_differ_and_a_run_key_leaves_room_for_them() {
        let run = IdempotencyKey::new("r".repeat(126)).unwrap();
        assert_ne!(key_of(&run, 0).unwrap(), key_of(&run, 1).unwrap());
        assert!(key_of(&run, 10).unwrap_err().is_invalid_input());
    }
}
