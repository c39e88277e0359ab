//! Access to an OpenAPI document: its schemas, its operations, and the targets of a `$ref`.

use serde_json::{Map, Value};

use crate::{Error, refused};

/// Content of a JSON object.
pub(crate) type Object = Map<String, Value>;

/// Methods of a path item, in the order in which OpenAPI lists them.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Keys under which a schema stands, or a list of schemas.
const HOLDERS: [&str; 7] =
    ["schema", "items", "additionalProperties", "not", "allOf", "anyOf", "oneOf"];

/// Applies a rule to every schema in a value, which may be one itself, outer schemas before those inside them.
pub(crate) fn each_schema(value: &mut Value, is_schema: bool, rule: &mut dyn FnMut(&mut Object)) {
    match value {
        Value::Object(object) => {
            if is_schema {
                rule(object);
            }
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("example" | "examples", _) => {}
                    ("properties" | "schemas", Value::Object(schemas)) => {
                        schemas.values_mut().for_each(|schema| each_schema(schema, true, rule));
                    }
                    (key, value) => each_schema(value, HOLDERS.contains(&key), rule),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| each_schema(item, is_schema, rule)),
        _ => {}
    }
}

/// Returns the JSON pointers of the operations of a document, in the document's order; each ends with its method.
pub(crate) fn operations(document: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            if item.get(method).is_some_and(Value::is_object) {
                // Names in a pointer are escaped as RFC 6901 requires.
                let path = path.replace('~', "~0").replace('/', "~1");
                pointers.push(format!("/paths/{path}/{method}"));
            }
        }
    }
    pointers
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
        value =
            reference.strip_prefix('#').and_then(|target| document.pointer(target)).ok_or_else(
                || refused(pointer, &format!("`{reference}` does not exist in this document")),
            )?;
    }
    Err(refused(pointer, "the reference points to itself"))
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
        each_schema(&mut document, false, &mut |schema| {
            seen.push(schema.get("title").and_then(Value::as_str).unwrap_or("-").to_owned());
        });
        assert_eq!(seen, ["1", "2", "-", "-", "3", "-", "4"]);
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
