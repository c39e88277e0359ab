//! What a run did to its page, as its journal and the page say.

use std::collections::BTreeMap;

use serde_json::Value;

use super::created_slots::created_slots;
use super::page_fields::held;
use super::{DesiredSlot, JournalEntries, PlanBatch, PlannedCreate, PlannedDelete, same};
use links_sdk::{Object, Slot, SlotId};

/// Changed values: for each key the value before the first change and after the last.
pub(super) type KeyChanges<'r> = BTreeMap<&'r str, (Option<&'r Value>, &'r Value)>;

/// What a run did to the slots, as far as it is known or may be.
#[derive(Default)]
pub(super) struct RunEffects<'r> {
    pub fields: KeyChanges<'r>,
    /// Changed slots, each with its type.
    pub updates: BTreeMap<SlotId, (&'r str, KeyChanges<'r>)>,
    pub creates: Vec<(SlotId, &'r PlannedCreate)>,
    pub deletes: Vec<&'r PlannedDelete>,
    /// Slots in the order that the run left, if it wrote an order.
    pub order: Option<Vec<SlotId>>,
    /// Types of creates of which it is unknown whether they took place.
    pub doubtful: Vec<&'r str>,
}

impl<'r> RunEffects<'r> {
    pub(super) fn of(
        run: &'r JournalEntries,
        now: &[Slot],
        before: Option<&[DesiredSlot]>,
    ) -> Self {
        let mut effects = Self::default();
        let mut has_order = false;
        let note =
            |changes: &mut KeyChanges<'r>, key: &'r str, sent: &'r Value, before: &'r Object| {
                let left = run.stored.as_ref().and_then(|stored| stored.get(key)).unwrap_or(sent);
                changes.entry(key).or_insert((before.get(key), left)).1 = left;
            };
        let executed = run.executed().map(|(batch, created)| (batch, Some(created.clone())));
        let doubtful = run.doubtful_batch().filter(|batch| !batch.replaces()).into_iter();
        // Last: what is known to have been replaced is restored rather than what was perhaps replaced before.
        let in_doubt = doubtful.chain(run.perhaps_replaced()).map(|batch| (batch, None));
        for (batch, created) in executed.chain(in_doubt) {
            match batch {
                PlanBatch::Fields(request, fields) => {
                    for (name, sent) in fields.of(request) {
                        note(&mut effects.fields, name, sent, &fields.before);
                    }
                }
                PlanBatch::Update(updates) => {
                    for update in updates {
                        let slot = effects.updates.entry(update.id);
                        let (_, keys) = slot.or_insert_with(|| (&update.kind, KeyChanges::new()));
                        for (key, sent) in update.changed.iter() {
                            note(keys, key, sent, &update.before);
                        }
                    }
                }
                PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                    effects.deletes.extend(deletes);
                }
                PlanBatch::Create(creates) => {
                    let found = created.or_else(|| {
                        let known = before?.iter().filter_map(|slot| slot.id);
                        let known = known.chain(run.done.created.values().copied()).collect();
                        Some(created_slots(creates, &known, now))
                    });
                    let Some(found) = found else {
                        effects.doubtful.extend(creates.iter().map(|create| &*create.kind));
                        continue;
                    };
                    let made =
                        |create: &'r PlannedCreate| Some((*found.get(&create.index)?, create));
                    effects.creates.extend(creates.iter().filter_map(made));
                }
                PlanBatch::Reorder => has_order = true,
                PlanBatch::TryCreate(_) => {}
            }
        }
        if let Some(plan) = run.plan().filter(|_| has_order) {
            let made = effects.creates.iter().map(|(id, create)| (create.index, *id)).collect();
            effects.order = Some(plan.ordered(&made));
        }
        effects
    }

    /// Returns the slots before the run. Those that a later plan of the run deleted are as that plan found them, with the run's own changes
    /// reversed.
    pub(super) fn before(&self, run: &JournalEntries, backup: &[DesiredSlot]) -> Vec<DesiredSlot> {
        let mut before = backup.to_vec();
        for found in run.plans.iter().flat_map(|recorded| &recorded.found) {
            let mut slot = found.clone();
            let changed = found.id.and_then(|id| self.updates.get(&id));
            for (key, (before, left)) in changed.into_iter().flat_map(|(_, keys)| keys) {
                // Others may have edited it after the run did.
                if !same(held(&slot.data, key), left) {
                    continue;
                }
                match before {
                    Some(before) => slot.data.insert((*key).to_owned(), (*before).clone()),
                    None => slot.data.remove(*key),
                };
            }
            match before.iter_mut().find(|it| it.id == slot.id) {
                Some(old) => *old = slot,
                None => before.push(slot),
            }
        }
        before
    }
}
