//! Conversion from OpenAPI 3.1 to 3.0.3: the same meaning in the older spelling. It depends on facts about OpenAPI only, and leaves alone what
//! no type is made of: limits, examples, licenses and roles.

use serde_json::{Value, json};

use crate::Error;
use crate::document::{Object, each_schema};

/// Rewrites an OpenAPI 3.1 document as 3.0.3. What has no older form is left, and refused by the parser of OpenAPI 3.0.
///
/// # Errors
///
/// [`Error::Refused`] when it is a document of another version.
pub(crate) fn downlevel(mut document: Value) -> Result<Value, Error> {
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.1.") => document["openapi"] = json!("3.0.3"),
        other => {
            let problem = format!("expected version 3.1, found {other:?}");
            return Err(Error::refused("/openapi", problem));
        }
    }
    each_schema(&mut document, &mut |schema| {
        // 3.0 ignores the siblings of a `$ref`, which would mislead.
        if schema.contains_key("$ref") {
            schema.retain(|key, _| key == "$ref");
        }
        null_branch(schema);
        type_list(schema);
        if let Some(value) = schema.shift_remove("const") {
            schema.insert("enum".to_owned(), json!([value]));
        }
    });
    Ok(document)
}

/// Rewrites `anyOf: [X, {type: null}]` as X with `nullable`.
fn null_branch(schema: &mut Object) {
    for key in ["anyOf", "oneOf"] {
        let Some(branches) = schema.get_mut(key).and_then(Value::as_array_mut) else { continue };
        let before = branches.len();
        branches.retain(|branch| *branch != json!({"type": "null"}));
        if branches.len() == before {
            continue;
        }
        if branches.len() == 1
            && let Some(only) = schema.shift_remove(key)
        {
            schema.insert("allOf".to_owned(), only);
        }
        schema.insert("nullable".to_owned(), json!(true));
    }
}

/// Rewrites `type: [X, "null"]` as X with `nullable`.
fn type_list(schema: &mut Object) {
    let mut types = match schema.get("type") {
        Some(Value::Array(types)) => types.clone(),
        Some(only) => vec![only.clone()],
        None => return,
    };
    let before = types.len();
    types.retain(|name| name != "null");
    if types.len() < before {
        schema.insert("nullable".to_owned(), json!(true));
    }
    match types.as_slice() {
        [] => drop(schema.shift_remove("type")),
        [only] => drop(schema.insert("type".to_owned(), only.clone())),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(schema: &Value) -> Value {
        json!({"openapi": "3.1.0", "components": {"schemas": {"A": schema}}})
    }

    fn lowered(schema: &Value) -> Value {
        downlevel(document(schema)).unwrap()["components"]["schemas"]["A"].clone()
    }

    #[test]
    fn each_spelling_of_a_schema_has_its_older_form() {
        for (newer, older) in [
            (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
            (json!({"type": ["integer"]}), json!({"type": "integer"})),
            (json!({"type": "null"}), json!({"nullable": true})),
            (
                json!({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}),
                json!({"allOf": [{"$ref": "#/x"}], "nullable": true}),
            ),
            (
                json!({"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "integer"}]}),
                json!({"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": true}),
            ),
            (json!({"type": "string", "const": "v1"}), json!({"type": "string", "enum": ["v1"]})),
            (json!({"$ref": "#/x", "description": "here"}), json!({"$ref": "#/x"})),
            (
                json!({"properties": {"a": {"items": {"const": 1}}}, "additionalProperties": {"const": 2}}),
                json!({"properties": {"a": {"items": {"enum": [1]}}}, "additionalProperties": {"enum": [2]}}),
            ),
            (
                json!({"items": true, "additionalProperties": true}),
                json!({"items": {}, "additionalProperties": true}),
            ),
            (json!({"type": "string", "maxLength": 3}), json!({"type": "string", "maxLength": 3})),
        ] {
            assert_eq!(lowered(&newer), older, "{newer}");
        }
    }

    #[test]
    fn documents_that_are_not_3_1_are_refused() {
        for document in [json!({"openapi": "3.0.3"}), json!({})] {
            let error = downlevel(document).unwrap_err().to_string();
            assert!(error.starts_with("/openapi: expected version 3.1"), "{error}");
        }
    }

    #[test]
    fn what_has_no_older_form_is_refused_by_the_generator() {
        let mut document = document(&json!({"type": ["string", "integer"]}));
        document["info"] = json!({"title": "a", "version": "1"});
        document["paths"] = json!({});
        let error = crate::generate(document).unwrap_err();
        assert!(matches!(error, Error::Lowered(_)), "{error}");
    }
}
