//! Keys that a schema names, for suggestions of the one that was meant.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Depth limit for nested references and branches, which may form a loop.
const DEPTH: usize = 8;

/// Returns the keys that are legal in an object to which this part of the schema applies.
pub(super) fn of<'s>(schema: &'s Value, part: &'s Value) -> BTreeSet<&'s str> {
    names(schema, vec![part])
}

/// Returns the keys that are legal in the object at this path of the data. Empty if the schema does not say.
pub(super) fn at<'s>(schema: &'s Value, path: &[String]) -> BTreeSet<&'s str> {
    names_of(&places_at(schema, path))
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

fn names<'s>(root: &'s Value, places: Vec<&'s Value>) -> BTreeSet<&'s str> {
    names_of(&with_branches(root, places))
}

fn names_of<'s>(places: &[&'s Value]) -> BTreeSet<&'s str> {
    let properties = |place: &&'s Value| place.get("properties").and_then(Value::as_object);
    places.iter().filter_map(properties).flat_map(Map::keys).map(String::as_str).collect()
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
    fn keys_are_found_through_references_and_subschemas() {
        let schema = json!({
            "properties": {"title": {}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
            "allOf": [{"properties": {"link": {}}}],
            "$defs": {"item": {"anyOf": [{"properties": {"question": {}}, "additionalProperties": false}, {"$ref": "#/$defs/item"}]}},
        });
        let keys = |path: &[&str]| {
            let path: Vec<_> = path.iter().map(ToString::to_string).collect();
            at(&schema, &path).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(keys(&[]), ["items", "link", "title"]);
        assert_eq!(keys(&["items", "3"]), ["question"]);
        assert!(keys(&["items"]).is_empty() && keys(&["nothing", "0"]).is_empty());
        let of = of(&schema, &schema["$defs"]["item"]["anyOf"][0]);
        assert_eq!(of.into_iter().collect::<Vec<_>>(), ["question"]);
    }
}
