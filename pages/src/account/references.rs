//! References of pages to forms: `{"$form": NAME}` in the data of a slot.

use serde_json::Value;

use crate::apply::DesiredPage;

const FORM: &str = "$form";

/// Replaces each reference by the value that `form` has for its name. Returns the names for which it has none.
pub(super) fn resolve_forms(
    page: &mut DesiredPage,
    form: &impl Fn(&str) -> Option<Value>,
) -> Vec<String> {
    let mut unknown = Vec::new();
    for slot in &mut page.slots {
        slot.data.values_mut().for_each(|value| replace(value, form, &mut unknown));
    }
    unknown
}

fn replace(value: &mut Value, form: &impl Fn(&str) -> Option<Value>, unknown: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let name = match map.get(FORM) {
                Some(Value::String(name)) if map.len() == 1 => name.clone(),
                _ => return map.values_mut().for_each(|value| replace(value, form, unknown)),
            };
            match form(&name) {
                Some(found) => *value = found,
                None => unknown.push(name),
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| replace(value, form, unknown)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_replaced_wherever_they_are() {
        let mut page: DesiredPage = serde_json::from_value(json!({"slots": [
            {"type": "form", "data": {"formId": {"$form": "booking"}, "list": [{"a": {"$form": "gone"}}], "x": {"$form": 7}}},
        ]}))
        .unwrap();
        let unknown = resolve_forms(&mut page, &|name| (name == "booking").then(|| json!("id-1")));
        assert_eq!(unknown, ["gone"]);
        let expected =
            json!({"formId": "id-1", "list": [{"a": {"$form": "gone"}}], "x": {"$form": 7}});
        assert_eq!(json!(page.slots[0].data), expected);
    }
}
