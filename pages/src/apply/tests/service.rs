//! Simple model of the service: the page of one profile.

use links_sdk::SlotId;
use serde_json::Map;

use super::*;
use links_sdk::Object;

pub(super) struct PageModel {
    pub(super) slots: Vec<Slot>,
    pub(super) created: Vec<SlotId>,
    pub(super) deleted: Vec<SlotId>,
    pub(super) max_slots: usize,
    next_id: i64,
}

impl PageModel {
    pub(super) fn with(slots: Vec<Slot>, max_slots: usize) -> Self {
        let next_id = slots.iter().map(|slot| slot.id).max().map_or(0, SlotId::get) + 1;
        Self { slots, created: Vec::new(), deleted: Vec::new(), max_slots, next_id }
    }

    pub(super) fn ids(&self) -> Vec<SlotId> {
        self.slots.iter().map(|slot| slot.id).collect()
    }

    /// Executes the first `stop` batches of a plan. Returns the IDs of the new slots.
    pub(super) fn run(&mut self, plan: &Plan, stop: usize) -> Vec<SlotId> {
        let mut ids = Vec::new();
        for batch in plan.batches().into_iter().take(stop) {
            let len = match batch {
                PlanBatch::Update(updates) => updates.len(),
                PlanBatch::TryCreate(creates) | PlanBatch::Create(creates) => creates.len(),
                PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => deletes.len(),
                PlanBatch::Reorder | PlanBatch::Fields(..) => 1,
            };
            assert!((1..=50).contains(&len), "{len} slots in one request");
            match batch {
                PlanBatch::Update(updates) => updates.iter().for_each(|update| self.update(update)),
                PlanBatch::TryCreate(_) | PlanBatch::Fields(..) => {}
                PlanBatch::Create(creates) => {
                    ids.extend(creates.iter().map(|create| self.create(create)));
                }
                PlanBatch::Reorder => {
                    let order = plan
                        .resolve_order(&self.ids(), &plan.made(&ids))
                        .expect("a reorder that moves something");
                    self.reorder(&order);
                }
                PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                    for delete in deletes {
                        self.delete(delete.id);
                    }
                }
            }
        }
        ids
    }

    fn update(&mut self, update: &PlannedUpdate) {
        let slot =
            self.slots.iter_mut().find(|slot| slot.id == update.id).expect("a slot of the page");
        assert!(slot.supported && slot.kind != "event", "{} cannot be edited", slot.id);
        assert!(!update.changed.is_empty());
        for (key, before) in update.before.iter() {
            assert_eq!(slot.data.get(key), Some(before));
        }
        slot.data.extend(update.changed.iter().map(|(key, value)| (key.clone(), stored(value))));
    }

    /// Creates a slot. Keys that were not given get a value of the service's own.
    fn create(&mut self, create: &PlannedCreate) -> SlotId {
        assert!(create.kind != "event", "events cannot be created");
        assert!(self.slots.len() < self.max_slots, "the page is full");
        let mut data: Map<_, _> =
            create.data.iter().map(|(key, value)| (key.clone(), stored(value))).collect();
        data.entry("size").or_insert(json!(1));
        data.entry("computed").or_insert(json!({"html": "<p>"}));
        let id = self.next_id.into();
        self.slots.push(crate::slot(self.next_id, &create.kind, Object(data), true));
        self.next_id += 1;
        self.created.push(id);
        id
    }

    fn reorder(&mut self, order: &[SlotId]) {
        let (mut expected, mut given) = (self.ids(), order.to_vec());
        expected.sort_unstable();
        given.sort_unstable();
        assert_eq!(given, expected, "every slot exactly once");
        self.slots.sort_by_key(|slot| order.iter().position(|id| *id == slot.id));
    }

    fn delete(&mut self, id: SlotId) {
        let position =
            self.slots.iter().position(|slot| slot.id == id).expect("a slot of the page");
        assert_ne!(self.slots[position].kind, "event");
        self.slots.remove(position);
        self.deleted.push(id);
    }
}

/// Returns a value as the service stores it: strings trimmed, empty ones nulled, empty objects as lists.
fn stored(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => text.trim().into(),
        Value::Object(map) if map.is_empty() => json!([]),
        other => other.clone(),
    }
}
