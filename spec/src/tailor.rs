//! Conversion of an OpenAPI 3.0 document to one that progenitor turns into a tolerant client. It depends on facts about progenitor and this
//! SDK only.

use serde_json::{Value, json};

use crate::document::{Object, each_schema, operations, resolve};
use crate::tolerant::tolerant_answers;
use crate::{Error, refused};

/// Headers that the SDK's transport sets on every attempt of a call.
const TRANSPORT_HEADERS: [&str; 2] = ["Idempotency-Key", "Precognition"];

/// Limits on values. The service checks them; in Rust they would become wrapper types, sets, or integers of another size, and formats would
/// turn tolerant strings into strict types.
const LIMITS: [&str; 9] = [
    "contentMediaType",
    "format",
    "maxItems",
    "maxLength",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "uniqueItems",
];

/// Shapes an OpenAPI 3.0 document for progenitor.
///
/// # Errors
///
/// The JSON pointer of what progenitor cannot take.
pub(crate) fn tailor(mut document: Value) -> Result<Value, Error> {
    for pointer in operations(&document) {
        let Some(operation) = document.pointer(&pointer) else { continue };
        let mut tailored = operation.clone();
        tailored["parameters"] = parameters(&document, operation, &pointer)?;
        tailored["responses"] = responses(&document, operation, &pointer)?;
        match request_body(&document, operation, &pointer)? {
            Some(body) => tailored["requestBody"] = body,
            None => drop(tailored.as_object_mut().map(|it| it.shift_remove("requestBody"))),
        }
        if let Some(operation) = document.pointer_mut(&pointer) {
            *operation = tailored;
        }
    }
    each_schema(&mut document, false, &mut |schema| {
        schema.retain(|key, _| !LIMITS.contains(&key.as_str()));
        texts_by_name(schema);
    });
    tolerant_answers(&mut document);
    Ok(document)
}

/// Returns the parameters of an operation without those that the transport sets, each with a schema from which progenitor makes a plain
/// argument.
fn parameters(document: &Value, operation: &Value, pointer: &str) -> Result<Value, Error> {
    let mut kept = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let mut parameter = resolve(document, parameter, pointer)?.clone();
        if parameter["in"] == "header"
            && TRANSPORT_HEADERS.iter().any(|name| parameter["name"] == *name)
        {
            continue;
        }
        let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else {
            return Err(refused(pointer, "the parameter has no `schema`"));
        };
        plain_argument(schema);
        kept.push(parameter);
    }
    Ok(Value::Array(kept))
}

/// Simplifies the schema of an argument: an optional one needs no `null`, and a set of values without a name is a string.
fn plain_argument(schema: &mut Object) {
    schema.shift_remove("nullable");
    schema.shift_remove("enum");
    if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
        && let Value::Object(only) = only.clone()
    {
        *schema = only;
    }
}

/// Returns the JSON form of a request body. Other forms are sent by hand; a DELETE has all its data in its URL.
fn request_body(
    document: &Value,
    operation: &Value,
    pointer: &str,
) -> Result<Option<Value>, Error> {
    let Some(body) = operation.get("requestBody") else { return Ok(None) };
    if pointer.ends_with("/delete") {
        return Ok(None);
    }
    let body = resolve(document, body, pointer)?;
    match body.pointer("/content/application~1json") {
        Some(json) => Ok(Some(json!({"required": true, "content": {"application/json": json}}))),
        None => Err(refused(pointer, "no `application/json` body: write this request by hand")),
    }
}

/// Keeps the one answer that succeeds: its schema becomes the type of the answer. The SDK reads all others by itself.
fn responses(document: &Value, operation: &Value, pointer: &str) -> Result<Value, Error> {
    let mut succeeds = Object::new();
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        if status.starts_with('2') {
            let response = resolve(document, response, pointer)?;
            succeeds.insert(status.clone(), response.clone());
        }
    }
    if succeeds.len() > 1 {
        succeeds.shift_remove("204");
    }
    if succeeds.len() != 1 {
        return Err(refused(pointer, "progenitor supports only one success response besides 204"));
    }
    Ok(Value::Object(succeeds))
}

/// Turns an object of strings alone into a map, so that an added or missing string does no harm.
fn texts_by_name(schema: &mut Object) {
    let text = |schema: &Value| schema["type"] == "string" && schema.get("nullable").is_none();
    let texts = schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|texts| texts.values().all(text));
    if texts && schema.get("additionalProperties").is_some_and(text) {
        schema.shift_remove("properties");
        schema.shift_remove("required");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a document of one operation, at `/a`.
    fn document(method: &str, operation: &Value, schemas: &Value) -> Value {
        let mut document = json!({"paths": {"/a": {}}, "components": {
            "parameters": {"Key": {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}},
            "responses": {"Refused": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}},
            "schemas": schemas
        }});
        document["paths"]["/a"][method] = operation.clone();
        document
    }

    fn tailored(method: &str, operation: Value) -> Result<Value, Error> {
        let mut operation = operation;
        if operation.get("responses").is_none() {
            operation["responses"] = json!({"200": {}});
        }
        tailor(document(method, &operation, &json!({})))
            .map(|document| document["paths"]["/a"][method].clone())
    }

    fn schema(schema: &Value) -> Value {
        tailor(document("get", &json!({"responses": {"200": {}}}), &json!({"A": schema}))).unwrap()
            ["components"]["schemas"]["A"]
            .clone()
    }

    #[test]
    fn parameters_become_plain_arguments() {
        for (parameter, expected) in [
            (json!({"$ref": "#/components/parameters/Key"}), json!([])),
            (json!({"name": "Precognition", "in": "header", "schema": {}}), json!([])),
            (
                json!({"name": "Precognition", "in": "query", "schema": {}}),
                json!([{"name": "Precognition", "in": "query", "schema": {}}]),
            ),
            (
                json!({"name": "b", "in": "query", "schema": {"type": "string", "nullable": true, "enum": ["x"], "maxLength": 3}}),
                json!([{"name": "b", "in": "query", "schema": {"type": "string"}}]),
            ),
            (
                json!({"name": "b", "in": "query", "schema": {"allOf": [{"$ref": "#/components/schemas/B"}], "nullable": true}}),
                json!([{"name": "b", "in": "query", "schema": {"$ref": "#/components/schemas/B"}}]),
            ),
        ] {
            assert_eq!(
                tailored("get", json!({"parameters": [parameter]})).unwrap()["parameters"],
                expected,
                "{parameter}"
            );
        }
    }

    #[test]
    fn only_json_bodies_are_left_and_a_delete_has_none() {
        let json = json!({"schema": {"type": "object"}});
        let body =
            json!({"content": {"multipart/form-data": {"schema": {}}, "application/json": json}});
        let operation = json!({"requestBody": body});
        assert_eq!(
            tailored("post", operation.clone()).unwrap()["requestBody"],
            json!({"required": true, "content": {"application/json": json}})
        );
        assert_eq!(tailored("delete", operation).unwrap().get("requestBody"), None);
    }

    #[test]
    fn of_the_answers_the_one_success_is_left() {
        let error = json!({"content": {"application/json": {"schema": {"type": "string"}}}});
        for (responses, expected) in [
            (
                json!({"201": {"content": {"a/b": {"schema": {}}}}, "204": {}}),
                json!({"201": {"content": {"a/b": {"schema": {}}}}}),
            ),
            (json!({"204": {}}), json!({"204": {}})),
            (json!({"200": {}, "429": {}, "422": error}), json!({"200": {}})),
        ] {
            assert_eq!(
                tailored("get", json!({"responses": responses})).unwrap()["responses"],
                expected,
                "{responses}"
            );
        }
    }

    #[test]
    fn what_progenitor_cannot_take_is_refused_at_its_place() {
        for operation in [
            json!({"parameters": [{"name": "b", "in": "query"}]}),
            json!({"parameters": [{"$ref": "#/components/parameters/None"}]}),
            json!({"requestBody": {"content": {"multipart/form-data": {}}}}),
            json!({"responses": {"200": {}, "201": {}}}),
            json!({"responses": {"400": {}}}),
        ] {
            let error = tailored("post", operation.clone()).unwrap_err().to_string();
            assert!(error.starts_with("/paths/~1a/post: "), "{operation}: {error}");
        }
    }

    #[test]
    fn values_are_read_without_limits() {
        for (strict, tolerant) in [
            (json!({"type": "string", "format": "uuid"}), json!({"type": "string"})),
            (
                json!({"type": "integer", "format": "int64", "minimum": 1}),
                json!({"type": "integer"}),
            ),
            (
                json!({"type": "string", "pattern": "^a$", "minLength": 4, "maxLength": 60}),
                json!({"type": "string"}),
            ),
            (
                json!({"type": "array", "items": {"type": "string", "format": "date"}, "minItems": 5, "maxItems": 5, "uniqueItems": true}),
                json!({"type": "array", "items": {"type": "string"}}),
            ),
            (json!({"type": "string", "enum": ["a"]}), json!({"type": "string", "enum": ["a"]})),
            (
                json!({"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": {"type": "string"}}),
                json!({"additionalProperties": {"type": "string"}}),
            ),
            (
                json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}),
                json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}),
            ),
        ] {
            assert_eq!(schema(&strict), tolerant, "{strict}");
        }
    }
}
