//! Human-readable labels of slots.

use serde_json::{Map, Value};

/// Label of a slot with this content: its title, else its first string. No list of fields is kept here, because the service defines them.
pub(crate) fn label(data: &Map<String, Value>) -> Option<&str> {
    let text = |value| Value::as_str(value).filter(|it| !it.trim().is_empty());
    let named = ["title", "buttonText"].iter().filter_map(|key| data.get(*key));
    named.chain(data.values()).find_map(text)
}
