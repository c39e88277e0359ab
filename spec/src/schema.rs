//! Compares two schemas by what they allow, whatever the spelling.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use crate::Error;
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

/// Where a difference is: a place in an operation, and the path of a field from there.
#[derive(Clone)]
struct Spot {
    place: String,
    path: String,
}

impl Spot {
    fn field(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.inside(&format!("{dot}{name}"))
    }

    fn inside(&self, suffix: &str) -> Self {
        Self { place: self.place.clone(), path: format!("{}{suffix}", self.path) }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.place)
        } else {
            write!(f, "{} {}", self.place, self.path)
        }
    }
}

/// The two documents of a comparison.
pub(crate) struct Sides<'a> {
    pub(crate) ours: &'a Value,
    pub(crate) theirs: &'a Value,
}

impl Sides<'_> {
    /// Adds what differs between two schemas, each difference at its place.
    pub(crate) fn schemas(
        &self,
        place: &str,
        ours: &Value,
        theirs: &Value,
        found: &mut Vec<String>,
    ) -> Result<(), Error> {
        let spot = Spot { place: place.to_owned(), path: String::new() };
        self.compare(&spot, ours, theirs, found, 0)
    }

    fn compare(
        &self,
        spot: &Spot,
        ours: &Value,
        theirs: &Value,
        found: &mut Vec<String>,
        depth: usize,
    ) -> Result<(), Error> {
        let (ours, theirs) = (normal(self.ours, ours, depth)?, normal(self.theirs, theirs, depth)?);
        let any = Value::Bool(true);
        for keyword in union(&ours, &theirs) {
            let (a, b) = (ours.get(keyword), theirs.get(keyword));
            match (keyword, a, b) {
                ("required", ..) => {}
                ("properties", ..) => self.properties(spot, a, b, found, depth)?,
                ("anyOf" | "oneOf", ..) => self.branches(spot, keyword, a, b, found, depth)?,
                ("not", Some(a), Some(b)) => {
                    self.compare(&spot.inside("!"), a, b, found, depth + 1)?
                }
                ("items", ..) => self.compare(
                    &spot.inside("[]"),
                    a.unwrap_or(&any),
                    b.unwrap_or(&any),
                    found,
                    depth + 1,
                )?,
                ("additionalProperties", a, b)
                    if a != Some(&Value::Bool(false)) && b != Some(&Value::Bool(false)) =>
                {
                    self.compare(
                        &spot.field("*"),
                        a.unwrap_or(&any),
                        b.unwrap_or(&any),
                        found,
                        depth + 1,
                    )?;
                }
                _ => found.extend(difference(a, b).map(|what| format!("{spot}: {keyword} {what}"))),
            }
        }
        for (name, side) in one_sided(&names(&ours, "required"), &names(&theirs, "required")) {
            found.push(format!("{}: required {side}", spot.field(&name)));
        }
        Ok(())
    }

    fn properties(
        &self,
        spot: &Spot,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        found: &mut Vec<String>,
        depth: usize,
    ) -> Result<(), Error> {
        let none = Object::new();
        let ours = ours.and_then(Value::as_object).unwrap_or(&none);
        let theirs = theirs.and_then(Value::as_object).unwrap_or(&none);
        for name in union(ours, theirs) {
            let here = spot.field(name);
            if let Some((a, b)) = both(&here, ours.get(name), theirs.get(name), found) {
                self.compare(&here, a, b, found, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Alternatives have no order: equal ones are paired first, and what is left over is compared or named.
    fn branches(
        &self,
        spot: &Spot,
        keyword: &str,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        found: &mut Vec<String>,
        depth: usize,
    ) -> Result<(), Error> {
        let list =
            |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let (mut left, mut right) = (Vec::new(), list(theirs));
        for branch in list(ours) {
            let mut pair = None;
            for (index, other) in right.iter().enumerate() {
                let mut inner = Vec::new();
                self.compare(spot, &branch, other, &mut inner, depth + 1)?;
                if inner.is_empty() {
                    pair = Some(index);
                    break;
                }
            }
            match pair {
                Some(index) => drop(right.remove(index)),
                None => left.push(branch),
            }
        }
        if let ([a], [b]) = (left.as_slice(), right.as_slice()) {
            return self.compare(spot, a, b, found, depth + 1);
        }
        for (branches, side) in [(left, "ours"), (right, "theirs")] {
            found.extend(branches.iter().map(|branch| {
                format!("{spot}: {keyword} branch {} only in {side}", short(branch))
            }));
        }
        Ok(())
    }
}

/// A schema in one spelling: references followed, prose dropped, lists without order sorted, `null` among the types.
fn normal(document: &Value, schema: &Value, depth: usize) -> Result<Object, Error> {
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
                fields.extend(more)
            }
            (Some(Value::Array(names)), Value::Array(more)) if key == "required" => {
                names.extend(more)
            }
            (_, value) => drop(all.insert(key, value)),
        }
    }
    all
}

fn names(schema: &Object, key: &str) -> BTreeSet<String> {
    schema
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// What only one side has, with the side's name.
pub(crate) fn one_sided<T: Ord + Clone>(
    ours: &BTreeSet<T>,
    theirs: &BTreeSet<T>,
) -> Vec<(T, &'static str)> {
    let only = |a: &BTreeSet<T>, b: &BTreeSet<T>| a.difference(b).cloned().collect::<Vec<_>>();
    let ours_only = only(ours, theirs).into_iter().map(|item| (item, "only in ours"));
    let theirs_only = only(theirs, ours).into_iter().map(|item| (item, "only in theirs"));
    ours_only.chain(theirs_only).collect()
}

/// The keys of both objects, ours first, each in its own order.
pub(crate) fn union<'a>(ours: &'a Object, theirs: &'a Object) -> Vec<&'a str> {
    let more = theirs.keys().filter(|key| !ours.contains_key(*key));
    ours.keys().chain(more).map(String::as_str).collect()
}

/// Both values, or a difference when only one side has one.
pub(crate) fn both<'a>(
    place: &dyn fmt::Display,
    ours: Option<&'a Value>,
    theirs: Option<&'a Value>,
    found: &mut Vec<String>,
) -> Option<(&'a Value, &'a Value)> {
    match (ours, theirs) {
        (Some(a), Some(b)) => return Some((a, b)),
        (Some(_), None) => found.push(format!("{place}: only in ours")),
        (None, Some(_)) => found.push(format!("{place}: only in theirs")),
        (None, None) => {}
    }
    None
}

/// How two values differ, in words.
pub(crate) fn difference(ours: Option<&Value>, theirs: Option<&Value>) -> Option<String> {
    match (ours, theirs) {
        (Some(a), Some(b)) if a == b || (a.is_number() && a.as_f64() == b.as_f64()) => None,
        (Some(a), Some(b)) => Some(format!("{} in ours, {} in theirs", short(a), short(b))),
        (Some(a), None) => Some(format!("{} only in ours", short(a))),
        (None, Some(b)) => Some(format!("{} only in theirs", short(b))),
        (None, None) => None,
    }
}

/// A value on one short line.
fn short(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= MOST {
        text
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ours: Value, theirs: Value) -> Vec<String> {
        let document = json!({
            "components": {"schemas": {
                "Name": {"type": "string", "description": "theirs and ours", "maxLength": 5},
                "Endless": {"allOf": [{"$ref": "#/components/schemas/Endless"}]}
            }}
        });
        let mut found = Vec::new();
        let sides = Sides { ours: &document, theirs: &document };
        if let Err(error) = sides.schemas("body", &ours, &theirs, &mut found) {
            found.push(error.to_string());
        }
        found
    }

    #[test]
    fn other_spellings_of_the_same_are_equal() {
        let name = json!({"$ref": "#/components/schemas/Name"});
        for (ours, theirs) in [
            (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
            (
                json!({"type": ["null", "string"]}),
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            ),
            (json!({"const": 1}), json!({"enum": [1]})),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["b", "a"]})),
            (
                json!({"type": ["string", "null"], "enum": ["a", null]}),
                json!({"type": ["string", "null"], "enum": ["a"]}),
            ),
            (json!({"exclusiveMinimum": 0}), json!({"minimum": 0, "exclusiveMinimum": true})),
            (json!({"minimum": 0}), json!({"minimum": 0.0})),
            (name.clone(), json!({"maxLength": 5, "type": "string"})),
            (name.clone(), json!({"allOf": [name], "title": "Name"})),
            (
                json!({"required": ["a", "b"]}),
                json!({"allOf": [{"required": ["b"]}, {"required": ["a"]}]}),
            ),
            (
                json!({"anyOf": [{"type": "object"}, {"type": "array"}]}),
                json!({"anyOf": [{"type": "array"}, {"type": "object"}]}),
            ),
            (json!({"additionalProperties": true}), json!({"x-order": 1, "deprecated": true})),
            (json!(true), json!({})),
        ] {
            assert_eq!(found(ours.clone(), theirs.clone()), [""; 0], "{ours} {theirs}");
            assert_eq!(found(theirs.clone(), ours.clone()), [""; 0], "{theirs} {ours}");
        }
    }

    #[test]
    fn every_difference_is_named_at_its_place() {
        for (ours, theirs, expected) in [
            (json!({}), json!({"maximum": 9}), "body: maximum 9 only in theirs"),
            (
                json!({"maxLength": 3}),
                json!({"maxLength": 4}),
                "body: maxLength 3 in ours, 4 in theirs",
            ),
            (
                json!({"type": "string"}),
                json!({"type": ["string", "null"]}),
                r#"body: type ["string"] in ours, ["null","string"] in theirs"#,
            ),
            (json!({"properties": {"a": {}}}), json!({}), "body a: only in ours"),
            (json!({}), json!({"properties": {"a": {}}}), "body a: only in theirs"),
            (json!({"required": ["a"]}), json!({}), "body a: required only in ours"),
            (
                json!({"properties": {"a": {"items": {"type": "string"}}}}),
                json!({"properties": {"a": {"items": {"type": "string", "format": "uri"}}}}),
                r#"body a[]: format "uri" only in theirs"#,
            ),
            (
                json!({"additionalProperties": false}),
                json!({}),
                "body: additionalProperties false only in ours",
            ),
            (
                json!({"additionalProperties": {"type": "string"}}),
                json!({"additionalProperties": {"type": "integer"}}),
                r#"body *: type ["string"] in ours, ["integer"] in theirs"#,
            ),
            (
                json!({"anyOf": [{"type": "object"}, {"type": "array", "maxItems": 0}]}),
                json!({"anyOf": [{"type": "array", "maxItems": 1}, {"type": "object"}]}),
                "body: maxItems 0 in ours, 1 in theirs",
            ),
            (
                json!({"oneOf": [{"type": "object"}]}),
                json!({}),
                r#"body: oneOf branch {"type":"object"} only in ours"#,
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Endless"}),
                "/: schemas nested without end",
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Missing"}),
                "/: `#/components/schemas/Missing` names nothing in this document",
            ),
            (json!({}), json!([]), "/: [] is not a schema"),
        ] {
            assert_eq!(found(ours.clone(), theirs.clone()), [expected], "{ours} {theirs}");
        }
    }
}
