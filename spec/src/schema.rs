//! Compares two schemas by what they allow, whatever the spelling.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::Error;
use crate::difference::{both, difference, one_sided, short, union};
use crate::document::Object;
use crate::normal::normal;

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
                    self.compare(&spot.inside("!"), a, b, found, depth + 1)?;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(ours: &Value, theirs: &Value) -> Vec<String> {
        let document = json!({
            "components": {"schemas": {
                "Name": {"type": "string", "description": "theirs and ours", "maxLength": 5},
                "Endless": {"allOf": [{"$ref": "#/components/schemas/Endless"}]}
            }}
        });
        let mut found = Vec::new();
        let sides = Sides { ours: &document, theirs: &document };
        if let Err(error) = sides.schemas("body", ours, theirs, &mut found) {
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
            assert_eq!(found(&ours, &theirs), [""; 0], "{ours} {theirs}");
            assert_eq!(found(&theirs, &ours), [""; 0], "{theirs} {ours}");
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
            assert_eq!(found(&ours, &theirs), [expected], "{ours} {theirs}");
        }
    }
}
