//! Comparison of another OpenAPI document with ours, operation by operation. Prose is not compared.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::difference::{difference, severity};
use crate::document::{Place, operations};
use crate::statements::{Statement, Statements, lists_abilities, name, statements};
use crate::{Difference, Error, Severity};

/// Compares their document with ours, in the order of ours. Nothing is found when both describe the same requests and answers.
///
/// # Errors
///
/// [`Error::Refused`] when one of them is not an OpenAPI 3 document, or refers to something it does not have.
pub fn drift(ours: &Value, theirs: &Value) -> Result<Vec<Difference>, Error> {
    for document in [ours, theirs] {
        if !document["openapi"].as_str().is_some_and(|version| version.starts_with("3.")) {
            return Err(Error::refused("/openapi", "not an OpenAPI 3 document"));
        }
    }
    let both_list_abilities = lists_abilities(ours) && lists_abilities(theirs);
    let known: BTreeSet<_> = operations(ours).iter().map(|place| name(ours, place)).collect();
    let mut rest = operations(theirs);
    let mut differences: Vec<_> =
        difference(ours.pointer("/info/version"), theirs.pointer("/info/version"))
            .map(|what| Difference {
                severity: Severity::Differs,
                operation: "document".to_owned(),
                what: format!("version: {what}"),
            })
            .into_iter()
            .collect();
    for place in operations(ours) {
        let name = name(ours, &place);
        let found = match take_partner(theirs, &name, &place, &known, &mut rest) {
            None => vec![(Severity::Breaks, "only in ours".to_owned())],
            Some(partner) => {
                let stated = |document, place| {
                    let mut stated =
                        statements(document, place).map_err(|error| at(error, place))?;
                    let is_ability = |at: &str| at.starts_with("security: ability");
                    stated.retain(|at, _| both_list_abilities || !is_ability(at));
                    Ok::<_, Error>(stated)
                };
                compare(&stated(ours, &place)?, &stated(theirs, &partner)?)
            }
        };
        differences.extend(found.into_iter().map(|(severity, what)| Difference {
            severity,
            operation: name.clone(),
            what,
        }));
    }
    differences.extend(rest.iter().map(|place| Difference {
        severity: Severity::Differs,
        operation: name(theirs, place),
        what: "only in theirs".to_owned(),
    }));
    Ok(differences)
}

/// Adds the pointer of the operation that leads to a refusal.
fn at(error: Error, place: &Place) -> Error {
    match error {
        Error::Refused { problem, .. } => Error::refused(&place.pointer, problem),
        other => other,
    }
}

/// Returns the differences between what two documents say of an operation.
fn compare(ours: &Statements, theirs: &Statements) -> Vec<(Severity, String)> {
    let value = |it: Option<&'_ Statement>| it.and_then(|it| it.value.clone());
    let mut found = Vec::new();
    // What is said of a part that one side lacks is no difference of its own.
    let mut lacking: Vec<&str> = Vec::new();
    for place in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
        let mut within = lacking.iter().filter_map(|part| place.strip_prefix(part));
        if within.any(|rest| rest.starts_with(['.', '[', '!', ':', ' '])) {
            continue;
        }
        let (a, b) = (ours.get(place), theirs.get(place));
        let is_part = a.into_iter().chain(b).all(|it| it.value.is_none());
        let what = match (a, b) {
            (Some(_), None) if is_part => ": only in ours".to_owned(),
            (None, Some(_)) if is_part => ": only in theirs".to_owned(),
            _ => match difference(value(a).as_ref(), value(b).as_ref()) {
                Some(what) => format!(" {what}"),
                None => continue,
            },
        };
        if is_part {
            lacking.push(place);
        }
        let keyword = place.rsplit(": ").next().unwrap_or_default();
        let severity = match (a, b) {
            (Some(Statement { way: Some(way), .. }), _)
            | (None, Some(Statement { way: Some(way), .. })) => {
                way.keyword(keyword, value(a).as_ref(), value(b).as_ref())
            }
            (_, Some(theirs)) => severity(theirs.breaks.1),
            (_, None) => severity(a.is_some_and(|ours| ours.breaks.0)),
        };
        found.push((severity, format!("{place}{what}")));
    }
    found
}

/// Returns the matching operation of their document: the one of the same name, or else the one at the same method and path, if it has a
/// name that is new to us.
fn take_partner(
    theirs: &Value,
    ours: &str,
    place: &Place,
    known: &BTreeSet<String>,
    rest: &mut Vec<Place>,
) -> Option<Place> {
    let same_address = |other: &Place| other.method == place.method && other.path == place.path;
    let renamed = |other: &Place| same_address(other) && !known.contains(&name(theirs, other));
    let index = rest
        .iter()
        .position(|other| name(theirs, other) == ours)
        .or_else(|| rest.iter().position(renamed))?;
    Some(rest.remove(index))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::difference::Way;

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
    fn differences(way: Way, ours: &Value, theirs: &Value) -> Result<Vec<Difference>, Error> {
        let document = |schema| {
            let content = json!({"content": {"application/json": {"schema": schema}}});
            let operation = match way {
                Way::Sent => json!({"requestBody": content}),
                Way::Received => json!({"responses": {"200": content}}),
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
        match differences(Way::Sent, ours, theirs) {
            Ok(found) => found.into_iter().map(|it| it.what.replace("request ", "")).collect(),
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
            (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
            (
                json!({"type": ["null", "string"]}),
                json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            ),
            (json!({"const": 1}), json!({"enum": [1]})),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["b", "a"]})),
            (
                json!({"type": ["string", "null"], "enum": ["a", null]}),
                json!({"type": ["string", "null"], "enum": ["a"]}),
            ),
            (json!({"exclusiveMinimum": 0}), json!({"minimum": 0, "exclusiveMinimum": true})),
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
                json!({"type": "string", "nullable": true, "enum": ["a"]}),
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
            (
                json!({}),
                json!({"required": [], "properties": {}, "minLength": 0, "minItems": 0, "uniqueItems": false}),
            ),
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
            (json!({"required": ["a"]}), json!({}), "body.a: required true only in ours"),
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
                r#"body: anyOf {"value: minimum":1}: only in ours"#,
            ),
            (
                json!({"oneOf": [{"type": "object"}]}),
                json!({}),
                r#"body: type ["object"] only in ours"#,
            ),
            (
                json!({}),
                json!({"$ref": "#/components/schemas/Endless"}),
                "/: schemas nested without end",
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
    fn found_h_what_breaks_a_client_depends_on_the_direction() {
        use Severity::{Breaks, Differs};
        for (ours, theirs, sent, received) in [
            (json!({"maxLength": 5}), json!({"maxLength": 4}), Breaks, Differs),
            (json!({"maxLength": 5}), json!({"maxLength": 6}), Differs, Differs),
            (json!({"minimum": 5}), json!({"minimum": 6}), Breaks, Differs),
            (json!({}), json!({"pattern": "x"}), Breaks, Differs),
            (json!({"pattern": "x"}), json!({}), Differs, Differs),
            (json!({"type": "string"}), json!({"type": ["string", "null"]}), Differs, Breaks),
            (json!({"type": ["string", "null"]}), json!({"type": "string"}), Breaks, Differs),
            (json!({"type": "integer"}), json!({"type": "number"}), Differs, Breaks),
            (json!({"enum": ["a"]}), json!({"enum": ["a", "b"]}), Differs, Differs),
            (json!({"enum": ["a", "b"]}), json!({"enum": ["a"]}), Breaks, Differs),
            (json!({"properties": {"a": {}}}), json!({}), Breaks, Differs),
            (json!({}), json!({"properties": {"a": {}}}), Differs, Differs),
            (json!({"required": ["a"]}), json!({}), Differs, Breaks),
            (json!({}), json!({"required": ["a"]}), Breaks, Differs),
            (json!({}), json!({"additionalProperties": false}), Breaks, Differs),
            (json!({"default": 1}), json!({"default": 2}), Differs, Differs),
            (
                json!({"anyOf": [{"type": "object"}, {"maxItems": 0}, {"maxLength": 1}]}),
                json!({"anyOf": [{"type": "object"}]}),
                Breaks,
                Differs,
            ),
        ] {
            for (way, expected) in [(Way::Sent, sent), (Way::Received, received)] {
                let found = differences(way, &ours, &theirs).unwrap();
                let worst = found.iter().map(|it| it.severity).max();
                assert_eq!(worst, Some(expected), "{way:?} {ours} {theirs}: {found:?}");
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
                r#"differs: do: operationId: "do" in ours, "did" in theirs"#,
            ),
            (
                json!({"operationId": "do"}),
                json!({}),
                r#"differs: do: operationId: "do" in ours, "POST /a/{b}" in theirs"#,
            ),
            (
                json!({"operationId": "do"}),
                json!({"operationId": "do", "security": [{"bearer": ["read", "write"]}]}),
                "breaks: do: security: ability: write: only in theirs",
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
                "breaks: do: request body: required false in ours, true in theirs",
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
                "breaks: do: parameter query c: required false in ours, true in theirs",
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
                r#"breaks: y: path: "/b" in ours, "/a" in theirs"#,
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
        let error = drift(&broken, &json!({"swagger": "2.0"})).unwrap_err().to_string();
        assert_eq!(error, "/openapi: not an OpenAPI 3 document");
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
                if let Some(Value::Array(types)) = object.get("type").cloned()
                    && let [only, null] = types.as_slice()
                    && null == "null"
                {
                    object.insert("type".to_owned(), only.clone());
                    object.insert("nullable".to_owned(), json!(true));
                }
                if let Some(branches) = object.shift_remove("anyOf") {
                    object.insert("oneOf".to_owned(), branches);
                }
                object.entry("anyOf").or_insert_with(|| json!([]));
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
    fn found_h_an_equivalent_document_does_not_differ() {
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
