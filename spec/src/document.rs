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

/// A change to one schema; the text is the schema's JSON pointer.
pub(crate) type Rule<'a> = dyn FnMut(&mut Object, &str) -> Result<(), Error> + 'a;

/// Applies a rule to every schema of a document, outer schemas before those inside them.
pub(crate) fn each_schema(document: &mut Value, rule: &mut Rule) -> Result<(), Error> {
    outside_schemas(document, "", rule)
}

fn outside_schemas(value: &mut Value, pointer: &str, rule: &mut Rule) -> Result<(), Error> {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let here = child(pointer, key);
                match key.as_str() {
                    "example" | "examples" => {}
                    "schema" => each_schema_in(value, &here, rule)?,
                    "schemas" if pointer == "/components" => {
                        for (name, schema) in value.as_object_mut().into_iter().flatten() {
                            each_schema_in(schema, &child(&here, name), rule)?;
                        }
                    }
                    _ => outside_schemas(value, &here, rule)?,
                }
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter_mut().enumerate() {
                outside_schemas(value, &format!("{pointer}/{index}"), rule)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Applies a rule to a schema and to every schema inside it. `true`, which allows everything, counts as the empty schema.
pub(crate) fn each_schema_in(
    schema: &mut Value,
    pointer: &str,
    rule: &mut Rule,
) -> Result<(), Error> {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Object::new());
    }
    let Value::Object(schema) = schema else {
        return Err(Error::refused(pointer, "a schema is an object or `true`"));
    };
    rule(schema, pointer)?;
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, schema) in properties {
            each_schema_in(schema, &child(&child(pointer, "properties"), name), rule)?;
        }
    }
    for key in ONE {
        match schema.get_mut(key) {
            None => {}
            Some(Value::Bool(_)) if key == "additionalProperties" => {}
            Some(inner) => each_schema_in(inner, &child(pointer, key), rule)?,
        }
    }
    for key in LIST {
        for (index, inner) in
            schema.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().enumerate()
        {
            each_schema_in(inner, &format!("{pointer}/{key}/{index}"), rule)?;
        }
    }
    Ok(())
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
                "parameters": [{"name": "b", "schema": {"type": "string"}, "example": {"schema": {}}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"items": {"not": {}}}}}}}
            }}},
            "components": {"schemas": {"A": {
                "properties": {"schema": {"anyOf": [{}, true]}},
                "additionalProperties": false,
                "examples": [{"schema": {}}]
            }}}
        });
        let mut seen = Vec::new();
        each_schema(&mut document, &mut |_, pointer| {
            seen.push(pointer.to_owned());
            Ok(())
        })
        .unwrap();
        let get = "/paths/~1a~1{b}/get";
        let answer = format!("{get}/responses/200/content/application~1json/schema");
        assert_eq!(
            seen,
            [
                format!("{get}/parameters/0/schema"),
                answer.clone(),
                format!("{answer}/items"),
                format!("{answer}/items/not"),
                "/components/schemas/A".into(),
                "/components/schemas/A/properties/schema".into(),
                "/components/schemas/A/properties/schema/anyOf/0".into(),
                "/components/schemas/A/properties/schema/anyOf/1".into(),
            ]
        );
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
