//! A page of the service in the form of a page file.

use links_sdk::apply::PageSnapshot;
use serde_json::{Map, Value, json};

/// Returns a page of the service as a page file has it.
pub(crate) fn content(page: &PageSnapshot) -> Value {
    let mut content = Map::new();
    for (name, value) in page.record.iter() {
        let value = match value {
            Value::Array(socials) if name == "socials" => {
                socials.iter().map(|social| social.get("link").unwrap_or(social).clone()).collect()
            }
            other => other.clone(),
        };
        content.insert(name.clone(), value);
    }
    let slot =
        |slot: &links_sdk::Slot| json!({"id": slot.id, "type": slot.kind, "data": slot.data});
    content.insert("slots".to_owned(), page.slots.iter().map(slot).collect());
    Value::Object(content)
}
