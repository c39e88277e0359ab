//! Conversion from OpenAPI 3.1 to 3.0.3: the same meaning in the older spelling. It depends on facts about OpenAPI only, and leaves alone what
//! no type is made of: limits, examples, licenses and roles.

use serde_json::{Value, json};

use crate::document::each_schema;
use crate::{Error, refused};

/// Rewrites an OpenAPI 3.1 document as 3.0.3. What has no older form is left, and refused by the parser of OpenAPI 3.0.
///
/// # Errors
///
/// When it is a document of another version.
pub(crate) fn downlevel(mut document: Value) -> Result<Value, Error> {
    if !document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")) {
        return Err(refused("/openapi", "not an OpenAPI 3.1 document"));
    }
    document["openapi"] = json!("3.0.3");
    each_schema(&mut document, false, &mut |schema| {
        // 3.0 ignores the siblings of a `$ref`, which would mislead.
        if schema.contains_key("$ref") {
            schema.retain(|key, _| key == "$ref");
        }
        if let Some(value) = schema.shift_remove("const") {
            schema.insert("enum".to_owned(), json!([value]));
        }
        // `anyOf: [X, {type: null}]` and `type: [X, "null"]` are X with `nullable`.
        for (key, null) in [("anyOf", json!({"type": "null"})), ("type", json!("null"))] {
            let Some(Value::Array(choices)) = schema.get_mut(key) else { continue };
            let before = choices.len();
            choices.retain(|choice| *choice != null);
            let is_nullable = choices.len() < before;
            if let [only] = choices.as_mut_slice() {
                let only = only.take();
                match key {
                    "anyOf" => {
                        schema.shift_remove(key);
                        schema.insert("allOf".to_owned(), json!([only]));
                    }
                    _ => drop(schema.insert(key.to_owned(), only)),
                }
            }
            if is_nullable {
                schema.insert("nullable".to_owned(), json!(true));
            }
        }
    });
    Ok(document)
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
            (
                json!({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}),
                json!({"allOf": [{"$ref": "#/x"}], "nullable": true}),
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "integer"}]}),
                json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": true}),
            ),
            (json!({"type": "string", "const": "v1"}), json!({"type": "string", "enum": ["v1"]})),
            (json!({"$ref": "#/x", "description": "here"}), json!({"$ref": "#/x"})),
            (
                json!({"properties": {"a": {"items": {"const": 1}}}, "additionalProperties": {"const": 2}}),
                json!({"properties": {"a": {"items": {"enum": [1]}}}, "additionalProperties": {"enum": [2]}}),
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
            assert!(error.starts_with("/openapi: not an OpenAPI 3.1 document"), "{error}");
        }
    }

    #[test]
    fn what_has_no_older_form_is_refused_by_the_generator() {
        let mut document = document(&json!({"type": ["string", "integer"]}));
        document["info"] = json!({"title": "a", "version": "1"});
        document["paths"] = json!({});
        let error = crate::generate(document).unwrap_err().to_string();
        assert!(error.contains("converted to OpenAPI 3.0 is invalid"), "{error}");
    }
}
