//! What another OpenAPI document says about the operations of ours, difference by difference. Prose is not compared.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use crate::Error;
use crate::document::{Object, Place, operations, resolve};
use crate::schema::{Sides, both, difference, one_sided, union};

/// One difference between two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The `operationId`, or method and path of an operation without one.
    pub operation: String,
    /// Where in the operation, and what: `request body.order: maximum 9 only in theirs`.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.what)
    }
}

/// Compares their document with ours, in the order of ours. Nothing is found when both describe the same requests and answers.
///
/// # Errors
///
/// [`Error::Refused`] when one of them is not an OpenAPI 3 document, or refers to something it does not have.
pub fn drift(ours: &Value, theirs: &Value) -> Result<Vec<Difference>, Error> {
    for document in [ours, theirs] {
        if !document["openapi"].as_str().is_some_and(|version| version.starts_with("3."))
            || !document["paths"].is_object()
        {
            return Err(Error::refused("", "not an OpenAPI 3 document"));
        }
    }
    let sides = Sides { ours, theirs };
    let mut rest = operations(theirs);
    let mut differences = Vec::new();
    for place in operations(ours) {
        let name = name(ours, &place);
        let mut found = Vec::new();
        match take_partner(ours, theirs, &place, &mut rest) {
            None => found.push("only in ours".to_owned()),
            Some(partner) => sides.operations(&place, &partner, &mut found)?,
        }
        differences
            .extend(found.into_iter().map(|what| Difference { operation: name.clone(), what }));
    }
    differences.extend(rest.iter().map(|place| Difference {
        operation: name(theirs, place),
        what: "only in theirs".to_owned(),
    }));
    Ok(differences)
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

/// The same operation in their document: the one of the same id, or else the one at the same method and path.
fn take_partner(
    ours: &Value,
    theirs: &Value,
    place: &Place,
    rest: &mut Vec<Place>,
) -> Option<Place> {
    let id = &operation(ours, place)["operationId"];
    let same_id = |other: &Place| id.is_string() && operation(theirs, other)["operationId"] == *id;
    let same_address = |other: &Place| other.method == place.method && other.path == place.path;
    let index = rest.iter().position(same_id).or_else(|| rest.iter().position(same_address))?;
    Some(rest.remove(index))
}

impl Sides<'_> {
    fn operations(
        &self,
        place: &Place,
        partner: &Place,
        found: &mut Vec<String>,
    ) -> Result<(), Error> {
        let (ours, theirs) = (operation(self.ours, place), operation(self.theirs, partner));
        for (field, a, b) in [
            ("operationId", json!(name(self.ours, place)), json!(name(self.theirs, partner))),
            ("method", json!(place.method), json!(partner.method)),
            ("path", json!(place.path), json!(partner.path)),
        ] {
            found.extend(difference(Some(&a), Some(&b)).map(|what| format!("{field}: {what}")));
        }
        for (ability, side) in one_sided(&security(self.ours, ours), &security(self.theirs, theirs))
        {
            found.push(format!("security: {ability} {side}"));
        }
        self.parameters(&parameters(self.ours, place)?, &parameters(self.theirs, partner)?, found)?;
        self.bodies(ours.get("requestBody"), theirs.get("requestBody"), found)?;
        self.responses(&ours["responses"], &theirs["responses"], found)
    }

    fn parameters(
        &self,
        ours: &Object,
        theirs: &Object,
        found: &mut Vec<String>,
    ) -> Result<(), Error> {
        for key in union(ours, theirs) {
            let place = format!("parameter {key}");
            let Some((a, b)) = both(&place, ours.get(key), theirs.get(key), found) else {
                continue;
            };
            for field in ["required", "style", "explode", "allowEmptyValue"] {
                let (a, b) = (parameter_field(a, field), parameter_field(b, field));
                found.extend(
                    difference(Some(&a), Some(&b)).map(|what| format!("{place}: {field} {what}")),
                );
            }
            self.schemas(&place, schema(a), schema(b), found)?;
        }
        Ok(())
    }

    fn bodies(
        &self,
        ours: Option<&Value>,
        theirs: Option<&Value>,
        found: &mut Vec<String>,
    ) -> Result<(), Error> {
        let Some((a, b)) = both(&"request body", ours, theirs, found) else { return Ok(()) };
        let (a, b) = (resolve(self.ours, a, "")?, resolve(self.theirs, b, "")?);
        let required = |body: &Value| json!(body["required"] == true);
        found.extend(
            difference(Some(&required(a)), Some(&required(b)))
                .map(|what| format!("request body: required {what}")),
        );
        self.contents("request body", a, b, found)
    }

    fn responses(
        &self,
        ours: &Value,
        theirs: &Value,
        found: &mut Vec<String>,
    ) -> Result<(), Error> {
        let none = Object::new();
        let (ours, theirs) =
            (ours.as_object().unwrap_or(&none), theirs.as_object().unwrap_or(&none));
        for status in union(ours, theirs) {
            let place = format!("response {status}");
            let Some((a, b)) = both(&place, ours.get(status), theirs.get(status), found) else {
                continue;
            };
            let (a, b) = (resolve(self.ours, a, "")?, resolve(self.theirs, b, "")?);
            let (a_headers, b_headers) = (headers(a), headers(b));
            for name in union(&a_headers, &b_headers) {
                let place = format!("{place} header {name}");
                let Some((a, b)) = both(&place, a_headers.get(name), b_headers.get(name), found)
                else {
                    continue;
                };
                self.schemas(
                    &place,
                    schema(resolve(self.ours, a, "")?),
                    schema(resolve(self.theirs, b, "")?),
                    found,
                )?;
            }
            self.contents(&place, a, b, found)?;
        }
        Ok(())
    }

    /// Bodies by media type. JSON is what is meant unless another type is named.
    fn contents(
        &self,
        place: &str,
        ours: &Value,
        theirs: &Value,
        found: &mut Vec<String>,
    ) -> Result<(), Error> {
        let none = Object::new();
        let of =
            |body: &Value| body["content"].as_object().cloned().unwrap_or_else(|| none.clone());
        let (ours, theirs) = (of(ours), of(theirs));
        for media in union(&ours, &theirs) {
            let place = if media == "application/json" {
                place.to_owned()
            } else {
                format!("{place} ({media})")
            };
            match (ours.get(media), theirs.get(media)) {
                (Some(a), Some(b)) => self.schemas(&place, schema(a), schema(b), found)?,
                (a, _) => found.push(format!(
                    "{place}: {media} only in {}",
                    if a.is_some() { "ours" } else { "theirs" }
                )),
            }
        }
        Ok(())
    }
}

fn schema(holder: &Value) -> &Value {
    holder.get("schema").unwrap_or(&Value::Bool(true))
}

/// What a caller must show: each kind of credential, with each ability it needs. Names of schemes are a document's own business.
fn security(document: &Value, operation: &Value) -> BTreeSet<String> {
    let requirements = operation.get("security").or_else(|| document.get("security"));
    let mut needs = BTreeSet::new();
    for (name, abilities) in requirements
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flatten()
    {
        let scheme = &document["components"]["securitySchemes"][name];
        let kind =
            scheme["scheme"].as_str().or(scheme["type"].as_str()).unwrap_or(name).to_lowercase();
        needs.insert(kind);
        needs.extend(
            abilities.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned),
        );
    }
    needs
}

/// The parameters of an operation and of its path, by kind and name. Names of headers have no case.
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

/// A field of a parameter, or what OpenAPI takes for it when it is left out.
fn parameter_field(parameter: &Value, field: &str) -> Value {
    let in_query = parameter["in"] == "query" || parameter["in"] == "cookie";
    match (parameter.get(field), field) {
        (Some(value), _) => value.clone(),
        (None, "style") => json!(if in_query { "form" } else { "simple" }),
        (None, "explode") => json!(parameter_field(parameter, "style") == "form"),
        (None, _) => json!(false),
    }
}

/// The headers of a response, by name without case.
fn headers(response: &Value) -> Object {
    let headers = response["headers"].as_object();
    headers
        .into_iter()
        .flatten()
        .map(|(name, header)| (name.to_lowercase(), header.clone()))
        .collect()
}
