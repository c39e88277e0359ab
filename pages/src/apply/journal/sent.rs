//! What runs sent to their page.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::entry::JournalEntry;
use crate::apply::plan::PlanBatch;
use crate::apply::{Plan, PlannedCreate, SlotRef};
use links_sdk::SlotId;

/// What runs of a page file sent to its page since a sync was recorded, as far as it is not known to be refused.
///
/// From [`JournalStore::sent`](super::JournalStore::sent).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentValues {
    /// By slot and key, the values that may have been the last to be written.
    pub(crate) values: BTreeMap<SlotId, BTreeMap<String, Vec<Value>>>,
    /// By profile field, the values that may have been the last to be written.
    pub(crate) fields: BTreeMap<String, Vec<Value>>,
    /// The slots that were created.
    pub(crate) created: BTreeMap<SlotId, SentSlot>,
    /// The slots that may have been deleted.
    pub(crate) deleted: BTreeSet<SlotId>,
    /// The orders that may have been the last to be written.
    pub(crate) orders: Vec<Vec<SlotId>>,
}

/// A slot that a run created.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SentSlot {
    pub(crate) sent: PlannedCreate,
    /// Set if it may have been created in place of a slot that another client had deleted.
    pub(crate) may_replace: bool,
}

/// A journal that is read for what its run sent.
#[derive(Default)]
struct SentReader<'s> {
    may_replace: bool,
    plan: Option<Plan>,
    created: BTreeMap<usize, SlotId>,
    /// The step that was begun and of which nothing more is known.
    begun: Option<usize>,
    sent: Option<&'s mut SentValues>,
}

impl SentValues {
    /// Adds what the run of a journal sent. Runs are added in their order.
    pub(super) fn add(&mut self, journal: &[u8]) {
        let mut reader = SentReader { sent: Some(self), ..SentReader::default() };
        for line in journal.split_inclusive(|byte| *byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(entry) if line.ends_with(b"\n") => reader.take(entry),
                _ => break,
            }
        }
        reader.end_step(None);
    }
}

impl SentReader<'_> {
    fn take(&mut self, entry: JournalEntry) {
        match entry {
            JournalEntry::Open(header) => {
                self.may_replace = header.sync.is_some_and(|run| run.overwrite || run.exact);
            }
            JournalEntry::Plan { plan, .. } => {
                self.end_step(None);
                self.plan = Some(*plan);
            }
            JournalEntry::Begin { step, .. } => {
                self.end_step(None);
                self.begun = Some(step);
            }
            JournalEntry::End { step, created, .. } => {
                self.begun = Some(step);
                self.end_step(Some(&created));
            }
            JournalEntry::Refused { .. } => self.begun = None,
            JournalEntry::Write(_)
            | JournalEntry::Unknown { .. }
            | JournalEntry::Commit { .. }
            | JournalEntry::Close { .. } => {}
        }
    }

    /// Takes in what the step sent. `created` are the slots that it made; `None` if it is unknown whether it was executed.
    fn end_step(&mut self, created: Option<&BTreeMap<usize, SlotId>>) {
        let (Some(step), Some(plan), Some(sent)) =
            (self.begun.take(), &self.plan, self.sent.as_deref_mut())
        else {
            return;
        };
        let is_known = created.is_some();
        match plan.batches().get(step) {
            Some(PlanBatch::Fields(request, planned)) => {
                for (name, value) in planned.of(*request) {
                    note(sent.fields.entry(name.clone()).or_default(), value, is_known);
                }
            }
            Some(PlanBatch::Update(updates)) => {
                for update in *updates {
                    let keys = sent.values.entry(update.id).or_default();
                    for (key, value) in update.changed.iter() {
                        note(keys.entry(key.clone()).or_default(), value, is_known);
                    }
                }
            }
            Some(PlanBatch::Create(creates)) => {
                self.created.extend(created.into_iter().flatten());
                for create in *creates {
                    let Some(id) = created.and_then(|created| created.get(&create.index)) else {
                        continue;
                    };
                    let slot = SentSlot { sent: create.clone(), may_replace: self.may_replace };
                    sent.created.insert(*id, slot);
                }
            }
            Some(PlanBatch::Reorder) => {
                if is_known {
                    sent.orders.clear();
                }
                let id = |slot: &SlotRef| match slot {
                    SlotRef::Existing(id) => Some(*id),
                    SlotRef::Created(nth) => {
                        self.created.get(&plan.creates.get(*nth)?.index).copied()
                    }
                };
                sent.orders.push(plan.order.iter().filter_map(id).collect());
            }
            Some(PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes)) => {
                sent.deleted.extend(deletes.iter().map(|delete| delete.id));
            }
            Some(PlanBatch::TryCreate(_)) | None => {}
        }
    }
}

/// Adds a value to those that may have been the last to be written; it is the only one if the write is known to have been executed.
fn note(values: &mut Vec<Value>, value: &Value, is_known: bool) {
    if is_known {
        values.clear();
    }
    values.push(value.clone());
}

#[cfg(test)]
impl SentValues {
    /// Adds what a run sent that carried out the first steps of a plan. `made` are the slots that each of them made; `is_cut` is set if the next
    /// step was begun.
    pub(crate) fn add_run(&mut self, plan: &Plan, made: &[BTreeMap<usize, SlotId>], is_cut: bool) {
        let mut reader = SentReader { sent: Some(self), ..SentReader::default() };
        reader.plan = Some(plan.clone());
        for (step, created) in made.iter().enumerate() {
            reader.take(JournalEntry::End {
                step,
                created: created.clone(),
                deleted: 0,
                stored: None,
            });
        }
        if is_cut {
            reader.take(JournalEntry::Begin { step: made.len(), key: None });
        }
        reader.end_step(None);
    }
}
