//! Normal form of schemas, so that those with the same meaning are equal in OpenAPI 3.0 and in 3.1.

use serde_json::{Value, json};

use crate::Error;
use crate::difference::short;
use crate::document::{Object, resolve};

/// Keywords that document a schema and do not constrain it.
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

/// Maximum nesting of schemas; a deeper one counts as endless.
const DEPTH: usize = 64;

/// Returns a schema in normal form: references followed, prose removed, lists without order sorted, `null` among the types.
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
    // Some generators write an empty list of alternatives.
    let is_empty_list = |key: &str, value: &Value| {
        ["allOf", "anyOf", "oneOf"].contains(&key) && value.as_array().is_some_and(Vec::is_empty)
    };
    schema.retain(|key, value| !is_empty_list(key, value));
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
    branches(document, &mut schema, depth)?;
    types_of_values(&mut schema);
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
    let says_nothing = |key: &str, value: &Value| match key {
        "minLength" | "minItems" | "minProperties" => *value == json!(0),
        "uniqueItems" => *value == json!(false),
        _ => false,
    };
    schema.retain(|key, value| !says_nothing(key, value));
    Ok(schema)
}

/// Rewrites the forms of OpenAPI 3.0, `nullable` and flags beside bounds, and `const`, which is a list of one.
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

/// Normalizes alternatives. Alternatives that only list types or values become one list, a single one is no alternative, and their order
/// does not matter.
fn branches(document: &Value, schema: &mut Object, depth: usize) -> Result<(), Error> {
    let mut all = Vec::new();
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.shift_remove(key) {
            all.extend(branches);
        }
    }
    let before = all.len();
    all.retain(|branch| branch["type"] != "null");
    let nullable = all.len() < before;
    let mut normals = all
        .iter()
        .map(|branch| normal(document, branch, depth + 1))
        .collect::<Result<Vec<_>, _>>()?;
    for lists in [&["type"][..], &["enum", "type"]] {
        let is_list = |branch: &Object| {
            !branch.is_empty()
                && branch.contains_key(lists[0])
                && branch.keys().all(|key| lists.contains(&key.as_str()))
        };
        if normals.len() > 1 && normals.iter().all(is_list) {
            let mut union = Object::new();
            for (key, value) in normals.drain(..).flatten() {
                match (union.get_mut(&key), value) {
                    (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                    (_, value) => drop(union.insert(key, value)),
                }
            }
            normals.push(union);
        }
    }
    match normals.len() {
        0 => {}
        1 => *schema = merged(normals.remove(0), std::mem::take(schema)),
        _ => {
            let branches = normals.into_iter().map(Value::Object).collect();
            schema.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }
    if nullable {
        add_null(schema);
    }
    Ok(())
}

/// Sets the types to those of the listed values.
fn types_of_values(schema: &mut Object) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let mut types: Vec<&str> = values.iter().map(type_of).collect();
    let listed = schema.get("type").and_then(Value::as_array);
    if listed.is_some_and(|listed| listed.iter().any(|it| it == "null")) {
        types.push("null");
    }
    let types = json!(types);
    schema.insert("type".to_owned(), types);
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Allows `null` in a schema. Without a type nothing forbids it, unless there are alternatives.
fn add_null(schema: &mut Object) {
    let alternatives = schema.contains_key("anyOf");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.push(json!("null"));
    } else if alternatives {
        schema.insert("nullable".to_owned(), json!(true));
    }
}

/// Merges two schemas that both hold: fields and required names of both, otherwise the value of the second.
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
