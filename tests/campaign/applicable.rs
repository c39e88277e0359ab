//! Decision whether a page file must succeed on a page when nothing goes wrong.

use serde_json::Value;

use crate::world::{World, alike};

/// Returns whether every id is on the page with its type, read-only slots stay as they are, there is room, and no value is refused.
pub(crate) fn must_succeed(items: &[Value], world: &World) -> bool {
    let fits = |item: &Value| {
        let data = item["data"].as_object().cloned().unwrap_or_default();
        match item["id"].as_u64() {
            None => !["event", "currency"].contains(&item["type"].as_str().unwrap_or_default()),
            Some(id) => world.slot(id).is_some_and(|slot| {
                let is_read_only = !slot.supported || slot.kind == "event";
                let same = |(key, value): (&String, &Value)| {
                    alike(value, slot.data.get(key).unwrap_or(&Value::Null))
                };
                item["type"] == world.kind(slot) && (!is_read_only || data.iter().all(same))
            }),
        }
    };
    let has_room = items.len() + world.slots.len() <= 500;
    has_room && items.iter().all(|item| fits(item) && is_taken(item))
}

/// Returns whether the service certainly takes the values: false for types whose fields the interface does not show.
fn is_taken(item: &Value) -> bool {
    let data = item["data"].as_object().cloned().unwrap_or_default();
    let text = |key: &str| data.get(key).and_then(Value::as_str);
    let is_filled = |key: &str| text(key).is_some_and(|it| !it.trim().is_empty());
    let is_one_of =
        |key: &str, of: &[&str]| data.get(key).is_none_or(|it| of.iter().any(|known| it == known));
    let knows = |keys: &[&str]| data.keys().all(|key| keys.contains(&key.as_str()));
    match item["type"].as_str().unwrap_or_default() {
        "button" => {
            knows(&["title", "link", "style"])
                && is_filled("title")
                && text("link").is_some_and(|it| it.starts_with("https://"))
                && is_one_of("style", &["primary", "secondary", "outline"])
        }
        "text" => {
            knows(&["title", "description"]) && data.get("description").is_none_or(Value::is_string)
        }
        "form" => {
            knows(&["formId", "view", "buttonText"])
                && is_filled("formId")
                && is_one_of("view", &["button", "inline"])
        }
        "divider" => data.is_empty(),
        _ => false,
    }
}
