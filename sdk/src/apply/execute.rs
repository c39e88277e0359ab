//! Carrying out a plan, one batch after the other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow;

use super::create::{Sent, create, rehearse};
use super::journal::{Ending, Journal};
use super::plan::{Batch, Create, Delete, Plan, Update};
use super::{ApplyError, DesiredPage, Done, Options, Page, SlotTypes, Step, crash, same};
use crate::generated::types::SlotChange;
use crate::{Client, Error, IdempotencyKey, Outcome, ProfileHandle, Slot};

/// A run of a plan: what it has done, who is told, and where it is written down.
#[must_use = "nothing runs before it is given to `Plan::execute`"]
pub struct Run<'a> {
    done: Done,
    watch: Option<&'a mut (dyn FnMut(Step) -> ControlFlow<()> + Send)>,
    journal: Option<&'a mut Journal>,
}

impl<'a> Run<'a> {
    /// A run that nobody watches and that leaves no trace.
    pub fn new() -> Self {
        Self { done: Done::default(), watch: None, journal: None }
    }

    /// Tells of each step before it is taken; a break ends the run there.
    pub fn watch(self, watch: &'a mut (dyn FnMut(Step) -> ControlFlow<()> + Send)) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Writes each step down in the journal, which holds the plan already.
    pub fn journal(self, journal: &'a mut Journal) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// What it has done so far.
    pub fn done(&self) -> &Done {
        &self.done
    }

    fn may_go_on(&mut self, step: Step) -> bool {
        self.watch.as_mut().is_none_or(|watch| watch(step).is_continue())
    }
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("done", &self.done).finish_non_exhaustive()
    }
}

impl Plan {
    /// Carries out this plan, which was made from `page` for `desired` with `options`, as `run` says.
    ///
    /// Returns `None` where the run was ended by who watches it. What was written until then is in [`Run::done`] either way.
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
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<Slot>>, ApplyError> {
        let handle = client.profile(page.id);
        let (gone, updated) = (HashSet::new(), HashMap::new());
        let mut work = Work { plan: self, handle, page, run, gone, updated, checked: false };
        let written = work.write_all().await;
        work.close_untouched(&written);
        if !written? || !work.run.may_go_on(Step::Verify) {
            return Ok(None);
        }
        let verified = work.verify(desired, options).await;
        if let Some(journal) = work.run.journal.as_deref_mut() {
            match &verified {
                Ok(slots) => journal.commit(slots.len()),
                Err(ApplyError::Call { .. }) => {}
                Err(_) => journal.close(Ending::Drift),
            }
        }
        verified.map(Some)
    }
}

/// Tries of a reorder that is refused because the page has other slots than the plan knows.
const MOST_REORDERS: usize = 3;

struct Work<'a, 'r> {
    plan: &'a Plan,
    handle: ProfileHandle,
    page: &'a Page,
    run: &'a mut Run<'r>,
    gone: HashSet<i64>,
    /// The slots that this run changed, as the answers showed them then.
    updated: HashMap<i64, Slot>,
    /// Whether the page was seen as a whole after the last write that was not a delete.
    checked: bool,
}

impl Work<'_, '_> {
    /// Whether all was written, and not ended before.
    async fn write_all(&mut self) -> Result<bool, ApplyError> {
        let plan = self.plan;
        for (nth, batch) in plan.batches().into_iter().enumerate() {
            if matches!(batch, Batch::MakeRoom(_) | Batch::Delete(_)) && !self.checked {
                if !self.run.may_go_on(Step::Check) {
                    return Ok(false);
                }
                self.check().await?;
            }
            if !self.run.may_go_on(batch.into()) {
                return Ok(false);
            }
            self.write(nth, batch).await?;
        }
        Ok(true)
    }

    /// Where nothing was written there is nothing to go on with.
    fn close_untouched(&mut self, written: &Result<bool, ApplyError>) {
        let ending = match written {
            Ok(false) | Err(ApplyError::Changed(_)) => Ending::Stopped,
            Err(ApplyError::Call { source, .. }) if source.outcome() == Outcome::NotExecuted => {
                Ending::Refused
            }
            _ => return,
        };
        if let Some(journal) = self.run.journal.as_deref_mut()
            && self.run.done.is_nothing()
            && journal.log().done().is_nothing()
        {
            journal.close(ending);
        }
    }

    /// Refuses to delete on a page that somebody else works on.
    async fn check(&mut self) -> Result<(), ApplyError> {
        let slots = list(&self.handle, Step::Check).await?;
        refuse(self.surprises(&slots))?;
        self.checked = true;
        Ok(())
    }

    /// What somebody else did to the slots that the plan relies on.
    fn surprises(&self, slots: &[Slot]) -> Vec<String> {
        let now: HashMap<i64, &Slot> = slots.iter().map(|slot| (slot.id, slot)).collect();
        let doomed: HashSet<i64> = self.plan.deletes.iter().map(|delete| delete.id).collect();
        let missing = |id: &i64| !now.contains_key(id);
        let old = self.page.slots.iter().filter(|slot| !self.gone.contains(&slot.id)).filter_map(
            |before| {
                let (id, kind) = (before.id, &before.kind);
                match now.get(&id) {
                    None => Some(format!("slot {id} ({kind}) is gone")),
                    Some(slot) if doomed.contains(&id) && !unchanged(before, slot) => {
                        Some(format!("slot {id} ({kind}) was to be deleted, but it was edited"))
                    }
                    Some(_) => None,
                }
            },
        );
        let created = self.run.done.created.values();
        let new = created.filter(|id| missing(id)).map(|id| format!("the new slot {id} is gone"));
        old.chain(new).collect()
    }

    /// Slots that neither stood on the page nor were created by this run.
    fn strangers(&self, slots: &[Slot]) -> Vec<String> {
        let known = self.known();
        let strange = slots.iter().filter(|slot| !known.contains(&slot.id));
        strange
            .map(|slot| format!("slot {} ({}) is new, and was left alone", slot.id, slot.kind))
            .collect()
    }

    /// Slots that are not as they were when this run last saw them. What the service computes does not count.
    fn edits(&self, slots: &[Slot], types: &SlotTypes) -> Vec<String> {
        let now: HashMap<i64, &Slot> = slots.iter().map(|slot| (slot.id, slot)).collect();
        let changed: HashSet<i64> = self.plan.updates.iter().map(|update| update.id).collect();
        let edited = |before: &&Slot| {
            let held = |slot: &Slot, key: &str| slot.data.get(key).cloned().unwrap_or_default();
            now.get(&before.id).is_some_and(|now| {
                let mut keys = before.data.keys().chain(now.data.keys());
                keys.any(|key| {
                    types.is_writable_key(&before.kind, key)
                        && !same(&held(before, key), &held(now, key))
                })
            })
        };
        let left = self.page.slots.iter().filter(|slot| !changed.contains(&slot.id));
        left.chain(self.updated.values())
            .filter(edited)
            .map(|slot| format!("slot {} ({}) was edited, and was left alone", slot.id, slot.kind))
            .collect()
    }

    fn known(&self) -> HashSet<i64> {
        let old = self.page.slots.iter().map(|slot| slot.id);
        old.chain(self.run.done.created.values().copied()).collect()
    }

    async fn write(&mut self, nth: usize, batch: Batch<'_>) -> Result<(), ApplyError> {
        self.checked &= matches!(batch, Batch::MakeRoom(_) | Batch::Delete(_));
        if let Batch::TryCreate(creates) = batch {
            // Nothing is written, so there is nothing to write down.
            return rehearse(&self.handle, creates).await;
        }
        let key = match self.run.journal.as_deref_mut() {
            Some(journal) => journal.begin(nth).map_err(ApplyError::Journal)?,
            None => None,
        };
        let before = self.run.done.deleted;
        let written = match batch {
            Batch::Update(updates) => self.update(updates).await,
            Batch::Create(creates) => self.create(nth, creates, key).await,
            Batch::Reorder => self.reorder().await,
            Batch::MakeRoom(deletes) | Batch::Delete(deletes) => self.delete(deletes).await,
            Batch::TryCreate(_) => Ok(BTreeMap::new()),
        };
        let deleted = self.run.done.deleted - before;
        if let Some(journal) = self.run.journal.as_deref_mut() {
            match &written {
                Ok(created) => journal.end(nth, created.clone(), deleted),
                Err(ApplyError::Changed(_)) => journal.end(nth, Created::new(), deleted),
                Err(error) if error.outcome() == Outcome::NotExecuted => journal.refused(nth),
                Err(_) => journal.unknown(nth),
            }
        }
        written.map(|_| ())
    }

    /// The page is as the file says, and nobody else's work was touched.
    async fn verify(
        &mut self,
        desired: &DesiredPage,
        options: &Options,
    ) -> Result<Vec<Slot>, ApplyError> {
        let slots = list(&self.handle, Step::Verify).await?;
        let mut surprises = self.surprises(&slots);
        surprises.extend(self.strangers(&slots));
        surprises.extend(self.edits(&slots, &options.types));
        refuse(surprises)?;
        let mut options = options.clone();
        options.created.extend(&self.run.done.created);
        match Plan::new(&slots, desired, &options) {
            Ok(left) if left.is_empty() => Ok(slots),
            Ok(left) => Err(ApplyError::Drift(Box::new(left))),
            Err(error) => Err(ApplyError::Changed(vec![error.to_string()])),
        }
    }

    async fn update(&mut self, updates: &[Update]) -> Result<Created, ApplyError> {
        let step = Step::Update(updates.len());
        let changes = updates
            .iter()
            .map(|update| SlotChange { id: update.id, data: update.changed.clone() })
            .collect();
        crash::point("before_send");
        let result = self.handle.slots().update_batch(changes).await;
        crash::point("after_send");
        let answered = result.map_err(|error| {
            ApplyError::call(step, error, |nth| updates.get(nth).map(|update| update.index))
        })?;
        let ids: HashSet<i64> = updates.iter().map(|update| update.id).collect();
        let ours = answered.into_iter().filter(|slot| ids.contains(&slot.id));
        self.updated.extend(ours.map(|slot| (slot.id, slot)));
        self.run.done.updated += updates.len();
        Ok(Created::new())
    }

    async fn create(
        &mut self,
        step: usize,
        creates: &[Create],
        key: Option<IdempotencyKey>,
    ) -> Result<Created, ApplyError> {
        let known = self.known();
        let sent = Sent { step, creates, known: &known, key, is_repeated: false };
        let made = create(&self.handle, &sent, self.run.journal.as_deref_mut()).await?;
        self.run.done.created.extend(&made);
        Ok(made)
    }

    async fn reorder(&mut self) -> Result<Created, ApplyError> {
        let planned = self.plan.creates.iter();
        let created: Vec<i64> = planned
            .filter_map(|create| self.run.done.created.get(&create.index).copied())
            .collect();
        let old = self.page.slots.iter().map(|slot| slot.id).filter(|id| !self.gone.contains(id));
        let mut ids: Vec<i64> = old.chain(created.iter().copied()).collect();
        for tries in 1.. {
            let Some(order) = self.plan.resolve_order(&ids, &created) else { break };
            crash::point("before_send");
            let answer = self.handle.slots().reorder(order.clone()).await;
            crash::point("after_send");
            match answer {
                Ok(slots) => {
                    self.run.done.reordered = true;
                    let answered: Vec<i64> = slots.iter().map(|slot| slot.id).collect();
                    // Whether the answer is the whole page is not documented.
                    if answered == order {
                        refuse(self.surprises(&slots))?;
                        self.checked = true;
                    }
                    break;
                }
                Err(error) if error.is_validation() && tries < MOST_REORDERS => {
                    let slots = list(&self.handle, Step::Reorder).await?;
                    ids = slots.iter().map(|slot| slot.id).collect();
                }
                Err(error) => return Err(failed(Step::Reorder, error)),
            }
        }
        Ok(Created::new())
    }

    async fn delete(&mut self, deletes: &[Delete]) -> Result<Created, ApplyError> {
        let ids: Vec<i64> = deletes.iter().map(|delete| delete.id).collect();
        let asked = ids.len();
        self.gone.extend(&ids);
        crash::point("before_send");
        let result = self.handle.slots().delete_batch(ids).await;
        crash::point("after_send");
        let answer = result.map_err(|error| failed(Step::Delete(asked), error))?;
        let gone = usize::try_from(answer.deleted).unwrap_or_default();
        self.run.done.deleted += gone;
        if gone != asked {
            return Err(ApplyError::Answer(format!(
                "{asked} slots were to be deleted, and the service says {gone} were"
            )));
        }
        Ok(Created::new())
    }
}

/// Ids of new slots by the index of their item.
type Created = BTreeMap<usize, i64>;

/// The page as it is now.
pub(super) async fn list(handle: &ProfileHandle, step: Step) -> Result<Vec<Slot>, ApplyError> {
    crash::point("before_send");
    let slots = handle.slots().list().await;
    crash::point("after_send");
    slots.map_err(|error| failed(step, error))
}

fn refuse(found: Vec<String>) -> Result<(), ApplyError> {
    if found.is_empty() { Ok(()) } else { Err(ApplyError::Changed(found)) }
}

fn unchanged(before: &Slot, now: &Slot) -> bool {
    let value = |slot: &Slot| serde_json::Value::Object(slot.data.0.clone());
    before.kind == now.kind && same(&value(before), &value(now))
}

fn failed(step: Step, source: Error) -> ApplyError {
    ApplyError::call(step, source, |_| None)
}
