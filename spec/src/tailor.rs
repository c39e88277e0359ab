//! From OpenAPI 3.0 to what progenitor turns into a tolerant client. Facts about progenitor and about this SDK only.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Error;
use crate::document::{Object, child, each_schema, each_schema_in, operations, resolve};

/// Headers that the SDK's transport sets on every attempt of a call.
const TRANSPORT_HEADERS: [&str; 2] = ["Idempotency-Key", "Precognition"];

/// Formats that choose between Rust's number types; all others would turn tolerant strings into strict types.
const NUMBER_FORMATS: [&str; 3] = ["int32", "int64", "double"];

/// Limits on values. The service checks them; in Rust they would become wrapper types, sets, or integers of another size.
const LIMITS: [&str; 14] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
    "example",
];

/// Shapes an OpenAPI 3.0 document for progenitor.
///
/// # Errors
///
/// [`Error::Refused`], with the JSON pointer of what progenitor cannot take.
pub fn tailor(mut document: Value) -> Result<Value, Error> {
    for place in operations(&document) {
        let operation = &document.pointer(&place.pointer).cloned().unwrap_or_default();
        let parameters = parameters(&document, operation, &place.pointer)?;
        let body = request_body(&document, operation, place.method, &place.pointer)?;
        let responses = responses(&document, operation, &place.pointer)?;
        let Some(operation) = document.pointer_mut(&place.pointer).and_then(Value::as_object_mut)
        else {
            continue;
        };
        operation.insert("parameters".to_owned(), parameters);
        operation.insert("responses".to_owned(), responses);
        match body {
            Some(body) => operation.insert("requestBody".to_owned(), body),
            None => operation.shift_remove("requestBody"),
        };
    }
    each_schema(&mut document, &mut |schema, _| {
        drop_formats(schema);
        drop_limits(schema);
        texts_by_name(schema);
        Ok(())
    })?;
    tolerant_answers(&mut document)?;
    Ok(document)
}

/// The parameters of an operation without those the transport sets, each with a schema progenitor makes a plain argument of.
fn parameters(document: &Value, operation: &Value, pointer: &str) -> Result<Value, Error> {
    let pointer = child(pointer, "parameters");
    let mut kept = Vec::new();
    for (index, parameter) in operation["parameters"].as_array().into_iter().flatten().enumerate() {
        let here = format!("{pointer}/{index}");
        let mut parameter = resolve(document, parameter, &here)?.clone();
        if parameter["in"] == "header"
            && TRANSPORT_HEADERS.iter().any(|name| parameter["name"] == *name)
        {
            continue;
        }
        let Some(schema) = parameter.get_mut("schema").and_then(Value::as_object_mut) else {
            return Err(Error::refused(&here, "a parameter needs a `schema`"));
        };
        plain_argument(schema);
        kept.push(parameter);
    }
    Ok(Value::Array(kept))
}

/// An argument that may be left out needs no `null`, and a set of values without a name is a string.
fn plain_argument(schema: &mut Object) {
    schema.shift_remove("nullable");
    schema.shift_remove("enum");
    if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
        && let Value::Object(only) = only.clone()
    {
        *schema = only;
    }
}

/// The JSON form of a request body. Other forms are sent by hand; a DELETE says everything in its address.
fn request_body(
    document: &Value,
    operation: &Value,
    method: &str,
    pointer: &str,
) -> Result<Option<Value>, Error> {
    let pointer = child(pointer, "requestBody");
    let Some(body) = operation.get("requestBody") else { return Ok(None) };
    if method == "delete" {
        return Ok(None);
    }
    let body = resolve(document, body, &pointer)?;
    match body.pointer("/content/application~1json") {
        Some(json) => Ok(Some(json!({"required": true, "content": {"application/json": json}}))),
        None => Err(Error::refused(
            &child(&pointer, "content"),
            "no `application/json`: such a request is written by hand",
        )),
    }
}

/// At most one answer that succeeds and one that fails: progenitor has one type for each.
fn responses(document: &Value, operation: &Value, pointer: &str) -> Result<Value, Error> {
    let pointer = child(pointer, "responses");
    let mut succeeds = Object::new();
    let mut failure: Option<Value> = None;
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let here = child(&pointer, status);
        let response = with_schemas(resolve(document, response, &here)?.clone());
        if status.starts_with('2') {
            succeeds.insert(status.clone(), response);
            continue;
        }
        let schema = &response["content"]["application/json"]["schema"];
        match &failure {
            _ if schema.is_null() => {}
            None => failure = Some(schema.clone()),
            Some(first) if first == schema => {}
            Some(_) => {
                return Err(Error::refused(
                    &here,
                    "another error schema: progenitor takes one for all failures",
                ));
            }
        }
    }
    if succeeds.len() > 1 {
        succeeds.shift_remove("204");
    }
    if succeeds.len() != 1 {
        return Err(Error::refused(&pointer, "progenitor takes one success beside a 204"));
    }
    if let Some(schema) = failure {
        succeeds.insert(
            "4XX".to_owned(),
            json!({"description": "The request failed.", "content": {"application/json": {"schema": schema}}}),
        );
    }
    Ok(Value::Object(succeeds))
}

/// A body of unknown shape needs the empty schema.
fn with_schemas(mut response: Value) -> Value {
    for (_, media) in
        response.get_mut("content").and_then(Value::as_object_mut).into_iter().flatten()
    {
        if let Value::Object(media) = media {
            media.entry("schema").or_insert_with(|| json!({}));
        }
    }
    response
}

fn drop_formats(schema: &mut Object) {
    if schema.get("format").is_some_and(|format| NUMBER_FORMATS.iter().all(|kept| format != kept)) {
        schema.shift_remove("format");
    }
}

fn drop_limits(schema: &mut Object) {
    schema.retain(|key, _| !LIMITS.contains(&key.as_str()));
}

/// An object of texts alone is read as a map, so that a text more or less does no harm.
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

/// Records of answers keep fields that the document does not know, and take any text where it lists values. A schema that is also
/// sent keeps to its fields: writing is strict. What an answer names itself only wraps a record, and is left as it is.
fn tolerant_answers(document: &mut Value) -> Result<(), Error> {
    let mut wrappers = BTreeSet::new();
    let mut sent = BTreeSet::new();
    for place in operations(document) {
        let operation = document.pointer(&place.pointer).unwrap_or(&Value::Null);
        references(&operation["responses"], &mut wrappers);
        references(&operation["parameters"], &mut sent);
        references(&operation["requestBody"], &mut sent);
    }
    let answered = reachable(document, &wrappers);
    let sent = reachable(document, &sent);
    for name in answered.difference(&sent) {
        let pointer = child("/components/schemas", name);
        let keeps_unknown = !wrappers.contains(name);
        let Some(schema) = document.pointer_mut(&pointer) else { continue };
        each_schema_in(schema, &pointer, &mut |schema, _| {
            schema.shift_remove("enum");
            null_may_be_missing(schema);
            if keeps_unknown && schema.contains_key("properties") {
                // Not `true`: only a schema makes a field of the rest.
                schema.entry("additionalProperties").or_insert_with(|| json!({}));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Without this, typify refuses a record that leaves out a field instead of sending `null`.
fn null_may_be_missing(schema: &mut Object) {
    let Some(Value::Object(properties)) = schema.get("properties").cloned() else { return };
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required
            .retain(|name| name.as_str().is_none_or(|name| properties[name]["nullable"] != true));
    }
}

/// The named schemas that a set of named schemas leads to, itself included.
fn reachable(document: &Value, roots: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = roots.iter().cloned().collect();
    while let Some(name) = next.pop() {
        let mut inner = BTreeSet::new();
        references(&document["components"]["schemas"][&name], &mut inner);
        if found.insert(name) {
            next.extend(inner);
        }
    }
    found
}

fn references(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let name = object
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|text| text.strip_prefix("#/components/schemas/"));
            names.extend(name.map(str::to_owned));
            object.values().for_each(|value| references(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, names)),
        _ => {}
    }
}
