//! Conversion from OpenAPI 3.1 to 3.0.3: the same meaning in the older spelling. It depends on facts about OpenAPI only, and leaves alone what
//! no type is made of: limits, examples, licenses and roles.

use serde_json::{Value, json};

use crate::Error;
use crate::document::{Object, child, each_schema};

/// Keywords of JSON Schema 2020-12 that have no form in 3.0.
const NO_3_0_FORM: [&str; 18] = [
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$schema",
    "contains",
    "contentEncoding",
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedProperties",
];

/// Rewrites an OpenAPI 3.1 document as 3.0.3.
///
/// # Errors
///
/// [`Error::Refused`], with the JSON pointer of what has no 3.0 form.
pub(crate) fn downlevel(mut document: Value) -> Result<Value, Error> {
    version(&mut document)?;
    sections(&mut document)?;
    each_schema(&mut document, &mut |schema, pointer| {
        reference_siblings(schema);
        refuse_keywords(schema, pointer)?;
        null_branch(schema, pointer)?;
        type_list(schema, pointer)?;
        constant(schema);
        Ok(())
    })?;
    Ok(document)
}

fn version(document: &mut Value) -> Result<(), Error> {
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.1.") => {
            document["openapi"] = json!("3.0.3");
            Ok(())
        }
        other => Err(Error::refused("/openapi", format!("expected version 3.1, found {other:?}"))),
    }
}

/// Refuses sections that 3.0 does not have.
fn sections(document: &mut Value) -> Result<(), Error> {
    for pointer in ["/webhooks", "/components/pathItems", "/jsonSchemaDialect"] {
        if document.pointer(pointer).is_some() {
            return Err(Error::refused(pointer, "OpenAPI 3.0 has no such section"));
        }
    }
    Ok(())
}

/// Removes the siblings of a `$ref`, which 3.0 ignores and which would mislead.
fn reference_siblings(schema: &mut Object) {
    if schema.contains_key("$ref") {
        schema.retain(|key, _| key == "$ref");
    }
}

fn refuse_keywords(schema: &mut Object, pointer: &str) -> Result<(), Error> {
    match NO_3_0_FORM.iter().find(|keyword| schema.contains_key(**keyword)) {
        Some(keyword) => {
            Err(Error::refused(&child(pointer, keyword), "OpenAPI 3.0 has no such keyword"))
        }
        None => Ok(()),
    }
}

/// Rewrites `anyOf: [X, {type: null}]` as X with `nullable`.
fn null_branch(schema: &mut Object, pointer: &str) -> Result<(), Error> {
    for key in ["anyOf", "oneOf"] {
        let Some(branches) = schema.get_mut(key).and_then(Value::as_array_mut) else { continue };
        let before = branches.len();
        branches.retain(|branch| *branch != json!({"type": "null"}));
        if branches.len() == before {
            continue;
        }
        if branches.is_empty() {
            return Err(Error::refused(&child(pointer, key), "only `null` is left"));
        }
        if branches.len() == 1 {
            let only = json!(branches);
            schema.shift_remove(key);
            if schema.insert("allOf".to_owned(), only).is_some() {
                return Err(Error::refused(&child(pointer, key), "is next to an `allOf`"));
            }
        }
        schema.insert("nullable".to_owned(), json!(true));
    }
    Ok(())
}

/// Rewrites `type: [X, "null"]` as X with `nullable`.
fn type_list(schema: &mut Object, pointer: &str) -> Result<(), Error> {
    let here = || child(pointer, "type");
    let Some(types) = schema.get("type") else { return Ok(()) };
    if *types == json!("null") {
        return Err(Error::refused(&here(), "OpenAPI 3.0 has no `null` type"));
    }
    let Some(types) = types.as_array() else { return Ok(()) };
    let proper: Vec<_> = types.iter().filter(|name| **name != json!("null")).cloned().collect();
    let [only] = proper.as_slice() else {
        return Err(Error::refused(&here(), "OpenAPI 3.0 allows one type besides `null`"));
    };
    if types.len() > 1 {
        schema.insert("nullable".to_owned(), json!(true));
    }
    schema.insert("type".to_owned(), only.clone());
    Ok(())
}

fn constant(schema: &mut Object) {
    if let Some(value) = schema.shift_remove("const") {
        schema.insert("enum".to_owned(), json!([value]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(schema: &Value) -> Value {
        json!({"openapi": "3.1.0", "components": {"schemas": {"A": schema}}})
    }

    fn lowered(schema: &Value) -> Result<Value, Error> {
        downlevel(document(schema)).map(|document| document["components"]["schemas"]["A"].clone())
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
            assert_eq!(lowered(&newer).unwrap(), older, "{newer}");
        }
    }

    #[test]
    fn what_has_no_older_form_is_refused_at_its_place() {
        let a = "/components/schemas/A";
        for (schema, pointer) in [
            (json!({"type": ["string", "integer"]}), "/type"),
            (json!({"type": ["null"]}), "/type"),
            (json!({"type": "null"}), "/type"),
            (json!({"anyOf": [{"type": "null"}]}), "/anyOf"),
            (json!({"anyOf": [{}, {"type": "null"}], "allOf": []}), "/anyOf"),
            (json!({"properties": {"a/b": {"prefixItems": []}}}), "/properties/a~1b/prefixItems"),
            (json!({"allOf": [{"if": {}}]}), "/allOf/0/if"),
            (json!({"not": false}), "/not"),
        ] {
            match lowered(&schema) {
                Err(Error::Refused { pointer: found, .. }) => {
                    assert_eq!(found, format!("{a}{pointer}"), "{schema}");
                }
                other => panic!("{schema}: {other:?}"),
            }
        }
    }

    #[test]
    fn sections_and_versions_that_are_not_3_1_are_refused() {
        for (document, expected) in [
            (json!({"openapi": "3.0.3"}), "/openapi"),
            (json!({}), "/openapi"),
            (json!({"openapi": "3.1.0", "webhooks": {}}), "/webhooks"),
            (json!({"openapi": "3.1.0", "components": {"pathItems": {}}}), "/components/pathItems"),
        ] {
            match downlevel(document.clone()) {
                Err(Error::Refused { pointer, .. }) => assert_eq!(pointer, expected, "{document}"),
                other => panic!("{document}: {other:?}"),
            }
        }
    }
}
