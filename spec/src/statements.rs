//! Statements of a document about an operation, each at its place, so that documents with the same meaning state the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::Error;
use crate::difference::Way;
use crate::document::{Object, Place, operations, resolve};
use crate::normal::normal;

/// A statement about a place in an operation.
#[derive(Debug)]
pub(crate) struct Statement {
    /// What is said; `None` if only that there is such a part.
    pub(crate) value: Option<Value>,
    /// Whether a client breaks if only our document says it, and if only theirs does or says it differently.
    pub(crate) breaks: (bool, bool),
    /// The way of the value, if it is a keyword of its schema that is stated; the severity then depends on the keyword.
    pub(crate) way: Option<Way>,
}

/// The statements by place, such as `request body.order: maximum`.
pub(crate) type Statements = BTreeMap<String, Statement>;

/// Returns what a document says of an operation.
pub(crate) fn statements(document: &Value, place: &Place) -> Result<Statements, Error> {
    let mut found = Collected { document, statements: Statements::new() };
    found.operation(place)?;
    Ok(found.statements)
}

fn operation<'a>(document: &'a Value, place: &Place) -> &'a Value {
    document.pointer(&place.pointer).unwrap_or(&Value::Null)
}

/// Returns the `operationId`, or the method and the path of an operation without one.
pub(crate) fn name(document: &Value, place: &Place) -> String {
    match operation(document, place)["operationId"].as_str() {
        Some(id) => id.to_owned(),
        None => format!("{} {}", place.method.to_uppercase(), place.path),
    }
}

struct Collected<'d> {
    document: &'d Value,
    statements: Statements,
}

impl Collected<'_> {
    fn state(&mut self, place: String, value: Option<Value>, breaks: (bool, bool)) {
        self.statements.insert(place, Statement { value, breaks, way: None });
    }

    fn operation(&mut self, place: &Place) -> Result<(), Error> {
        let operation = operation(self.document, place);
        let id = json!(name(self.document, place));
        self.state("operationId:".to_owned(), Some(id), (false, false));
        self.state("method:".to_owned(), Some(json!(place.method)), (true, true));
        self.state("path:".to_owned(), Some(json!(place.path)), (true, true));
        for need in security(self.document, operation) {
            self.state(format!("security: {need}"), None, (false, true));
        }
        for (key, parameter) in parameters(self.document, place)? {
            let at = format!("parameter {key}");
            self.state(at.clone(), None, (true, parameter["required"] == true));
            for field in ["required", "style", "explode", "allowEmptyValue"] {
                let value = parameter_field(&parameter, field);
                let breaks = match field {
                    "required" => value == true,
                    "allowEmptyValue" => value == false,
                    _ => true,
                };
                self.state(format!("{at}: {field}"), Some(value), (breaks, breaks));
            }
            self.schema(&at, Way::Sent, schema(&parameter), 0)?;
        }
        if let Some(body) = operation.get("requestBody") {
            let body = resolve(self.document, body, "")?;
            let required = body["required"] == true;
            self.state("request body".to_owned(), None, (true, required));
            let breaks = (required, required);
            self.state("request body: required".to_owned(), Some(json!(required)), breaks);
            self.contents("request body", Way::Sent, body)?;
        }
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            let at = format!("response {status}");
            // A client takes any failure, but only the success that it was made for.
            let success = status.starts_with('2');
            self.state(at.clone(), None, (success, success));
            let response = resolve(self.document, response, "")?;
            for (name, header) in response["headers"].as_object().into_iter().flatten() {
                let at = format!("{at} header {}", name.to_lowercase());
                self.state(at.clone(), None, (false, false));
                self.schema(&at, Way::Received, schema(resolve(self.document, header, "")?), 0)?;
            }
            self.contents(&at, Way::Received, response)?;
        }
        Ok(())
    }

    /// States bodies by media type. JSON is meant unless another type is named.
    fn contents(&mut self, place: &str, way: Way, body: &Value) -> Result<(), Error> {
        for (media, content) in body["content"].as_object().into_iter().flatten() {
            let named = format!("{place} ({media})");
            self.state(named.clone(), None, (true, false));
            let place = if media == "application/json" { place } else { &named };
            self.schema(place, way, schema(content), 0)?;
        }
        Ok(())
    }

    /// States what a schema inside so many others says of the value at a place.
    fn schema(&mut self, at: &str, way: Way, schema: &Value, depth: usize) -> Result<(), Error> {
        let sent = way == Way::Sent;
        for (keyword, value) in normal(self.document, schema, depth)? {
            match (keyword.as_str(), &value) {
                ("required", Value::Array(names)) => {
                    for name in names.iter().filter_map(Value::as_str) {
                        let place = format!("{at}.{name}: required");
                        self.state(place, Some(json!(true)), (!sent, sent));
                    }
                }
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        let place = format!("{at}.{name}");
                        // Strict writing refuses a field that it does not know; reading does without one that is not required.
                        self.state(place.clone(), None, (sent, false));
                        self.schema(&place, way, property, depth + 1)?;
                    }
                }
                ("items", _) => self.schema(&format!("{at}[]"), way, &value, depth + 1)?,
                ("not", _) => {
                    self.state(format!("{at}!"), None, (false, sent));
                    self.schema(&format!("{at}!"), way, &value, depth + 1)?;
                }
                ("additionalProperties", Value::Object(_)) => {
                    self.schema(&format!("{at}.*"), way, &value, depth + 1)?;
                }
                ("anyOf", Value::Array(branches)) => {
                    for branch in branches {
                        let mut alone =
                            Collected { document: self.document, statements: Statements::new() };
                        alone.schema("value", way, branch, depth + 1)?;
                        let said = alone.statements.into_iter();
                        let said: Object = said.map(|(at, it)| (at, json!(it.value))).collect();
                        self.state(format!("{at}: anyOf {}", json!(said)), None, (sent, !sent));
                    }
                }
                _ => {
                    let (breaks, way) = ((false, false), Some(way));
                    let statement = Statement { value: Some(value), breaks, way };
                    self.statements.insert(format!("{at}: {keyword}"), statement);
                }
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
pub(crate) fn lists_abilities(document: &Value) -> bool {
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
