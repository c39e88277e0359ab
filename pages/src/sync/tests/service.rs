//! Simple model of the service that normalizes what it stores, for one page.

use links_sdk::SlotId;
use serde_json::{Map, Value, json};

use crate::apply::{Plan, PlanBatch, SlotTypes};
use links_sdk::{Object, Slot};

/// The profile fields: texts, a list of links, and an image.
pub(super) const FIELDS: [&str; 4] = ["title", "description", "socials", "avatar"];

/// A page, as the service holds it.
#[derive(Clone, Debug, Default)]
pub(super) struct ServicePage {
    pub(super) slots: Vec<Slot>,
    pub(super) fields: Object,
    last_id: i64,
}

pub(super) fn types() -> SlotTypes {
    let mut types = SlotTypes::default();
    let string = json!({"type": ["string", "null"]});
    let style = json!({"enum": ["primary", "bold"], "default": "primary"});
    let html = json!({"type": "string", "readOnly": true});
    types.insert(
        "button",
        true,
        json!({"properties": {"title": string, "link": string, "style": style}}),
    );
    types.insert(
        "text",
        true,
        json!({"properties": {"title": string, "description": string, "html": html}}),
    );
    types.insert("divider", true, json!({"properties": {"style": style}}));
    types
}

/// Returns a value as the service stores it.
pub(super) fn stored(key: &str, value: &Value) -> Value {
    if let Value::Array(values) = value {
        return values.iter().map(|value| stored(key, value)).collect();
    }
    if let Some(image) = value.get("$upload").and_then(Value::as_str) {
        return format!("uploads/{image}.png").into();
    }
    let Value::String(text) = value else { return value.clone() };
    let is_link = key == "link" || key == "socials";
    match text.trim() {
        "" => Value::Null,
        text if is_link && !text.contains("://") => format!("https://{text}").into(),
        text => text.into(),
    }
}

impl ServicePage {
    pub(super) fn position(&self, id: SlotId) -> Option<usize> {
        self.slots.iter().position(|slot| slot.id == id)
    }

    pub(super) fn value(&self, id: SlotId, key: &str) -> Value {
        let slot = self.position(id).map(|position| &self.slots[position]);
        slot.and_then(|slot| slot.data.get(key)).cloned().unwrap_or_default()
    }

    /// Returns what the page shows.
    pub(super) fn contents(&self) -> Vec<(&str, &Object)> {
        self.slots.iter().map(|slot| (slot.kind.as_str(), &slot.data)).collect()
    }

    pub(super) fn ids(&self) -> Vec<SlotId> {
        self.slots.iter().map(|slot| slot.id).collect()
    }

    /// Creates a slot, and fills in what was not given.
    pub(super) fn create(&mut self, kind: &str, data: &Object, position: usize) -> SlotId {
        self.last_id += 1;
        let mut data: Map<String, Value> =
            data.iter().map(|(key, value)| (key.clone(), stored(key, value))).collect();
        if kind == "button" {
            data.entry("style").or_insert(json!("primary"));
        }
        let slot = crate::slot(self.last_id, kind, Object(data), true);
        self.slots.insert(position.min(self.slots.len()), slot);
        self.compute(self.last_id.into());
        self.last_id.into()
    }

    pub(super) fn update(&mut self, id: SlotId, key: &str, value: &Value) {
        if let Some(position) = self.position(id) {
            self.slots[position].data.insert(key.to_owned(), stored(key, value));
            self.compute(id);
        }
    }

    pub(super) fn delete(&mut self, id: SlotId) {
        self.slots.retain(|slot| slot.id != id);
    }

    /// Fills in a value that the service computes.
    fn compute(&mut self, id: SlotId) {
        let Some(position) = self.position(id) else { return };
        let slot = &mut self.slots[position];
        if slot.kind == "text" {
            let html = format!("<p>{}</p>", slot.data.get("title").unwrap_or(&Value::Null));
            slot.data.insert("html".to_owned(), html.into());
        }
    }

    /// Carries a plan out. Returns the IDs of the new slots.
    pub(super) fn execute(&mut self, plan: &Plan) -> Vec<SlotId> {
        self.execute_steps(plan, usize::MAX)
    }

    /// Carries the first steps of a plan out. Returns the IDs of the new slots.
    pub(super) fn execute_steps(&mut self, plan: &Plan, steps: usize) -> Vec<SlotId> {
        let mut created = Vec::new();
        for batch in plan.batches().into_iter().take(steps) {
            match batch {
                PlanBatch::Update(updates) => {
                    for update in updates {
                        for (key, value) in update.changed.iter() {
                            self.update(update.id, key, value);
                        }
                    }
                }
                PlanBatch::TryCreate(_) | PlanBatch::Fields(..) => {}
                PlanBatch::Create(creates) => {
                    for create in creates {
                        created.push(self.create(&create.kind, &create.data, usize::MAX));
                    }
                }
                PlanBatch::Reorder => {
                    let order =
                        plan.resolve_order(&self.ids(), &plan.made(&created)).expect("an order");
                    self.slots.sort_by_key(|slot| order.iter().position(|id| *id == slot.id));
                }
                PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                    for delete in deletes {
                        self.delete(delete.id);
                    }
                }
            }
        }
        created
    }
}
