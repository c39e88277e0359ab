//! Comparison of another OpenAPI document with ours, operation by operation. Prose is not compared.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::Error;
use crate::document::Object;
use crate::normal::operations;

/// One difference between two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Set if a client that was made from our document may send what is now refused, or may not be able to read an answer.
    pub breaks: bool,
    /// Operation, place in it, and description: `updateSlot: request body.order: maximum 9 only in theirs`. An operation is named by its
    /// `operationId`, or by method and path if it has none.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.breaks { "breaks" } else { "differs" }, self.what)
    }
}

/// Compares their document with ours, in the order of ours. Nothing is found when both describe the same requests and answers.
///
/// # Errors
///
/// [`Error::Refused`] when one of them is not an OpenAPI 3.1 document, or refers to something it does not have.
pub fn drift(ours: &Value, theirs: &Value) -> Result<Vec<Difference>, Error> {
    let mut found = Vec::new();
    let mut report = |breaks, what| found.push(Difference { breaks, what });
    let [a, b] = [ours, theirs].map(|document| document.pointer("/info/version"));
    if let Some(what) = difference(a, b) {
        report(false, format!("document: version: {what}"));
    }
    let (ours, mut theirs) = (operations(ours)?, operations(theirs)?);
    let known: BTreeSet<&str> = ours.iter().map(name).collect();
    for operation in &ours {
        let named = theirs.iter().position(|other| name(other) == name(operation));
        // An operation of a name that is new to us may be one of ours that was renamed.
        let renamed = |other: &Object| {
            !known.contains(name(other))
                && ["method", "path"].iter().all(|key| other[*key] == operation[*key])
        };
        match named.or_else(|| theirs.iter().position(renamed)) {
            Some(index) => {
                let partner = theirs.remove(index);
                compare(name(operation), true, operation, &partner, &mut report);
            }
            None => report(true, format!("{}: only in ours", name(operation))),
        }
    }
    for operation in &theirs {
        report(false, format!("{}: only in theirs", name(operation)));
    }
    Ok(found)
}

fn name(operation: &Object) -> &str {
    operation["operationId"].as_str().unwrap_or_default()
}

/// Reports the differences of two normal forms at a place, and whether they break a client: of something that the client sends, or
/// of something that it receives.
fn compare(
    at: &str,
    sent: bool,
    ours: &Object,
    theirs: &Object,
    report: &mut dyn FnMut(bool, String),
) {
    for key in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
        let (a, b) = (ours.get(key), theirs.get(key));
        if !key.starts_with([':', ' ', '.', '[']) {
            if let Some(what) = difference(a, b) {
                report(breaks(key, sent, a, b), format!("{at}: {key} {what}"));
            }
            continue;
        }
        let place = format!("{at}{key}");
        let sent = sent && !key.starts_with(": response");
        let is_required = |part: &Object| part.get("required").is_some();
        match (a.and_then(Value::as_object), b.and_then(Value::as_object)) {
            (Some(a), Some(b)) => compare(&place, sent, a, b, report),
            // Without a schema of its items or further fields, a value has any.
            (a, b) if key == "[]" || key == ".*" => {
                let any = Object::new();
                compare(&place, sent, a.unwrap_or(&any), b.unwrap_or(&any), report);
            }
            // Strict writing refuses a field that it does not know; reading does without one that is not required, but not without the media type.
            (Some(a), None) => {
                let breaks = sent || is_required(a) || key.starts_with(" (");
                report(breaks, format!("{place}: only in ours"));
            }
            (None, Some(b)) => {
                let breaks = if sent { is_required(b) } else { key.starts_with(": response 2") };
                report(breaks, format!("{place}: only in theirs"));
            }
            (None, None) => {}
        }
    }
}

/// Returns whether different values of a keyword break a client. A value that is sent must pass their rules; a value that is received is read
/// without limits, but by its type.
fn breaks(keyword: &str, sent: bool, ours: Option<&Value>, theirs: Option<&Value>) -> bool {
    match keyword {
        "operationId" | "default" | "readOnly" | "writeOnly" => false,
        "anyOf" if theirs.is_none() => false,
        _ if sent => !is_within(keyword, ours, theirs),
        "type" | "anyOf" | "required" => !is_within(keyword, theirs, ours),
        _ => false,
    }
}

/// Returns whether every value that `narrow` allows is one that `wide` allows.
fn is_within(keyword: &str, narrow: Option<&Value>, wide: Option<&Value>) -> bool {
    let (Some(narrow), Some(wide)) = (narrow, wide) else { return wide.is_none() };
    if let (Value::Array(narrow), Value::Array(wide)) = (narrow, wide) {
        let is_number = |one: &Value| one == "integer" && wide.contains(&"number".into());
        return narrow.iter().all(|one| wide.contains(one) || is_number(one));
    }
    match keyword.trim_start_matches("exclusive").to_lowercase() {
        limit if limit.starts_with("max") => narrow.as_f64() <= wide.as_f64(),
        limit if limit.starts_with("min") => narrow.as_f64() >= wide.as_f64(),
        _ => false,
    }
}

/// Describes how two values differ.
fn difference(ours: Option<&Value>, theirs: Option<&Value>) -> Option<String> {
    match (ours, theirs) {
        (Some(a), Some(b)) if a == b || (a.is_number() && a.as_f64() == b.as_f64()) => None,
        (Some(a), Some(b)) => Some(format!("{a} in ours, {b} in theirs")),
        (Some(a), None) => Some(format!("{a} only in ours")),
        (None, Some(b)) => Some(format!("{b} only in theirs")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(operation: &Value) -> Value {
        json!({
            "openapi": "3.1.0",
            "security": [{"bearer": ["read"]}],
            "paths": {"/a/{b}": {"parameters": [{"$ref": "#/components/parameters/B"}], "post": operation}},
            "components": {
                "parameters": {"B": {"name": "b", "in": "path", "required": true, "schema": {"type": "string"}}},
                "responses": {"Gone": {"description": "gone"}},
                "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}
            }
        })
    }

    fn found(ours: &Value, theirs: &Value) -> Vec<String> {
        drift(&document(ours), &document(theirs)).unwrap().iter().map(ToString::to_string).collect()
    }

    /// Returns the differences of two operations whose requests or responses have these schemas.
    fn differences(sent: bool, ours: &Value, theirs: &Value) -> Result<Vec<Difference>, Error> {
        let document = |schema| {
            let content = json!({"content": {"application/json": {"schema": schema}}});
            let operation = if sent {
                json!({"requestBody": content})
            } else {
                json!({"responses": {"200": content}})
            };
            json!({
                "openapi": "3.1.0",
                "paths": {"/a": {"post": operation}},
                "components": {"schemas": {
                    "Name": {"type": "string", "description": "theirs and ours", "maxLength": 5},
                    "Endless": {"allOf": [{"$ref": "#/components/schemas/Endless"}]}
                }}
            })
        };
        drift(&document(ours), &document(theirs))
    }

    fn found_in_schemas(ours: &Value, theirs: &Value) -> Vec<String> {
        match differences(true, ours, theirs) {
            Ok(found) => {
                found.into_iter().map(|it| it.what.replace("POST /a: request ", "")).collect()
            }
            Err(error) => vec![error.to_string().replace("paths/~1a/post", "")],
        }
    }

    #[test]
    fn a_field_that_one_side_lacks_hides_what_is_said_of_it_and_nothing_else() {
        let text = json!({"type": "string"});
        let ours = json!({"properties": {"a": {"items": text}, "a-b": text, "a_b": text}});
        let theirs = json!({"properties": {"a_b": {"type": "integer"}}});
        let expected = [
            "body.a: only in ours",
            "body.a-b: only in ours",
            r#"body.a_b: type ["string"] in ours, ["integer"] in theirs"#,
        ];
        assert_eq!(found_in_schemas(&ours, &theirs), expected);
    }

    #[test]
    fn equivalent_schemas_are_equal() {
        let name = json!({"$ref": "#/components/schemas/Name"});
        for (ours, theirs) in [
            (
                json!({"type": ["null", "string"]}),
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            ),
            (json!({"const": 1}), json!({"enum": [1]})),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["b", "a"]})),
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
                json!({"type": ["null", "string"], "enum": ["a"]}),
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
            (json!({}), json!({"required": [], "properties": {}})),
        ] {
            assert_eq!(found_in_schemas(&ours, &theirs), [""; 0], "{ours} {theirs}");
            assert_eq!(found_in_schemas(&theirs, &ours), [""; 0], "{theirs} {ours}");
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
            (json!({"properties": {"a": {}}}), json!({}), "body.a: only in ours"),
            (json!({}), json!({"properties": {"a": {}}}), "body.a: only in theirs"),
            (
                json!({"properties": {"a": {}}, "required": ["a"]}),
                json!({"properties": {"a": {}}}),
                "body.a: required true only in ours",
            ),
            (
                json!({"properties": {"a": {"items": {"type": "string"}}}}),
                json!({"properties": {"a": {"items": {"type": "string", "format": "uri"}}}}),
                r#"body.a[]: format "uri" only in theirs"#,
            ),
            (
                json!({"additionalProperties": false}),
                json!({}),
                "body: additionalProperties false only in ours",
            ),
            (
                json!({"additionalProperties": {"type": "string"}}),
                json!({"additionalProperties": {"type": "integer"}}),
                r#"body.*: type ["string"] in ours, ["integer"] in theirs"#,
            ),
            (
                json!({"anyOf": [{"maxItems": 0}, {"maxLength": 1}, {"minimum": 1}]}),
                json!({"anyOf": [{"maxLength": 1}, {"maxItems": 0}]}),
                r#"body: anyOf [{"maxItems":0},{"maxLength":1},{"minimum":1}] in ours, [{"maxItems":0},{"maxLength":1}] in theirs"#,
            ),
            (
                json!({"oneOf": [{"type": "object"}]}),
                json!({}),
                r#"body: type ["object"] only in ours"#,
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Endless"}),
                "/: endlessly nested schemas",
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Missing"}),
                "/: `#/components/schemas/Missing` does not exist in this document",
            ),
            (json!({}), json!([]), "/: [] is not a schema"),
        ] {
            assert_eq!(found_in_schemas(&ours, &theirs), [expected], "{ours} {theirs}");
        }
    }

    #[test]
    fn what_breaks_a_client_depends_on_the_direction() {
        const BREAKS: bool = true;
        const DIFFERS: bool = false;
        for (ours, theirs, sent, received) in [
            (json!({"maxLength": 5}), json!({"maxLength": 4}), BREAKS, DIFFERS),
            (json!({"maxLength": 5}), json!({"maxLength": 6}), DIFFERS, DIFFERS),
            (json!({"minimum": 5}), json!({"minimum": 6}), BREAKS, DIFFERS),
            (json!({}), json!({"pattern": "x"}), BREAKS, DIFFERS),
            (json!({"pattern": "x"}), json!({}), DIFFERS, DIFFERS),
            (json!({"type": "string"}), json!({"type": ["string", "null"]}), DIFFERS, BREAKS),
            (json!({"type": ["string", "null"]}), json!({"type": "string"}), BREAKS, DIFFERS),
            (json!({"type": "integer"}), json!({"type": "number"}), DIFFERS, BREAKS),
            (json!({"enum": ["a"]}), json!({"enum": ["a", "b"]}), DIFFERS, DIFFERS),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["a"]}), BREAKS, DIFFERS),
            (json!({"properties": {"a": {}}}), json!({}), BREAKS, DIFFERS),
            (json!({}), json!({"properties": {"a": {}}}), DIFFERS, DIFFERS),
            (
                json!({"properties": {"a": {}}, "required": ["a"]}),
                json!({"properties": {"a": {}}}),
                DIFFERS,
                BREAKS,
            ),
            (
                json!({"properties": {"a": {}}}),
                json!({"properties": {"a": {}}, "required": ["a"]}),
                BREAKS,
                DIFFERS,
            ),
            (json!({}), json!({"properties": {"a": {}}, "required": ["a"]}), BREAKS, DIFFERS),
            (json!({"properties": {"a": {}}, "required": ["a"]}), json!({}), BREAKS, BREAKS),
            (json!({}), json!({"additionalProperties": false}), BREAKS, DIFFERS),
            (json!({"default": 1}), json!({"default": 2}), DIFFERS, DIFFERS),
            (
                json!({"anyOf": [{"type": "object"}, {"maxItems": 0}, {"maxLength": 1}]}),
                json!({"anyOf": [{"type": "object"}]}),
                BREAKS,
                DIFFERS,
            ),
        ] {
            for (way, expected) in [(true, sent), (false, received)] {
                let found = differences(way, &ours, &theirs).unwrap();
                let worst = found.iter().map(|it| it.breaks).max();
                assert_eq!(worst, Some(expected), "{way} {ours} {theirs}: {found:?}");
            }
        }
    }

    fn body(schema: &Value) -> Value {
        json!({"operationId": "do", "requestBody": {"content": {"application/json": {"schema": schema}}}})
    }

    #[test]
    fn every_part_of_an_operation_is_compared() {
        let parameter = |parameter: Value| json!({"operationId": "do", "parameters": [parameter]});
        let answer = |answer: Value| json!({"operationId": "do", "responses": {"200": answer}});
        for (ours, theirs, expected) in [
            (
                json!({"operationId": "do"}),
                json!({"operationId": "did"}),
                r#"differs: do: operationId "do" in ours, "did" in theirs"#,
            ),
            (
                json!({"operationId": "do"}),
                json!({}),
                r#"differs: do: operationId "do" in ours, "POST /a/{b}" in theirs"#,
            ),
            (
                json!({"operationId": "do", "security": []}),
                json!({"operationId": "do", "security": [{"token": ["read", "write"]}]}),
                "breaks: do: credentials true only in theirs",
            ),
            (
                body(&json!({})),
                json!({"operationId": "do"}),
                "breaks: do: request body: only in ours",
            ),
            (
                body(&json!({"properties": {"data": {"properties": {"order": {}}}}})),
                body(&json!({"properties": {"data": {"properties": {"order": {"maximum": 9}}}}})),
                "breaks: do: request body.data.order: maximum 9 only in theirs",
            ),
            (
                body(&json!({})),
                json!({"operationId": "do", "requestBody": {"required": true, "content": {"application/json": {}}}}),
                "breaks: do: request body: required true only in theirs",
            ),
            (
                body(&json!({})),
                json!({"operationId": "do", "requestBody": {"content": {"application/json": {}, "text/plain": {}}}}),
                "differs: do: request body (text/plain): only in theirs",
            ),
            (
                json!({"operationId": "do"}),
                parameter(json!({"name": "c", "in": "query"})),
                "differs: do: parameter query c: only in theirs",
            ),
            (
                parameter(json!({"name": "c", "in": "query"})),
                parameter(json!({"name": "c", "in": "query", "required": true})),
                "breaks: do: parameter query c: required true only in theirs",
            ),
            (
                parameter(json!({"name": "c", "in": "query", "schema": {"type": "array"}})),
                parameter(
                    json!({"name": "c", "in": "query", "schema": {"type": "array"}, "explode": false}),
                ),
                "breaks: do: parameter query c: explode true in ours, false in theirs",
            ),
            (
                answer(json!({})),
                json!({"operationId": "do", "responses": {"200": {}, "410": {"$ref": "#/components/responses/Gone"}}}),
                "differs: do: response 410: only in theirs",
            ),
            (
                answer(json!({"headers": {"Retry-After": {"schema": {"type": "string"}}}})),
                answer(json!({"headers": {"retry-after": {"schema": {"type": "integer"}}}})),
                r#"breaks: do: response 200 header retry-after: type ["string"] in ours, ["integer"] in theirs"#,
            ),
            (
                answer(json!({"content": {"text/markdown": {"schema": {"type": "string"}}}})),
                answer(json!({"content": {"text/markdown": {}}})),
                r#"breaks: do: response 200 (text/markdown): type ["string"] only in ours"#,
            ),
        ] {
            assert_eq!(found(&ours, &theirs), [expected], "{ours} {theirs}");
            assert_eq!(found(&ours, &ours), [""; 0]);
        }
    }

    #[test]
    fn equivalent_operations_do_not_differ() {
        let header = |name: &str| json!({"operationId": "do", "parameters": [{"name": name, "in": "header"}]});
        for (ours, theirs) in [
            (header("Idempotency-Key"), header("idempotency-key")),
            (
                json!({"operationId": "do", "summary": "a"}),
                json!({"operationId": "do", "description": "b", "tags": ["c"]}),
            ),
            (
                json!({"operationId": "do", "parameters": [{"name": "c", "in": "query", "style": "form", "explode": true}]}),
                json!({"operationId": "do", "parameters": [{"name": "c", "in": "query", "required": false}]}),
            ),
            (
                json!({"operationId": "do", "responses": {"410": {"description": "gone"}}}),
                json!({"operationId": "do", "responses": {"410": {"$ref": "#/components/responses/Gone"}}}),
            ),
        ] {
            assert_eq!(found(&ours, &theirs), [""; 0], "{ours} {theirs}");
        }
    }

    #[test]
    fn versions_are_compared() {
        let version = |version: &str| json!({"openapi": "3.1.0", "info": {"version": version}});
        let found = drift(&version("1.0.0"), &version("1.1.0")).unwrap();
        assert_eq!(
            found[0].to_string(),
            r#"differs: document: version: "1.0.0" in ours, "1.1.0" in theirs"#
        );
    }

    #[test]
    fn operations_are_matched_by_name_before_path() {
        let ours = json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "x"}}, "/b": {"get": {"operationId": "y"}}}});
        let theirs = json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "y"}}, "/c": {"get": {}}}});
        let found: Vec<_> =
            drift(&ours, &theirs).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "breaks: x: only in ours",
                r#"breaks: y: path "/b" in ours, "/a" in theirs"#,
                "differs: GET /c: only in theirs"
            ]
        );
    }

    #[test]
    fn a_broken_document_is_refused_at_its_place() {
        let broken = document(&json!({"operationId": "do", "requestBody": {"$ref": "#/nowhere"}}));
        let error = drift(&document(&body(&json!({}))), &broken).unwrap_err().to_string();
        assert!(
            error.starts_with("/paths/~1a~1{b}/post: ") && error.contains("#/nowhere"),
            "{error}"
        );
        let error =
            drift(&document(&json!({})), &json!({"swagger": "2.0"})).unwrap_err().to_string();
        assert_eq!(error, "/openapi: not an OpenAPI 3.1 document");
    }

    /// Rewrites a document in the spelling of another generator.
    fn respelled(value: &mut Value, in_schema: bool) {
        if let Value::Object(object) = value {
            if in_schema {
                if let Some(only) = object.shift_remove("const") {
                    object.insert("enum".to_owned(), json!([only]));
                }
                if object.get("enum").is_some_and(|_| object.get("type") == Some(&json!("string")))
                {
                    object.shift_remove("type");
                }
                if let Some(branches) = object.shift_remove("anyOf") {
                    object.insert("oneOf".to_owned(), branches);
                }
                object.entry("anyOf").or_insert_with(|| json!([]));
                if let Some(Value::Array(types)) = object.get("type").cloned()
                    && let [only, null] = types.as_slice()
                    && null == "null"
                    && object["anyOf"] == json!([])
                {
                    object.shift_remove("type");
                    object.insert("anyOf".to_owned(), json!([{"type": only}, {"type": "null"}]));
                }
                object.insert("description".to_owned(), json!("other words"));
            }
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    "properties" | "schemas" => {
                        value
                            .as_object_mut()
                            .into_iter()
                            .flatten()
                            .for_each(|(_, it)| respelled(it, true));
                    }
                    "schema" | "items" | "additionalProperties" => respelled(value, true),
                    "oneOf" | "allOf" => {
                        value
                            .as_array_mut()
                            .into_iter()
                            .flatten()
                            .for_each(|it| respelled(it, true));
                    }
                    "enum" | "examples" | "required" | "type" => {}
                    _ => respelled(value, false),
                }
            }
        } else if let Value::Array(items) = value {
            for item in items {
                respelled(item, false);
            }
        }
    }

    #[test]
    fn an_equivalent_document_does_not_differ() {
        let ours: Value = serde_json::from_str(crate::DOCUMENT).unwrap();
        let mut theirs = ours.clone();
        respelled(&mut theirs, false);
        for (_, item) in theirs["paths"].as_object_mut().into_iter().flatten() {
            for (_, operation) in item.as_object_mut().into_iter().flatten() {
                if operation["security"] != json!([]) {
                    operation.as_object_mut().unwrap().shift_remove("security");
                }
            }
        }
        theirs["security"] = json!([{"http": []}, {"login": []}]);
        theirs["components"]["securitySchemes"] =
            json!({"http": {"type": "http", "scheme": "Bearer"}, "login": {"type": "oauth2"}});
        assert_ne!(ours, theirs);
        let found: Vec<_> =
            drift(&ours, &theirs).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found, [""; 0]);
        assert_eq!(drift(&theirs, &ours).unwrap(), []);
    }
}
