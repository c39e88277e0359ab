//! Comparison of another OpenAPI document with ours, operation by operation. Prose is not compared.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::difference::{Found, Way, both, difference, one_sided, severity, union};
use crate::document::{Object, Place, operations, resolve};
use crate::schema::Sides;
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
    let sides = Sides { ours, theirs };
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
        let mut found = Vec::new();
        match take_partner(theirs, &name, &place, &known, &mut rest) {
            None => found.push((Severity::Breaks, "only in ours".to_owned())),
            Some(partner) => sides
                .operations(&place, &partner, &mut found)
                .map_err(|error| at(error, &partner))?,
        }
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

fn operation<'a>(document: &'a Value, place: &Place) -> &'a Value {
    document.pointer(&place.pointer).unwrap_or(&Value::Null)
}

fn name(document: &Value, place: &Place) -> String {
    match operation(document, place)["operationId"].as_str() {
        Some(id) => id.to_owned(),
        None => format!("{} {}", place.method.to_uppercase(), place.path),
    }
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

impl Sides<'_> {
    fn operations(&self, place: &Place, partner: &Place, found: &mut Found) -> Result<(), Error> {
        let (ours, theirs) = (operation(self.ours, place), operation(self.theirs, partner));
        for (field, a, b) in [
            ("operationId", json!(name(self.ours, place)), json!(name(self.theirs, partner))),
            ("method", json!(place.method), json!(partner.method)),
            ("path", json!(place.path), json!(partner.path)),
        ] {
            let breaks = severity(field != "operationId");
            found.extend(
                difference(Some(&a), Some(&b)).map(|what| (breaks, format!("{field}: {what}"))),
            );
        }
        let (mut a, mut b) = (security(self.ours, ours), security(self.theirs, theirs));
        if !(lists_abilities(self.ours) && lists_abilities(self.theirs)) {
            for needs in [&mut a, &mut b] {
                needs.retain(|need| !need.contains(':'));
            }
        }
        for (need, side) in one_sided(&a, &b) {
            let breaks = severity(side == "only in theirs");
            found.push((breaks, format!("security: {need} {side}")));
        }
        self.parameters(&parameters(self.ours, place)?, &parameters(self.theirs, partner)?, found)?;
        self.bodies(ours.get("requestBody"), theirs.get("requestBody"), found)?;
        self.responses(&ours["responses"], &theirs["responses"], found)
    }

    fn parameters(&self, ours: &Object, theirs: &Object, found: &mut Found) -> Result<(), Error> {
        for key in union(ours, theirs) {
            let place = format!("parameter {key}");
            let required = theirs.get(key).is_some_and(|it| it["required"] == true);
            let breaks = (true, required);
            let Some((a, b)) = both(&place, ours.get(key), theirs.get(key), breaks, found) else {
                continue;
            };
            for field in ["required", "style", "explode", "allowEmptyValue"] {
                let (a, b) = (parameter_field(a, field), parameter_field(b, field));
                let breaks = severity(
                    !matches!(field, "required" | "allowEmptyValue")
                        || b == json!(field == "required"),
                );
                found.extend(
                    difference(Some(&a), Some(&b))
                        .map(|what| (breaks, format!("{place}: {field} {what}"))),
                );
            }
            self.schemas(&place, Way::Sent, schema(a), schema(b), found)?;
        }
        Ok(())
    }

    fn bodies(
        &self,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        found: &mut Found,
    ) -> Result<(), Error> {
        let theirs_required = theirs.is_some_and(|body| body["required"] == true);
        let breaks = (true, theirs_required);
        let Some((a, b)) = both(&"request body", ours, theirs, breaks, found) else {
            return Ok(());
        };
        let (a, b) = (resolve(self.ours, a, "")?, resolve(self.theirs, b, "")?);
        let required = |body: &Value| json!(body["required"] == true);
        found.extend(
            difference(Some(&required(a)), Some(&required(b)))
                .map(|what| (severity(theirs_required), format!("request body: required {what}"))),
        );
        self.contents("request body", Way::Sent, a, b, found)
    }

    fn responses(&self, ours: &Value, theirs: &Value, found: &mut Found) -> Result<(), Error> {
        let none = Object::new();
        let (ours, theirs) =
            (ours.as_object().unwrap_or(&none), theirs.as_object().unwrap_or(&none));
        for status in union(ours, theirs) {
            let place = format!("response {status}");
            // A client takes any failure, but only the success that it was made for.
            let success = status.starts_with('2');
            let breaks = (success, success);
            let Some((a, b)) = both(&place, ours.get(status), theirs.get(status), breaks, found)
            else {
                continue;
            };
            let (a, b) = (resolve(self.ours, a, "")?, resolve(self.theirs, b, "")?);
            let (a_headers, b_headers) = (headers(a), headers(b));
            for name in union(&a_headers, &b_headers) {
                let place = format!("{place} header {name}");
                let (a, b) = (a_headers.get(name), b_headers.get(name));
                let Some((a, b)) = both(&place, a, b, (false, false), found) else {
                    continue;
                };
                self.schemas(
                    &place,
                    Way::Received,
                    schema(resolve(self.ours, a, "")?),
                    schema(resolve(self.theirs, b, "")?),
                    found,
                )?;
            }
            self.contents(&place, Way::Received, a, b, found)?;
        }
        Ok(())
    }

    /// Returns bodies by media type. JSON is meant unless another type is named.
    fn contents(
        &self,
        place: &str,
        way: Way,
        ours: &Value,
        theirs: &Value,
        found: &mut Found,
    ) -> Result<(), Error> {
        let of = |body: &Value| body["content"].as_object().cloned().unwrap_or_default();
        let (ours, theirs) = (of(ours), of(theirs));
        for media in union(&ours, &theirs) {
            let (a, b) = (ours.get(media), theirs.get(media));
            let place_of_media = format!("{place}: {media}");
            let Some((a, b)) = both(&place_of_media, a, b, (true, false), found) else { continue };
            if media == "application/json" {
                self.schemas(place, way, schema(a), schema(b), found)?;
            } else {
                self.schemas(&format!("{place} ({media})"), way, schema(a), schema(b), found)?;
            }
        }
        Ok(())
    }
}

fn schema(holder: &Value) -> &Value {
    holder.get("schema").unwrap_or(&Value::Bool(true))
}

/// Returns the credentials that a caller must present: each kind, with each ability that it needs. Names of schemes differ between
/// documents, and so do the ways to obtain a bearer token.
fn security(document: &Value, operation: &Value) -> BTreeSet<String> {
    let mut needs = BTreeSet::new();
    for (name, abilities) in requirements(document, operation).into_iter().flatten() {
        let scheme = &document["components"]["securitySchemes"][name];
        let kind = match scheme["type"].as_str() {
            Some("oauth2" | "openIdConnect") => "bearer",
            kind => scheme["scheme"].as_str().or(kind).unwrap_or(name),
        };
        needs.insert(kind.to_lowercase());
        let abilities = abilities.as_array().into_iter().flatten().filter_map(Value::as_str);
        needs.extend(abilities.map(|ability| format!("ability: {ability}")));
    }
    needs
}

fn requirements<'a>(document: &'a Value, operation: &'a Value) -> Vec<&'a Object> {
    let requirements = operation.get("security").or_else(|| document.get("security"));
    requirements
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect()
}

/// Returns whether a document lists the abilities that any operation needs; many documents list none.
fn lists_abilities(document: &Value) -> bool {
    let listed = |place: &Place| {
        let abilities = requirements(document, operation(document, place)).into_iter().flatten();
        abilities.into_iter().any(|(_, abilities)| abilities != &json!([]))
    };
    operations(document).iter().any(listed)
}

/// Returns the parameters of an operation and of its path, by kind and name. Names of headers have no case.
fn parameters(document: &Value, place: &Place) -> Result<Object, Error> {
    let mut all = Object::new();
    for holder in [&document["paths"][&place.path], operation(document, place)] {
        for parameter in holder["parameters"].as_array().into_iter().flatten() {
            let parameter = resolve(document, parameter, &place.pointer)?;
            let text = |key: &str| parameter[key].as_str().unwrap_or_default();
            let name = if text("in") == "header" {
                text("name").to_lowercase()
            } else {
                text("name").to_owned()
            };
            all.insert(format!("{} {name}", text("in")), parameter.clone());
        }
    }
    Ok(all)
}

/// Returns a field of a parameter, or the default that OpenAPI defines for it.
fn parameter_field(parameter: &Value, field: &str) -> Value {
    let in_query = parameter["in"] == "query" || parameter["in"] == "cookie";
    match (parameter.get(field), field) {
        (Some(value), _) => value.clone(),
        (None, "style") => json!(if in_query { "form" } else { "simple" }),
        (None, "explode") => json!(parameter_field(parameter, "style") == "form"),
        (None, _) => json!(false),
    }
}

/// Returns the headers of a response, by name without case.
fn headers(response: &Value) -> Object {
    let headers = response["headers"].as_object();
    headers
        .into_iter()
        .flatten()
        .map(|(name, header)| (name.to_lowercase(), header.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
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
                "breaks: do: security: ability: write only in theirs",
            ),
            (
                body(&json!({})),
                json!({"operationId": "do"}),
                "breaks: do: request body: only in ours",
            ),
            (
                body(&json!({"properties": {"data": {"properties": {"order": {}}}}})),
                body(&json!({"properties": {"data": {"properties": {"order": {"maximum": 9}}}}})),
                "breaks: do: request body data.order: maximum 9 only in theirs",
            ),
            (
                body(&json!({})),
                json!({"operationId": "do", "requestBody": {"required": true, "content": {"application/json": {}}}}),
                "breaks: do: request body: required false in ours, true in theirs",
            ),
            (
                body(&json!({})),
                json!({"operationId": "do", "requestBody": {"content": {"application/json": {}, "text/plain": {}}}}),
                "differs: do: request body: text/plain: only in theirs",
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
