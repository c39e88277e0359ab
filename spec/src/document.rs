//! Access to an OpenAPI document: its schemas, its operations, and the targets of a `$ref`.

use serde_json::{Map, Value};

use crate::Error;

/// Content of a JSON object.
pub(crate) type Object = Map<String, Value>;

/// Methods of a path item, in the order in which OpenAPI lists them.
pub(crate) const METHODS: [&str; 8] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Keywords of a schema that hold one schema.
const ONE: [&str; 3] = ["items", "additionalProperties", "not"];
/// Keywords of a schema that hold a list of schemas.
const LIST: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// A change to one schema.
pub(crate) type Rule<'a> = dyn FnMut(&mut Object) + 'a;

/// Applies a rule to every schema of a document, outer schemas before those inside them.
pub(crate) fn each_schema(document: &mut Value, rule: &mut Rule) {
    let named = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, schema) in named.into_iter().flatten() {
        each_schema_in(schema, rule);
    }
    outside_schemas(document, rule);
}

/// Applies a rule to the schemas that stand in parameters, headers and bodies.
fn outside_schemas(value: &mut Value, rule: &mut Rule) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match key.as_str() {
                    "example" | "examples" | "schemas" => {}
                    "schema" => each_schema_in(value, rule),
                    _ => outside_schemas(value, rule),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| outside_schemas(value, rule)),
        _ => {}
    }
}

/// Applies a rule to a schema and to every schema inside it. `true`, which allows everything, counts as the empty schema.
pub(crate) fn each_schema_in(schema: &mut Value, rule: &mut Rule) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Object::new());
    }
    let Value::Object(schema) = schema else { return };
    rule(schema);
    for (_, schema) in
        schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        each_schema_in(schema, rule);
    }
    for key in ONE {
        match schema.get_mut(key) {
            Some(Value::Bool(_)) if key == "additionalProperties" => {}
            Some(inner) => each_schema_in(inner, rule),
            None => {}
        }
    }
    for key in LIST {
        for inner in schema.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            each_schema_in(inner, rule);
        }
    }
}

/// One operation: its method, and its JSON pointer.
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) method: &'static str,
    pub(crate) pointer: String,
}

/// Returns the places of the operations of a document, in the document's order.
pub(crate) fn operations(document: &Value) -> Vec<Place> {
    let mut places = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            if item.get(method).is_some_and(Value::is_object) {
                let pointer = child(&child("/paths", path), method);
                places.push(Place { path: path.clone(), method, pointer });
            }
        }
    }
    places
}

/// Returns the value itself, or the target of its `$ref` in the document.
pub(crate) fn resolve<'a>(
    document: &'a Value,
    value: &'a Value,
    pointer: &str,
) -> Result<&'a Value, Error> {
    let mut value = value;
    // A chain of references longer than this names itself.
    for _ in 0..32 {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok(value) };
        value = reference
            .strip_prefix('#')
            .and_then(|target| document.pointer(target))
            .ok_or_else(|| {
                Error::refused(pointer, format!("`{reference}` does not exist in this document"))
            })?;
    }
    Err(Error::refused(pointer, "a reference that leads to itself"))
}

/// Returns the pointer of a member, its name escaped as RFC 6901 requires.
pub(crate) fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_schema_is_visited_once_and_nothing_else_is() {
        let mut document = json!({
            "paths": {"/a/{b}": {"get": {
                "parameters": [{"name": "b", "schema": {"title": "1"}, "example": {"schema": {}}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"title": "2", "items": {"not": {}}}}}}}
            }}},
            "components": {"schemas": {"A": {
                "title": "3",
                "properties": {"schema": {"anyOf": [{"title": "4"}, true]}},
                "additionalProperties": false,
                "examples": [{"schema": {}}]
            }}}
        });
        let mut seen = Vec::new();
        each_schema(&mut document, &mut |schema| {
            seen.push(schema.get("title").and_then(Value::as_str).unwrap_or("-").to_owned());
        });
        assert_eq!(seen, ["3", "-", "4", "-", "1", "2", "-", "-"]);
    }

    #[test]
    fn references_are_followed_and_bad_ones_are_named() {
        let document = json!({"a": {"$ref": "#/b"}, "b": {"$ref": "#/c~1d"}, "c/d": {"x": 1}, "e": {"$ref": "#/e"}});
        assert_eq!(resolve(&document, &document["a"], "/a").unwrap(), &json!({"x": 1}));
        assert!(resolve(&document, &document["e"], "/e").unwrap_err().to_string().contains("/e"));
        let missing = json!({"$ref": "other.json#/x"});
        assert!(
            resolve(&document, &missing, "/f").unwrap_err().to_string().contains("other.json#/x")
        );
    }
}
