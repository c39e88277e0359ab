//! What runs sent to their page.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::entries::JournalEntries;
#[cfg(test)]
use super::entry::{JournalEntry, RecordedPlan};
use crate::apply::{PlanBatch, PlannedCreate};
use links_sdk::SlotId;

/// Values that runs of a page file have sent to its page since a sync was recorded, except values that were refused.
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
    pub sent: PlannedCreate,
    /// Set if it may have been created in place of a slot that another client had deleted.
    pub may_replace: bool,
}

impl SentValues {
    /// Adds what a run sent. Runs are added in their order.
    pub(super) fn add(&mut self, run: &JournalEntries) {
        let may_replace = run.opening.sync.as_ref().is_some_and(|it| it.overwrite || it.exact);
        let mut made: BTreeMap<usize, SlotId> = BTreeMap::new();
        for (batch, created, plan) in run.sent() {
            let is_known = created.is_some();
            match batch {
                PlanBatch::Fields(request, planned) => {
                    for (name, value) in planned.of(request) {
                        note(self.fields.entry(name.clone()).or_default(), value, is_known);
                    }
                }
                PlanBatch::Update(updates) => {
                    for update in updates {
                        let keys = self.values.entry(update.id).or_default();
                        for (key, value) in update.changed.iter() {
                            note(keys.entry(key.clone()).or_default(), value, is_known);
                        }
                    }
                }
                PlanBatch::Create(creates) => {
                    made.extend(created.into_iter().flatten());
                    for sent in creates {
                        if let Some(id) = created.and_then(|created| created.get(&sent.index)) {
                            let slot = SentSlot { sent: sent.clone(), may_replace };
                            self.created.insert(*id, slot);
                        }
                    }
                }
                PlanBatch::Reorder => {
                    if is_known {
                        self.orders.clear();
                    }
                    self.orders.push(plan.ordered(&made));
                }
                PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                    self.deleted.extend(deletes.iter().map(|delete| delete.id));
                }
                PlanBatch::TryCreate(_) => {}
            }
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
    pub(crate) fn add_run(
        &mut self,
        plan: &crate::apply::Plan,
        made: &[BTreeMap<usize, SlotId>],
        is_cut: bool,
    ) {
        let mut run = JournalEntries::default();
        run.take(JournalEntry::Plan(Box::new(RecordedPlan {
            plan: plan.clone(),
            ..RecordedPlan::default()
        })));
        for (step, created) in made.iter().enumerate() {
            let created = created.clone();
            run.take(JournalEntry::End { step, created, deleted: 0, stored: None });
        }
        if is_cut {
            run.take(JournalEntry::Begin { step: made.len(), key: None });
        }
        self.add(&run);
    }
}
