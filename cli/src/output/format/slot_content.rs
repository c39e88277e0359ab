//! Content of slots for `--jq` and `--fields`: always an object, also where the service sends an empty one as `[]`, as PHP does.

use serde_json::{Map, Value};

/// Makes the empty content of every slot in a body an object: of a slot, of each slot of a list, and of the slots of a page.
pub(super) fn make_objects(body: &mut Value) {
    match body {
        Value::Array(items) => items.iter_mut().for_each(make_objects),
        Value::Object(record) => {
            let is_slot = record.get("type").is_some_and(Value::is_string);
            let holders = if is_slot { &["slots"][..] } else { &["data", "slots"] };
            for name in holders {
                record.get_mut(*name).into_iter().for_each(make_objects);
            }
            if let Some(data) = record.get_mut("data").filter(|it| is_slot && is_empty_list(it)) {
                *data = Value::Object(Map::new());
            }
        }
        _ => {}
    }
}

fn is_empty_list(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_content_is_an_object_wherever_slots_are() {
        let slot =
            |data: Value| json!({ "id": 1, "type": "divider", "data": data, "computed": [] });
        for wrap in [
            |slot: Value| json!({ "data": slot }),
            |slot: Value| json!({ "data": [slot], "meta": { "total": 1 } }),
            |slot: Value| json!({ "data": { "login": "cafe", "socials": [], "slots": [slot] } }),
            |slot: Value| json!({ "data": [{ "slots": [slot] }] }),
        ] {
            let mut body = wrap(slot(json!([])));
            make_objects(&mut body);
            assert_eq!(body, wrap(slot(json!({}))));
        }
    }

    #[test]
    fn nothing_else_is_changed() {
        for body in [
            json!({ "data": [] }),
            json!({ "data": { "data": [], "title": "x" } }),
            json!({ "data": [{ "type": "text", "data": [1] }] }),
            json!({ "data": [{ "type": 5, "data": [] }] }),
            json!({ "data": [{ "type": "text", "data": { "type": "x", "data": [] } }] }),
            json!([]),
            json!("x"),
        ] {
            let mut changed = body.clone();
            make_objects(&mut changed);
            assert_eq!(changed, body);
        }
    }
}
