//! What a run did to its page, as its journal and the page say.

use std::collections::BTreeMap;

use serde_json::Value;

use super::journal::created_slots;
use super::plan::{PlanBatch, PlannedCreate, PlannedDelete, PlannedUpdate};
use super::{DesiredSlot, FieldsRequest, JournalEntries, Plan, PlannedFields, SlotRef};
use links_sdk::Slot;
use links_sdk::SlotId;

/// What a run did to the slots, as far as it is known or may be.
pub(super) struct RunEffects {
    pub(super) fields: Vec<(FieldsRequest, PlannedFields)>,
    pub(super) updates: Vec<PlannedUpdate>,
    pub(super) creates: Vec<(SlotId, PlannedCreate)>,
    pub(super) deletes: Vec<PlannedDelete>,
    /// Slots in the order that the run left, if it wrote an order.
    pub(super) order: Option<Vec<SlotId>>,
    /// Types of creates of which it is unknown whether they took place.
    pub(super) doubtful: Vec<String>,
}

impl RunEffects {
    pub(super) fn of(run: &JournalEntries, now: &[Slot], before: Option<&[DesiredSlot]>) -> Self {
        let done = run.done();
        let made =
            |create: &PlannedCreate| Some((*done.created.get(&create.index)?, create.clone()));
        let mut effects = Self {
            fields: run.fields().to_vec(),
            updates: run.updates().to_vec(),
            creates: run.creates().iter().filter_map(made).collect(),
            deletes: run.deleted().to_vec(),
            order: None,
            doubtful: Vec::new(),
        };
        let mut has_order = done.reordered;
        match run.doubtful_batch() {
            Some(PlanBatch::Fields(request, fields)) => {
                effects.fields.push((request, fields.clone()));
            }
            Some(PlanBatch::Update(updates)) => effects.updates.extend(updates.iter().cloned()),
            Some(PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes)) => {
                effects.deletes.extend(deletes.iter().cloned());
            }
            Some(PlanBatch::Create(creates)) => match before {
                Some(before) => {
                    let known = before.iter().filter_map(|slot| slot.id);
                    let known = known.chain(done.created.values().copied()).collect();
                    let found = created_slots(creates, &known, now);
                    let of =
                        |create: &PlannedCreate| Some((*found.get(&create.index)?, create.clone()));
                    effects.creates.extend(creates.iter().filter_map(of));
                }
                None => effects.doubtful.extend(creates.iter().map(|create| create.kind.clone())),
            },
            Some(PlanBatch::Reorder) => has_order = true,
            Some(PlanBatch::TryCreate(_)) | None => {}
        }
        if let Some(plan) = run.plan().filter(|_| has_order) {
            effects.order = Some(effects.resolved(plan));
        }
        effects
    }

    /// Returns the ids of the order of a plan.
    fn resolved(&self, plan: &Plan) -> Vec<SlotId> {
        let created = |nth: usize| {
            let index = plan.creates.get(nth)?.index;
            self.creates.iter().find(|(_, create)| create.index == index).map(|(id, _)| *id)
        };
        let ids = plan.order.iter().filter_map(|slot| match slot {
            SlotRef::Existing(id) => Some(*id),
            SlotRef::Created(nth) => created(*nth),
        });
        ids.collect()
    }
}

/// Changes of a run to one slot: for each key the value before the first of them and after the last.
pub(super) struct SlotChanges<'a> {
    pub(super) kind: &'a str,
    pub(super) keys: BTreeMap<&'a str, (Option<&'a Value>, &'a Value)>,
}

pub(super) fn changes_by_slot<'a>(
    effects: &'a RunEffects,
    run: &'a JournalEntries,
) -> BTreeMap<SlotId, SlotChanges<'a>> {
    let stored = run.stored().filter(|_| effects.updates.len() == 1);
    let mut all: BTreeMap<SlotId, SlotChanges<'a>> = BTreeMap::new();
    for update in &effects.updates {
        let slot = all
            .entry(update.id)
            .or_insert_with(|| SlotChanges { kind: &update.kind, keys: BTreeMap::new() });
        for (key, sent) in update.changed.iter() {
            let left = stored.and_then(|stored| stored.get(key)).unwrap_or(sent);
            let entry = slot.keys.entry(key).or_insert((update.before.get(key), left));
            entry.1 = left;
        }
    }
    all
}
