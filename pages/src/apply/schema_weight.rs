//! Limit on the cost of applying a JSON Schema of the service: a few hundred bytes of references that double describe a tree of
//! astronomic size.

use std::collections::HashMap;

use serde_json::Value;

/// Maximum number of schemas that may apply along one path from the root of the data down.
const MAX: u64 = 20_000;

/// Maximum depth of data, as in a page file.
const DATA_DEPTH: usize = 32;

/// Maximum length of a chain of references and keywords.
const CHAIN: usize = 400;

/// Keywords that apply to the same value as the schema that has them.
const IN_PLACE: [&str; 7] = ["not", "if", "then", "else", "allOf", "anyOf", "oneOf"];
const MAPS_IN_PLACE: [&str; 2] = ["dependentSchemas", "dependencies"];

/// Keywords that apply to values below.
const BELOW: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];

/// Returns whether the number of steps to apply a schema is limited by the size of the data. References to other documents count as none,
/// because nothing is fetched.
///
/// ```
/// use links_pages::apply::is_bounded_schema;
/// use serde_json::json;
///
/// let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
/// assert!(is_bounded_schema(&tree));
/// let twice = json!({"items": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}});
/// assert!(!is_bounded_schema(&twice));
/// ```
pub fn is_bounded_schema(schema: &Value) -> bool {
    if is_small_tree(schema) {
        return true;
    }
    let mut walk = SchemaWalk { root: schema, known: HashMap::new(), chain: 0 };
    walk.weight(schema, DATA_DEPTH).is_some()
}

/// Returns the place in the document `root` that a schema refers to.
pub(super) fn referred<'s>(root: &'s Value, schema: &Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// Returns whether a schema refers to nothing and is so small that its weight, which is at most its size, needs no walk.
fn is_small_tree(schema: &Value) -> bool {
    fn size(value: &Value) -> Option<u64> {
        let add = |sum, value| Some(sum + size(value)?);
        match value {
            Value::Array(list) => list.iter().try_fold(1, add),
            Value::Object(map) if map.contains_key("$ref") => None,
            Value::Object(map) => map.values().try_fold(1, add),
            _ => Some(1),
        }
    }
    size(schema).is_some_and(|size| size <= CHAIN as u64)
}

struct SchemaWalk<'s> {
    root: &'s Value,
    /// Weights by schema and remaining depth of data. `None` while a weight is computed: a schema that refers back to itself there never
    /// ends.
    known: HashMap<(*const Value, usize), Option<u64>>,
    chain: usize,
}

impl<'s> SchemaWalk<'s> {
    /// Returns the number of schemas that apply along the heaviest path of data; `None` if there are too many.
    fn weight(&mut self, schema: &'s Value, depth: usize) -> Option<u64> {
        let Value::Object(keywords) = schema else { return Some(0) };
        let key = (std::ptr::from_ref(schema), depth);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if self.chain == CHAIN {
            return None;
        }
        self.chain += 1;
        self.known.insert(key, None);

        let each = |name: &str| match keywords.get(name) {
            Some(Value::Array(list)) => &list[..],
            one => one.map_or(&[][..], std::slice::from_ref),
        };
        let map = |name: &str| {
            keywords.get(name).and_then(Value::as_object).into_iter().flat_map(|map| map.values())
        };
        let here = referred(self.root, schema)
            .into_iter()
            .chain(IN_PLACE.iter().flat_map(|name| each(name)));
        let mut weight = 1;
        for schema in here.chain(MAPS_IN_PLACE.iter().flat_map(|name| map(name))) {
            weight += self.weight(schema, depth)?;
        }
        if let Some(depth) = depth.checked_sub(1) {
            // One property is one path; patterns may meet at the same one.
            let items = each("prefixItems").iter().collect();
            for exclusive in [map("properties").collect::<Vec<_>>(), items] {
                let mut most = 0;
                for schema in exclusive {
                    most = most.max(self.weight(schema, depth)?);
                }
                weight += most;
            }
            // In older drafts `items` may be a list.
            let below = BELOW.iter().flat_map(|name| each(name)).chain(map("patternProperties"));
            for schema in below {
                weight += self.weight(schema, depth)?;
            }
        }
        self.chain -= 1;
        let weight = Some(weight).filter(|weight| *weight <= MAX);
        self.known.insert(key, weight);
        weight
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a schema in which `a0` refers to `a1` twice, and so on.
    fn doubling(levels: usize) -> Value {
        let twice = |to: usize| {
            let next = json!({ "$ref": format!("#/$defs/a{to}") });
            json!({ "allOf": [next, next] })
        };
        let mut definitions: serde_json::Map<_, _> =
            (0..levels).map(|at| (format!("a{at}"), twice(at + 1))).collect();
        definitions.insert(format!("a{levels}"), json!({"type": "object"}));
        json!({ "$ref": "#/$defs/a0", "$defs": definitions })
    }

    #[test]
    fn references_that_double_are_not_followed() {
        assert!(is_bounded_schema(&doubling(8)));
        assert!(!is_bounded_schema(&doubling(40)));
        let wide = json!({ "$ref": "#" });
        assert!(!is_bounded_schema(&json!({ "allOf": vec![wide; 1000] })));
        let chain: serde_json::Map<_, _> = (0..5000)
            .map(|at| (format!("a{at}"), json!({ "$ref": format!("#/$defs/a{}", at + 1) })))
            .collect();
        assert!(!is_bounded_schema(&json!({ "$ref": "#/$defs/a0", "$defs": chain })));
        assert!(!is_bounded_schema(&json!({ "$ref": "#" })));
    }

    #[test]
    fn ordinary_schemas_are_bounded() {
        for schema in [
            json!({}),
            json!(true),
            json!({"properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
                "$defs": {"item": {"anyOf": [{"properties": {"items": {"items": {"$ref": "#/$defs/item"}}}}, {"type": "null"}]}}}),
            json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}}}),
            json!({"$ref": "https://elsewhere.example/schema"}),
        ] {
            assert!(is_bounded_schema(&schema), "{schema}");
        }
    }
}
