//! Comparison of two schemas by what they allow, independent of spelling.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::Error;
use crate::difference::{Found, Way, both, difference, one_sided, severity, short, union};
use crate::document::Object;
use crate::normal::normal;

/// Place of a difference: a place in an operation, and the path of a field from there.
#[derive(Clone)]
struct Spot {
    place: String,
    path: String,
    way: Way,
}

impl Spot {
    fn field(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.inside(&format!("{dot}{name}"))
    }

    fn inside(&self, suffix: &str) -> Self {
        Self { path: format!("{}{suffix}", self.path), ..self.clone() }
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
    /// Adds the differences between two schemas, each at its place.
    pub(crate) fn schemas(
        &self,
        place: &str,
        way: Way,
        ours: &Value,
        theirs: &Value,
        found: &mut Found,
    ) -> Result<(), Error> {
        let spot = Spot { place: place.to_owned(), path: String::new(), way };
        self.compare(&spot, ours, theirs, found, 0)
    }

    fn compare(
        &self,
        spot: &Spot,
        ours: &Value,
        theirs: &Value,
        found: &mut Found,
        depth: usize,
    ) -> Result<(), Error> {
        let (ours, theirs) = (normal(self.ours, ours, depth)?, normal(self.theirs, theirs, depth)?);
        let any = Value::Bool(true);
        for keyword in union(&ours, &theirs) {
            let (a, b) = (ours.get(keyword), theirs.get(keyword));
            match (keyword, a, b) {
                ("required", ..) => {}
                ("properties", ..) => self.properties(spot, a, b, found, depth)?,
                ("anyOf", ..) => self.branches(spot, a, b, found, depth)?,
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
                _ => found.extend(difference(a, b).map(|what| {
                    (spot.way.keyword(keyword, a, b), format!("{spot}: {keyword} {what}"))
                })),
            }
        }
        for (name, side) in one_sided(&names(&ours, "required"), &names(&theirs, "required")) {
            let only_in_ours = side == "only in ours";
            let breaks = only_in_ours == (spot.way == Way::Received);
            found.push((severity(breaks), format!("{}: required {side}", spot.field(&name))));
        }
        Ok(())
    }

    fn properties(
        &self,
        spot: &Spot,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        found: &mut Found,
        depth: usize,
    ) -> Result<(), Error> {
        let none = Object::new();
        let ours = ours.and_then(Value::as_object).unwrap_or(&none);
        let theirs = theirs.and_then(Value::as_object).unwrap_or(&none);
        for name in union(ours, theirs) {
            let here = spot.field(name);
            // Strict writing refuses a field that it does not know; reading does without one that is not required.
            let breaks = (spot.way == Way::Sent, false);
            if let Some((a, b)) = both(&here, ours.get(name), theirs.get(name), breaks, found) {
                self.compare(&here, a, b, found, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Compares alternatives, which have no order: equal ones are paired first, and the rest is compared or named.
    fn branches(
        &self,
        spot: &Spot,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        found: &mut Found,
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
        let sent = spot.way == Way::Sent;
        for (branches, side, breaks) in [(left, "ours", sent), (right, "theirs", !sent)] {
            found.extend(branches.iter().map(|branch| {
                let what = format!("{spot}: anyOf branch {} only in {side}", short(branch));
                (severity(breaks), what)
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
        let refused = sides.schemas("body", Way::Sent, ours, theirs, &mut found).err();
        let found = found.into_iter().map(|(_, what)| what);
        found.chain(refused.map(|error| error.to_string())).collect()
    }

    #[test]
    fn equivalent_schemas_are_equal() {
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
            (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
            (
                json!({"type": ["string", "null"], "const": "a"}),
                json!({"type": "string", "nullable": true, "enum": ["a"]}),
            ),
            (
                json!({"enum": ["a", "b"]}),
                json!({"oneOf": [{"const": "a"}, {"const": "b", "title": "B"}]}),
            ),
            (
                json!({"enum": ["a"], "type": "string"}),
                json!({"anyOf": [{"type": "string", "const": "a"}], "allOf": []}),
            ),
            (
                json!({"type": "string"}),
                json!({"type": "string", "anyOf": [], "oneOf": [], "allOf": []}),
            ),
            (
                json!({"type": ["string", "integer"]}),
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
            ),
            (
                json!({"anyOf": [{"type": "object"}, {"type": "array", "maxItems": 0}]}),
                json!({"oneOf": [{"type": "array", "maxItems": 0}, {"type": "object"}]}),
            ),
            (
                json!({"anyOf": [name, {"type": "null"}]}),
                json!({"type": ["string", "null"], "maxLength": 5}),
            ),
            (
                json!({}),
                json!({"required": [], "properties": {}, "minLength": 0, "minItems": 0, "uniqueItems": false}),
            ),
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
                r#"body: type ["object"] only in ours"#,
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Endless"}),
                "/: schemas nested without end",
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Missing"}),
                "/: `#/components/schemas/Missing` does not exist in this document",
            ),
            (json!({}), json!([]), "/: [] is not a schema"),
        ] {
            assert_eq!(found(&ours, &theirs), [expected], "{ours} {theirs}");
        }
    }

    #[test]
    fn found_h_what_breaks_a_client_depends_on_the_direction() {
        use crate::Severity::{Breaks, Differs};
        let document = json!({});
        let sides = Sides { ours: &document, theirs: &document };
        for (ours, theirs, sent, received) in [
            (json!({"maxLength": 5}), json!({"maxLength": 4}), Breaks, Differs),
            (json!({"maxLength": 5}), json!({"maxLength": 6}), Differs, Differs),
            (json!({"minimum": 5}), json!({"minimum": 6}), Breaks, Differs),
            (json!({}), json!({"pattern": "x"}), Breaks, Differs),
            (json!({"pattern": "x"}), json!({}), Differs, Differs),
            (json!({"type": "string"}), json!({"type": ["string", "null"]}), Differs, Breaks),
            (json!({"type": ["string", "null"]}), json!({"type": "string"}), Breaks, Differs),
            (json!({"type": "integer"}), json!({"type": "number"}), Differs, Breaks),
            (json!({"enum": ["a"]}), json!({"enum": ["a", "b"]}), Differs, Differs),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["a"]}), Breaks, Differs),
            (json!({"properties": {"a": {}}}), json!({}), Breaks, Differs),
            (json!({}), json!({"properties": {"a": {}}}), Differs, Differs),
            (json!({"required": ["a"]}), json!({}), Differs, Breaks),
            (json!({}), json!({"required": ["a"]}), Breaks, Differs),
            (json!({}), json!({"additionalProperties": false}), Breaks, Differs),
            (json!({"default": 1}), json!({"default": 2}), Differs, Differs),
            (
                json!({"anyOf": [{"type": "object"}, {"maxItems": 0}, {"maxLength": 1}]}),
                json!({"anyOf": [{"type": "object"}]}),
                Breaks,
                Differs,
            ),
        ] {
            for (way, expected) in [(Way::Sent, sent), (Way::Received, received)] {
                let mut found = Vec::new();
                sides.schemas("it", way, &ours, &theirs, &mut found).unwrap();
                let worst = found.iter().map(|(severity, _)| *severity).max();
                assert_eq!(worst, Some(expected), "{way:?} {ours} {theirs}: {found:?}");
            }
        }
    }
}
