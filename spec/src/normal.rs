//! One spelling for schemas that mean the same, in OpenAPI 3.0 and in 3.1.

use serde_json::{Value, json};

use crate::Error;
use crate::difference::short;
use crate::document::{Object, resolve};

/// Keywords that explain and do not constrain.
const PROSE: [&str; 9] = [
    "$comment",
    "$defs",
    "deprecated",
    "description",
    "example",
    "examples",
    "externalDocs",
    "title",
    "xml",
];

/// Schemas nested deeper than this are taken for endless.
const DEPTH: usize = 64;

/// A schema in one spelling: references followed, prose dropped, lists without order sorted, `null` among the types.
pub(crate) fn normal(document: &Value, schema: &Value, depth: usize) -> Result<Object, Error> {
    if depth > DEPTH {
        return Err(Error::refused("", "schemas nested without end"));
    }
    let mut schema = match schema {
        Value::Bool(true) => Object::new(),
        Value::Bool(false) => Object::from_iter([("not".to_owned(), json!({}))]),
        Value::Object(schema) => schema.clone(),
        _ => return Err(Error::refused("", format!("{} is not a schema", short(schema)))),
    };
    if let Some(reference) = schema.get("$ref") {
        let target = resolve(document, &json!({"$ref": reference}), "")?.clone();
        schema.shift_remove("$ref");
        schema = merged(normal(document, &target, depth + 1)?, schema);
    }
    schema.retain(|key, _| !PROSE.contains(&key.as_str()) && !key.starts_with("x-"));
    if let Some(Value::Array(parts)) = schema.shift_remove("allOf") {
        for part in parts {
            schema = merged(normal(document, &part, depth + 1)?, schema);
        }
    }
    if let Some(Value::String(only)) = schema.get("type") {
        schema.insert("type".to_owned(), json!([only]));
    }
    older_spellings(&mut schema);
    null_branch(document, &mut schema, depth)?;
    for key in ["type", "enum", "required"] {
        if let Some(Value::Array(list)) = schema.get_mut(key) {
            list.sort_by_key(Value::to_string);
            list.dedup();
        }
    }
    if schema
        .get("additionalProperties")
        .is_some_and(|rest| *rest == json!(true) || *rest == json!({}))
    {
        schema.shift_remove("additionalProperties");
    }
    Ok(schema)
}

/// What OpenAPI 3.0 spells another way: `nullable`, flags beside bounds; and `const`, which is a list of one.
fn older_spellings(schema: &mut Object) {
    if schema.shift_remove("nullable") == Some(json!(true)) {
        add_null(schema);
    }
    for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match schema.get(flag) {
            Some(Value::Bool(true)) => {
                let value = schema.shift_remove(bound).unwrap_or_default();
                schema.insert(flag.to_owned(), value);
            }
            Some(Value::Bool(false)) => drop(schema.shift_remove(flag)),
            _ => {}
        }
    }
    if let Some(value) = schema.shift_remove("const") {
        schema.insert("enum".to_owned(), json!([value]));
    }
    let nullable = schema
        .get("type")
        .and_then(Value::as_array)
        .is_some_and(|types| types.contains(&json!("null")));
    if let Some(Value::Array(values)) = schema.get_mut("enum").filter(|_| nullable) {
        values.retain(|value| !value.is_null());
    }
}

/// `anyOf: [X, null]` is X that may be null.
fn null_branch(document: &Value, schema: &mut Object, depth: usize) -> Result<(), Error> {
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = schema.get_mut(key) else { continue };
        let before = branches.len();
        branches.retain(|branch| branch["type"] != "null");
        if branches.len() == before {
            continue;
        }
        if let [only] = branches.as_slice() {
            let only = normal(document, &only.clone(), depth + 1)?;
            schema.shift_remove(key);
            *schema = merged(only, std::mem::take(schema));
        }
        add_null(schema);
    }
    Ok(())
}

/// Without a type nothing forbids `null`, unless there are alternatives.
fn add_null(schema: &mut Object) {
    let alternatives = schema.contains_key("anyOf") || schema.contains_key("oneOf");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.push(json!("null"));
    } else if alternatives {
        schema.insert("nullable".to_owned(), json!(true));
    }
}

/// Both schemas hold: fields and required names of both, otherwise the second one's word.
fn merged(mut all: Object, second: Object) -> Object {
    for (key, value) in second {
        match (all.get_mut(&key), value) {
            (Some(Value::Object(fields)), Value::Object(more)) if key == "properties" => {
                fields.extend(more);
            }
            (Some(Value::Array(names)), Value::Array(more)) if key == "required" => {
                names.extend(more);
            }
            (_, value) => drop(all.insert(key, value)),
        }
    }
    all
}
