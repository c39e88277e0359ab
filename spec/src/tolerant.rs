//! Tolerant reading and strict writing: the choice of the schemas that are open in Rust.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::document::{Object, each_schema, operations};

/// Makes records of answers keep fields that the document does not know, and accept any string where it lists values. A schema that is also
/// sent keeps to its fields: writing is strict. A schema that an answer names itself only wraps a record, and is left unchanged.
pub(crate) fn tolerant_answers(document: &mut Value) {
    let mut wrappers = BTreeSet::new();
    let mut sent = BTreeSet::new();
    for pointer in operations(document) {
        let operation = document.pointer(&pointer).unwrap_or(&Value::Null);
        references(&operation["responses"], &mut wrappers);
        references(&operation["parameters"], &mut sent);
        references(&operation["requestBody"], &mut sent);
    }
    let answered = reachable(document, &wrappers);
    let sent = reachable(document, &sent);
    let Some(schemas) = document.pointer_mut("/components/schemas") else { return };
    for name in answered.difference(&sent) {
        let keeps_unknown = !wrappers.contains(name);
        let Some(schema) = schemas.get_mut(name) else { continue };
        each_schema(schema, true, &mut |schema| {
            schema.shift_remove("enum");
            null_may_be_missing(schema);
            if keeps_unknown && schema.contains_key("properties") {
                // Not `true`, because only a schema makes progenitor generate a field for the rest.
                schema.entry("additionalProperties").or_insert_with(|| json!({}));
            }
        });
    }
}

/// Allows a field that may be `null` to be missing; otherwise typify refuses a record without it.
fn null_may_be_missing(schema: &mut Object) {
    let properties = schema.get("properties").cloned().unwrap_or_default();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| properties[name.as_str().unwrap_or_default()]["nullable"] != true);
    }
}

/// Returns the named schemas that are reachable from a set of named schemas, itself included.
fn reachable(document: &Value, roots: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = roots.iter().cloned().collect();
    while let Some(name) = next.pop() {
        let mut inner = BTreeSet::new();
        references(&document["components"]["schemas"][&name], &mut inner);
        if found.insert(name) {
            next.extend(inner);
        }
    }
    found
}

fn references(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let name = object
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|text| text.strip_prefix("#/components/schemas/"));
            names.extend(name.map(str::to_owned));
            object.values().for_each(|value| references(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(schemas: &Value) -> Value {
        let wrapper = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Wrapper"}}}});
        let body = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Sent"}}}});
        let operation = json!({"requestBody": body, "responses": {"200": wrapper}});
        let mut document =
            json!({"paths": {"/a": {"post": operation}}, "components": {"schemas": schemas}});
        tolerant_answers(&mut document);
        document["components"]["schemas"].clone()
    }

    #[test]
    fn records_of_answers_are_open_and_what_is_sent_is_not() {
        let found = answers(&json!({
            "Wrapper": {"properties": {"data": {"$ref": "#/components/schemas/Record"}}},
            "Record": {
                "required": ["kind", "shared", "note", "undescribed"],
                "properties": {
                    "kind": {"type": "string", "enum": ["a"]},
                    "shared": {"$ref": "#/components/schemas/Shared"},
                    "note": {"type": "string", "nullable": true}
                }
            },
            "Sent": {"properties": {"kind": {"type": "string", "enum": ["a"]}, "shared": {"$ref": "#/components/schemas/Shared"}}},
            "Shared": {"properties": {"link": {"type": "string"}}},
            "Unused": {"properties": {"link": {"type": "string"}}}
        }));
        assert_eq!(
            found,
            json!({
                "Wrapper": {"properties": {"data": {"$ref": "#/components/schemas/Record"}}},
                "Record": {
                    "required": ["kind", "shared", "undescribed"],
                    "properties": {
                        "kind": {"type": "string"},
                        "shared": {"$ref": "#/components/schemas/Shared"},
                        "note": {"type": "string", "nullable": true}
                    },
                    "additionalProperties": {}
                },
                "Sent": {"properties": {"kind": {"type": "string", "enum": ["a"]}, "shared": {"$ref": "#/components/schemas/Shared"}}},
                "Shared": {"properties": {"link": {"type": "string"}}},
                "Unused": {"properties": {"link": {"type": "string"}}}
            })
        );
    }
}
