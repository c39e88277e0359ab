//! Rewrite of slots by a jq filter.

use std::sync::Arc;

use links_pages::apply::{DesiredPage, DesiredSlot, JournalEntries, PageSnapshot, same};
use links_sdk::{Object, Slot};
use serde_json::Value;

use super::page_edit::{AskedPage, PageEdit};
use super::slot_filter::{Filtered, SlotFilter};
use super::state::invalid;
use super::written_slots::WrittenSlots;
use crate::error::CommandError;
use crate::output::label::label;
use crate::output::{Style, StyledLine};
use crate::schema::slot_types::SlotTypeCatalog;

/// Rewrite of the slots that a filter selects.
#[derive(Debug)]
pub(crate) struct Rewrite {
    pub(crate) filter: SlotFilter,
}

impl PageEdit for Rewrite {
    fn command(&self) -> &'static str {
        "slots rewrite"
    }

    fn digest(&self) -> Option<String> {
        Some(self.filter.digest())
    }

    fn ask(
        &self,
        page: &PageSnapshot,
        types: &SlotTypeCatalog,
        interrupted: &[JournalEntries],
    ) -> Result<AskedPage, CommandError> {
        let done = WrittenSlots::of(interrupted);
        let slots: Vec<Slot> = page.slots.iter().filter(|slot| !done.has(slot)).cloned().collect();
        let results = self.filter.apply(&page.login, &slots);
        let results = results.map_err(|why| {
            CommandError::usage(format!(
                "{}: the filter fails: {why}; nothing was written",
                page.login
            ))
        })?;
        let rules = types.rules();
        let (mut items, mut problems, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, result) in slots.iter().zip(results) {
            let changed = match result {
                Filtered::Untouched => continue,
                Filtered::Failed(why) => Err(why),
                Filtered::Made(made) => changed(&page.login, slot, &made),
            };
            match changed {
                Err(why) => problems.push(format!("{}: slot {}: {why}", page.login, slot.id)),
                Ok(changed) if changed.is_empty() => {}
                Ok(_) if !slot.supported || rules.is_read_only(&slot.kind) => {
                    let label =
                        label(&slot.data).map(|it| format!(" \"{it}\"")).unwrap_or_default();
                    let text = format!(
                        "  {} {}{label}: cannot be edited, and is skipped",
                        slot.kind, slot.id
                    );
                    notes.push(StyledLine::new(Style::Faint, text));
                }
                Ok(data) => {
                    items.push(DesiredSlot { id: Some(slot.id), kind: slot.kind.clone(), data });
                }
            }
        }
        if !problems.is_empty() {
            return Err(invalid(problems));
        }
        let (items, instead) = done.continued(items);
        Ok(AskedPage { items: Arc::new(items.into()), instead, at_top: false, notes })
    }

    fn item_name(&self, login: &str, asked: &DesiredPage, index: usize) -> String {
        let id = asked.slots.get(index).and_then(|item| item.id);
        id.map_or_else(|| format!("{login}: item {index}"), |id| format!("{login}: slot {id}"))
    }

    fn question(&self, slots: usize, pages: usize) -> String {
        let slots = if slots == 1 { "1 slot".to_owned() } else { format!("{slots} slots") };
        let pages = if pages == 1 { "1 page".to_owned() } else { format!("{pages} pages") };
        format!("Rewrite {slots} on {pages}?")
    }
}

/// Returns the values that a filter changed, null for keys that it removed.
fn changed(login: &str, slot: &Slot, made: &Value) -> Result<Object, String> {
    let Value::Object(record) = made else {
        return Err(format!("--edit gives {}, not the slot", kind_of(made)));
    };
    let was = super::slot_filter::record(login, slot);
    for key in ["page", "id", "type"] {
        if record.get(key) != was.get(key) {
            return Err(format!("--edit changes its {key}, which stays as it is"));
        }
    }
    if let Some(key) = record.keys().find(|key| was.get(key).is_none()) {
        return Err(format!("--edit adds {key} beside data; values belong in data"));
    }
    let Some(Value::Object(data)) = record.get("data") else {
        return Err("--edit gives data that is not an object".to_owned());
    };
    let mut changed = Object::default();
    for (key, value) in data {
        if !same(value, slot.data.get(key).unwrap_or(&Value::Null)) {
            changed.insert(key.clone(), value.clone());
        }
    }
    for (key, value) in slot.data.iter() {
        if !data.contains_key(key) && !same(value, &Value::Null) {
            changed.insert(key.clone(), Value::Null);
        }
    }
    Ok(changed)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slot() -> Slot {
        serde_json::from_value(json!({"id": 7, "type": "button", "data": {"title": "A", "link": "x"}, "supported": true}))
            .unwrap()
    }

    fn of(made: Value) -> Result<Value, String> {
        changed("cafe", &slot(), &made).map(|it| json!(it))
    }

    #[test]
    fn only_what_differs_is_written_and_removed_keys_are_cleared() {
        let record = |data: Value| json!({"page": "cafe", "id": 7, "type": "button", "data": data});
        assert_eq!(of(record(json!({"title": " A ", "link": "x"}))).unwrap(), json!({}));
        assert_eq!(of(record(json!({"title": "B"}))).unwrap(), json!({"title": "B", "link": null}));
        assert_eq!(
            of(record(json!({"title": "A", "link": "x", "new": 1}))).unwrap(),
            json!({"new": 1})
        );
        assert!(of(record(json!([]))).is_err());
    }

    #[test]
    fn a_filter_cannot_make_another_slot() {
        for made in [
            json!("x"),
            json!({"page": "cafe", "id": 8, "type": "button", "data": {}}),
            json!({"page": "cafe", "id": 7, "type": "text", "data": {}}),
            json!({"page": "other", "id": 7, "type": "button", "data": {}}),
            json!({"page": "cafe", "id": 7, "type": "button", "data": {}, "title": "B"}),
            json!({"page": "cafe", "id": 7, "type": "button"}),
            json!({"data": {}}),
        ] {
            assert!(of(made.clone()).is_err(), "{made}");
        }
    }
}
