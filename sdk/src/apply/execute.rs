//! Carrying out a plan, one batch after the other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::plan::{Batch, Create, Delete, Plan, Update};
use super::{DesiredPage, Options, same};
use crate::batch::item_of;
use crate::generated::types::{NewSlot, SlotChange};
use crate::{Client, Error, Outcome, ProfileHandle, ProfileKey, Slot};

/// A page as it was read, in one request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// By which all writes address it: a login can change, and one of digits only reads as an id.
    pub id: i64,
    /// Its login when it was read.
    pub login: String,
    /// Its public address.
    pub url: Option<String>,
    /// In page order.
    pub slots: Vec<Slot>,
}

/// A writing request of a plan, as it is told to whoever watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "step", content = "slots", rename_all = "snake_case")]
pub enum Step {
    /// So many slots are updated.
    Update(usize),
    /// The creates are rehearsed.
    TryCreate(usize),
    /// So many slots are created.
    Create(usize),
    /// The page is put in order.
    Reorder,
    /// The page is read once more, because deleting cannot be undone.
    Check,
    /// So many slots are deleted.
    Delete(usize),
    /// The page is read to see that it is as the file says.
    Verify,
}

/// What a run has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Done {
    /// Slots that got new values.
    pub updated: usize,
    /// Ids of new slots, by the index of their item in the file.
    pub created: BTreeMap<usize, i64>,
    /// Whether the page was put in order.
    pub reordered: bool,
    /// Slots that were deleted.
    pub deleted: usize,
}

impl Done {
    /// Whether nothing was written.
    pub fn is_nothing(&self) -> bool {
        self == &Self::default()
    }
}

/// Why a run ended before the page was as the file says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A request failed.
    #[error("{source}")]
    Call {
        /// What it was to do.
        step: Step,
        /// Refused fields by the index of their item in the file: the path below the item, and the service's words.
        items: Vec<ItemRefusal>,
        /// The failure. Its outcome says whether the step itself took place.
        source: Error,
    },
    /// Somebody else changed the page, and going on could destroy it.
    #[error("the page was changed by somebody else: {}", .0.join("; "))]
    Changed(Vec<String>),
    /// All was written, yet the page is not as the file says.
    #[error("the page differs from the file after everything was written")]
    Drift(Box<Plan>),
    /// The service's answer does not say what it did.
    #[error("{0}")]
    Answer(String),
}

/// What the service refused of one item of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemRefusal {
    /// The index of the item.
    pub index: usize,
    /// The keys from the item down: `["data", "link"]`.
    pub path: Vec<String>,
    /// The service's words.
    pub messages: Vec<String>,
}

#[derive(Deserialize)]
struct PageEnvelope {
    data: PageRecord,
}

#[derive(Deserialize)]
struct PageRecord {
    id: i64,
    login: String,
    computed: Option<PageComputed>,
    slots: Option<Vec<Slot>>,
}

#[derive(Deserialize)]
struct PageComputed {
    url: Option<String>,
}

impl Page {
    /// Reads a page and its slots.
    ///
    /// # Errors
    ///
    /// As [`ProfileHandle::get_with_slots`].
    pub async fn read(client: &Client, key: &ProfileKey) -> Result<Self, Error> {
        let answer = client.profile(key).get_with_slots().answer().await?;
        let record = serde_json::from_slice::<PageEnvelope>(answer.body()).map(|envelope| envelope.data);
        let record = match record {
            Ok(record) => record,
            Err(why) => return Err(Error::unreadable("getProfile", &answer, why.to_string())),
        };
        let slots = match record.slots {
            Some(slots) => slots,
            // Without the slots an empty page and an unread one would look alike.
            None => client.profile(record.id).slots().list().await?,
        };
        Ok(Self { id: record.id, login: record.login, url: record.computed.and_then(|computed| computed.url), slots })
    }
}

impl Plan {
    /// Carries out this plan, which was made from `page` for `desired` with `options`. `watch` hears of each step before it is taken, and
    /// can end the run there.
    ///
    /// Returns `None` where `watch` ended it. What was written until then is in `done` either way.
    ///
    /// # Errors
    ///
    /// The first failure. Everything before it stays written.
    pub async fn execute(
        &self,
        client: &Client,
        page: &Page,
        desired: &DesiredPage,
        options: &Options,
        done: &mut Done,
        watch: &mut (dyn FnMut(Step) -> ControlFlow<()> + Send),
    ) -> Result<Option<Vec<Slot>>, ApplyError> {
        let handle = client.profile(page.id);
        let mut run = Run { plan: self, handle, page, done, gone: HashSet::new(), checked: false };
        for batch in self.batches() {
            if matches!(batch, Batch::MakeRoom(_) | Batch::Delete(_)) && !run.checked {
                if watch(Step::Check).is_break() {
                    return Ok(None);
                }
                run.check().await?;
            }
            if watch(step(batch)).is_break() {
                return Ok(None);
            }
            run.write(batch).await?;
        }
        if watch(Step::Verify).is_break() {
            return Ok(None);
        }
        run.verify(desired, options).await.map(Some)
    }
}

fn step(batch: Batch<'_>) -> Step {
    match batch {
        Batch::Update(updates) => Step::Update(updates.len()),
        Batch::TryCreate(creates) => Step::TryCreate(creates.len()),
        Batch::Create(creates) => Step::Create(creates.len()),
        Batch::Reorder => Step::Reorder,
        Batch::MakeRoom(deletes) | Batch::Delete(deletes) => Step::Delete(deletes.len()),
    }
}

/// Tries of a reorder that is refused because the page has other slots than the plan knows.
const MOST_REORDERS: usize = 3;

struct Run<'a> {
    plan: &'a Plan,
    handle: ProfileHandle,
    page: &'a Page,
    done: &'a mut Done,
    gone: HashSet<i64>,
    /// Whether the page was seen as a whole after the last write that was not a delete.
    checked: bool,
}

impl Run<'_> {
    /// Refuses to delete on a page that somebody else works on.
    async fn check(&mut self) -> Result<(), ApplyError> {
        let slots = self.list(Step::Check).await?;
        self.refuse(self.surprises(&slots))?;
        self.checked = true;
        Ok(())
    }

    /// What somebody else did to the slots that the plan relies on.
    fn surprises(&self, slots: &[Slot]) -> Vec<String> {
        let now: HashMap<i64, &Slot> = slots.iter().map(|slot| (slot.id, slot)).collect();
        let doomed: HashSet<i64> = self.plan.deletes.iter().map(|delete| delete.id).collect();
        let missing = |id: &i64| !now.contains_key(id);
        let old = self.page.slots.iter().filter(|slot| !self.gone.contains(&slot.id)).filter_map(|before| {
            let (id, kind) = (before.id, &before.kind);
            match now.get(&id) {
                None => Some(format!("slot {id} ({kind}) is gone")),
                Some(slot) if doomed.contains(&id) && !unchanged(before, slot) => {
                    Some(format!("slot {id} ({kind}) was to be deleted, but it was edited"))
                }
                Some(_) => None,
            }
        });
        let new = self.done.created.values().filter(|id| missing(id)).map(|id| format!("the new slot {id} is gone"));
        old.chain(new).collect()
    }

    /// Slots that neither stood on the page nor were created by this run.
    fn strangers(&self, slots: &[Slot]) -> Vec<String> {
        let known: HashSet<i64> =
            self.page.slots.iter().map(|slot| slot.id).chain(self.done.created.values().copied()).collect();
        let strange = slots.iter().filter(|slot| !known.contains(&slot.id));
        strange.map(|slot| format!("slot {} ({}) is new, and was left alone", slot.id, slot.kind)).collect()
    }

    fn refuse(&self, found: Vec<String>) -> Result<(), ApplyError> {
        if found.is_empty() { Ok(()) } else { Err(ApplyError::Changed(found)) }
    }

    async fn write(&mut self, batch: Batch<'_>) -> Result<(), ApplyError> {
        self.checked &= matches!(batch, Batch::MakeRoom(_) | Batch::Delete(_));
        match batch {
            Batch::Update(updates) => self.update(updates).await,
            Batch::TryCreate(creates) => self.try_create(creates).await,
            Batch::Create(creates) => self.create(creates).await,
            Batch::Reorder => self.reorder().await,
            Batch::MakeRoom(deletes) | Batch::Delete(deletes) => self.delete(deletes).await,
        }
    }

    /// The page is as the file says, and nobody else's work was touched.
    async fn verify(&self, desired: &DesiredPage, options: &Options) -> Result<Vec<Slot>, ApplyError> {
        let slots = self.list(Step::Verify).await?;
        let mut surprises = self.surprises(&slots);
        surprises.extend(self.strangers(&slots));
        self.refuse(surprises)?;
        let options = Options { created: self.done.created.clone(), ..options.clone() };
        match Plan::new(&slots, desired, &options) {
            Ok(left) if left.is_empty() => Ok(slots),
            Ok(left) => Err(ApplyError::Drift(Box::new(left))),
            Err(error) => Err(ApplyError::Changed(vec![error.to_string()])),
        }
    }

    async fn update(&mut self, updates: &[Update]) -> Result<(), ApplyError> {
        let changes =
            updates.iter().map(|update| SlotChange { id: update.id, data: update.changed.clone() }).collect();
        let result = self.handle.slots().update_batch(changes).await;
        result.map_err(|error| failed(Step::Update(updates.len()), error, |nth| updates.get(nth).map(|u| u.index)))?;
        self.done.updated += updates.len();
        Ok(())
    }

    async fn try_create(&mut self, creates: &[Create]) -> Result<(), ApplyError> {
        let result = self.handle.slots().create_batch(new_slots(creates)).dry_run().await;
        result.map_err(|error| failed(Step::TryCreate(creates.len()), error, |nth| creates.get(nth).map(|c| c.index)))
    }

    async fn create(&mut self, creates: &[Create]) -> Result<(), ApplyError> {
        let step = Step::Create(creates.len());
        let result = self.handle.slots().create_batch(new_slots(creates)).await;
        let made = result.map_err(|error| failed(step, error, |nth| creates.get(nth).map(|c| c.index)))?;
        let agree = made.len() == creates.len() && made.iter().zip(creates).all(|(slot, create)| slot.kind == create.kind);
        if !agree {
            let (asked, answered) = (creates.len(), made.len());
            return Err(ApplyError::Answer(format!(
                "{asked} slots were sent to be created, and the answer lists {answered} other ones"
            )));
        }
        self.done.created.extend(creates.iter().zip(&made).map(|(create, slot)| (create.index, slot.id)));
        Ok(())
    }

    async fn reorder(&mut self) -> Result<(), ApplyError> {
        let created: Vec<i64> =
            self.plan.creates.iter().filter_map(|create| self.done.created.get(&create.index).copied()).collect();
        let old = self.page.slots.iter().map(|slot| slot.id).filter(|id| !self.gone.contains(id));
        let mut ids: Vec<i64> = old.chain(created.iter().copied()).collect();
        for tries in 1.. {
            let Some(order) = self.plan.resolve_order(&ids, &created) else { return Ok(()) };
            match self.handle.slots().reorder(order.clone()).await {
                Ok(slots) => {
                    self.done.reordered = true;
                    let answered: Vec<i64> = slots.iter().map(|slot| slot.id).collect();
                    // Whether the answer is the whole page is not documented.
                    if answered == order {
                        self.refuse(self.surprises(&slots))?;
                        self.checked = true;
                    }
                    return Ok(());
                }
                Err(error) if error.is_validation() && tries < MOST_REORDERS => {
                    ids = self.list(Step::Reorder).await?.iter().map(|slot| slot.id).collect();
                }
                Err(error) => return Err(failed(Step::Reorder, error, |_| None)),
            }
        }
        Ok(())
    }

    async fn delete(&mut self, deletes: &[Delete]) -> Result<(), ApplyError> {
        let ids: Vec<i64> = deletes.iter().map(|delete| delete.id).collect();
        let asked = ids.len();
        self.gone.extend(&ids);
        let result = self.handle.slots().delete_batch(ids).await;
        let answer = result.map_err(|error| failed(Step::Delete(asked), error, |_| None))?;
        let deleted = usize::try_from(answer.deleted).unwrap_or_default();
        self.done.deleted += deleted;
        if deleted != asked {
            return Err(ApplyError::Answer(format!("{asked} slots were to be deleted, and the service says {deleted} were")));
        }
        Ok(())
    }

    async fn list(&self, step: Step) -> Result<Vec<Slot>, ApplyError> {
        self.handle.slots().list().await.map_err(|error| failed(step, error, |_| None))
    }
}

fn new_slots(creates: &[Create]) -> Vec<NewSlot> {
    creates
        .iter()
        .map(|create| NewSlot { type_: create.kind.clone(), data: Some(create.data.clone()), order: None })
        .collect()
}

fn unchanged(before: &Slot, now: &Slot) -> bool {
    let value = |slot: &Slot| serde_json::Value::Object(slot.data.0.clone());
    before.kind == now.kind && same(&value(before), &value(now))
}

fn failed(step: Step, source: Error, index: impl Fn(usize) -> Option<usize>) -> ApplyError {
    let items = source.field_errors().iter().filter_map(|(path, messages)| refusal(path, messages, &index)).collect();
    ApplyError::Call { step, items, source }
}

/// `slots.2.data.link` of a batch, as the item of the file that it was made from.
fn refusal(path: &str, messages: &[String], index: impl Fn(usize) -> Option<usize>) -> Option<ItemRefusal> {
    let (nth, below) = item_of(path)?;
    let path = below.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
    Some(ItemRefusal { index: index(nth)?, path, messages: messages.to_vec() })
}

impl ApplyError {
    /// Whether the step that failed may have been written all the same.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Call { source, .. } => source.outcome(),
            Self::Changed(_) => Outcome::NotExecuted,
            Self::Drift(_) | Self::Answer(_) => Outcome::Executed,
        }
    }
}
