//! Fields that a JSON Schema names: described in words, and as suggestions of the one that was meant. Unrecognised keywords are left out;
//! the schema itself is in `-o json`.

use std::collections::BTreeSet;

use links_sdk::types::SlotType;
use serde_json::{Map, Value};

use super::schema_of;

/// Returns a line for each field of a type's data: name, allowed values, purpose.
pub(crate) fn fields(slot_type: &SlotType) -> Vec<String> {
    lines(&schema_of(slot_type), Some(&slot_type.enum_labels))
}

/// Returns a line for each field within a field: of the object that it is, or of the items of its list.
pub(crate) fn below(schema: &Value) -> Vec<String> {
    lines(inner(schema), None)
}

/// Returns the names of the fields.
pub(crate) fn names(schema: &Value) -> Vec<&str> {
    properties(schema).into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// Returns the paths of the fields beside one that there is not: those within the field above it that there is, else those of the whole.
pub(crate) fn names_beside(schema: &Value, path: &str) -> Vec<String> {
    let parents = path.match_indices('.').rev().map(|(at, _)| &path[..at]);
    let mut within = parents.filter_map(|parent| Some((parent, names(inner(at(schema, parent)?)))));
    match within.find(|(_, names)| !names.is_empty()) {
        Some((parent, names)) => names.iter().map(|name| format!("{parent}.{name}")).collect(),
        None => names(schema).into_iter().map(str::to_owned).collect(),
    }
}

/// Returns the schema of a field, or of a field within it: `items.question`.
pub(crate) fn at<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('.').try_fold(schema, |at, name| properties(inner(at))?.get(name))
}

/// Tells whether a field is required.
pub(crate) fn is_required(schema: &Value, path: &str) -> bool {
    let (parent, name) = match path.rsplit_once('.') {
        Some((parent, name)) => (at(schema, parent), name),
        None => (Some(schema), path),
    };
    parent.is_some_and(|it| requires(inner(it), name))
}

/// Describes the allowed values of a field and its purpose.
pub(crate) fn words(schema: &Value, labels: Option<&Value>, required: bool) -> String {
    let mut parts = vec![kind(schema, labels)];
    let bounds = [
        ("minLength", "at least ", " characters"),
        ("maxLength", "at most ", " characters"),
        ("minimum", "at least ", ""),
        ("maximum", "at most ", ""),
        ("minItems", "at least ", " items"),
        ("maxItems", "at most ", " items"),
        ("pattern", "like ", ""),
    ];
    for (key, before, after) in bounds {
        if let Some(bound) = schema.get(key) {
            let after = if *bound == 1 { after.trim_end_matches('s') } else { after };
            parts.push(format!("{before}{}{after}", plain(bound)));
        }
    }
    if required {
        parts.push("required".to_owned());
    }
    if let Some(default) = schema.get("default") {
        parts.push(format!("default: {}", plain(default)));
    }
    let parts = parts.join(", ");
    match schema["description"].as_str() {
        Some(about) => format!("{parts}. {about}"),
        None => parts,
    }
}

fn lines(schema: &Value, labels: Option<&Map<String, Value>>) -> Vec<String> {
    let Some(properties) = properties(schema) else { return Vec::new() };
    let width = properties.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let line = |(name, field): (&String, &Value)| {
        let labels = labels.and_then(|labels| labels.get(name));
        format!("  {name:width$}  {}", words(field, labels, requires(schema, name)))
    };
    properties.iter().map(line).collect()
}

fn kind(schema: &Value, labels: Option<&Value>) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let one = |value: &Value| {
            let value = plain(value);
            match labels.and_then(|labels| labels[&value].as_str()) {
                Some(label) => format!("{value} ({label})"),
                None => value,
            }
        };
        return values.iter().map(one).collect::<Vec<_>>().join(" | ");
    }
    let items = &schema["items"];
    let one = |name: &Value| match name.as_str() {
        Some("string") => schema["format"].as_str().unwrap_or("string").to_owned(),
        Some("array") if items.is_object() => format!("list of {}", kind(items, None)),
        _ => plain(name),
    };
    match &schema["type"] {
        Value::Array(names) => names.iter().map(one).collect::<Vec<_>>().join(" or "),
        Value::String(_) => one(&schema["type"]),
        _ => "any value".to_owned(),
    }
}

/// Returns the schema of a list's items, otherwise the schema itself.
fn inner(schema: &Value) -> &Value {
    schema.get("items").filter(|items| items.is_object()).unwrap_or(schema)
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object()
}

fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|names| names.iter().any(|it| it == name))
}

/// Formats a value: a string without quotes, everything else as JSON.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Depth limit for nested references and branches, which may form a loop.
const DEPTH: usize = 8;

/// Returns the keys that are legal in the object at this path of the data. Empty if the schema does not say.
pub(super) fn legal_keys_at<'s>(schema: &'s Value, path: &[String]) -> BTreeSet<&'s str> {
    let objects = places_at(schema, path).into_iter().filter_map(properties);
    objects.flat_map(Map::keys).map(String::as_str).collect()
}

/// Returns the parts of the schema that apply to the value at this path of the data, with the targets of their references and their
/// branches.
fn places_at<'s>(schema: &'s Value, path: &[String]) -> Vec<&'s Value> {
    let below = |places: Vec<&'s Value>, key: &String| {
        let step = |place: &'s Value| match key.parse::<usize>() {
            Ok(_) => place.get("items"),
            Err(_) => place.get("properties")?.get(key),
        };
        with_branches(schema, places).into_iter().filter_map(step).collect()
    };
    with_branches(schema, path.iter().fold(vec![schema], below))
}

/// Returns whether the schema says that the value at this path of the data is of a format.
pub(crate) fn has_format(schema: &Value, path: &[String], format: &str) -> bool {
    places_at(schema, path).iter().any(|place| place["format"] == *format)
}

/// Returns the places, the targets of their references, and the branches of both.
fn with_branches<'s>(root: &'s Value, places: Vec<&'s Value>) -> Vec<&'s Value> {
    let mut all = places.clone();
    let mut last = places;
    for _ in 0..DEPTH {
        let referred = |place: &&'s Value| {
            let path = place.get("$ref")?.as_str()?.strip_prefix('#')?;
            root.pointer(path)
        };
        let branches = last.iter().flat_map(|place| {
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|name| place.get(*name)?.as_array())
        });
        let next: Vec<_> =
            last.iter().filter_map(referred).chain(branches.flatten()).take(64).collect();
        all.extend(&next);
        last = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_described_in_words_and_an_unknown_one_as_any_value() {
        let labels = json!({ "a": "First" });
        let cases = [
            (json!({ "type": "string", "minLength": 1 }), "string, at least 1 character"),
            (json!({ "type": ["string", "null"], "format": "uri" }), "uri or null"),
            (json!({ "enum": ["a", "b"], "default": "a" }), "a (First) | b, default: a"),
            (json!({ "type": "array", "items": { "type": "integer" } }), "list of integer"),
            (json!({ "$ref": "#/x", "description": "Whatever." }), "any value. Whatever."),
            (json!(true), "any value"),
        ];
        for (schema, expected) in cases {
            assert_eq!(words(&schema, Some(&labels), false), expected);
        }
    }

    #[test]
    fn a_field_is_found_within_lists() {
        let schema = json!({ "properties": { "items": { "type": "array", "items": {
            "properties": { "q": { "type": "string" } }, "required": ["q"] } } } });
        assert_eq!(at(&schema, "items.q").unwrap()["type"], "string");
        assert!(is_required(&schema, "items.q") && !is_required(&schema, "items"));
        assert!(at(&schema, "items.z").is_none() && at(&schema, "").is_none());
        assert_eq!(names(&schema), ["items"]);
    }

    #[test]
    fn keys_are_found_through_references_and_subschemas() {
        let schema = json!({
            "properties": {"title": {}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
            "allOf": [{"properties": {"link": {}}}],
            "$defs": {"item": {"anyOf": [{"properties": {"question": {}}, "additionalProperties": false}, {"$ref": "#/$defs/item"}]}},
        });
        let keys = |path: &[&str]| {
            let path: Vec<_> = path.iter().map(ToString::to_string).collect();
            legal_keys_at(&schema, &path).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(keys(&[]), ["items", "link", "title"]);
        assert_eq!(keys(&["items", "3"]), ["question"]);
        assert!(keys(&["items"]).is_empty() && keys(&["nothing", "0"]).is_empty());
    }
}
