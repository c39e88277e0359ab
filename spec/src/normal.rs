//! Normal form of operations and schemas, so that documents with the same meaning are equal.
//!
//! It is a tree. A key that begins with `:`, a space, `.` or `[` is a part, and continues the name of what holds it: `: request body`, `.title`,
//! `[]`. Any other key is a keyword, with the value it has there.

use serde_json::{Value, json};

use crate::Error;
use crate::document::{self, Object, Place, resolve};

/// Keywords that document a schema and do not constrain it.
const PROSE: [&str; 9] = [
    "$comment",
    "$defs",
    "deprecated",
    "description",
    "example",
    "examples",
    "externalDocs",
    "title",
    "xml",
];

/// Maximum nesting of schemas; a deeper one counts as endless.
const DEPTH: usize = 64;

/// Returns the normal forms of the operations of an OpenAPI 3.1 document.
pub(crate) fn operations(document: &Value) -> Result<Vec<Object>, Error> {
    document::require_3_1(document)?;
    let places = document::operations(document);
    places.into_iter().map(|place| Reader { document, place }.operation()).collect()
}

/// A document that is read at the place of an operation.
struct Reader<'d> {
    document: &'d Value,
    place: Place,
}

impl<'d> Reader<'d> {
    fn refused(&self, problem: &str) -> Error {
        Error::refused(&self.place.pointer, problem)
    }

    fn resolve(&self, value: &'d Value) -> Result<&'d Value, Error> {
        resolve(self.document, value, &self.place.pointer)
    }

    fn operation(&self) -> Result<Object, Error> {
        let Place { path, method, pointer } = &self.place;
        let operation = self.document.pointer(pointer).unwrap_or(&Value::Null);
        let id = operation["operationId"].as_str().map(str::to_owned);
        let id = id.unwrap_or_else(|| format!("{} {path}", method.to_uppercase()));
        let mut node = Object::new();
        node.insert("operationId".to_owned(), json!(id));
        node.insert("method".to_owned(), json!(method));
        node.insert("path".to_owned(), json!(path));
        // Documents have names of their own for credentials, and many do not list abilities.
        let holder = if operation.get("security").is_some() { operation } else { self.document };
        if !list(holder, "security").is_empty() {
            node.insert("credentials".to_owned(), json!(true));
        }
        for holder in [&self.document["paths"][path], operation] {
            for parameter in list(holder, "parameters") {
                let (name, parameter) = self.parameter(self.resolve(parameter)?)?;
                node.insert(name, json!(parameter));
            }
        }
        if let Some(body) = operation.get("requestBody") {
            let body = self.resolve(body)?;
            let mut part = self.contents(body)?;
            require(&mut part, body["required"] == true);
            node.insert(": request body".to_owned(), json!(part));
        }
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            let response = self.resolve(response)?;
            let mut part = self.contents(response)?;
            // A client takes any failure, but only the success that it was made for.
            require(&mut part, status.starts_with('2'));
            for (name, header) in response["headers"].as_object().into_iter().flatten() {
                let schema = self.schema_of(self.resolve(header)?)?;
                part.insert(format!(" header {}", name.to_lowercase()), json!(schema));
            }
            node.insert(format!(": response {status}"), json!(part));
        }
        Ok(node)
    }

    /// Returns a parameter with its name, which has no case for a header. Without a style it has the default of OpenAPI.
    fn parameter(&self, parameter: &'d Value) -> Result<(String, Object), Error> {
        let text = |key: &str| parameter[key].as_str().unwrap_or_default();
        let (kind, mut name) = (text("in"), text("name").to_owned());
        if kind == "header" {
            name = name.to_lowercase();
        }
        let default = if ["query", "cookie"].contains(&kind) { "form" } else { "simple" };
        let style = parameter["style"].as_str().unwrap_or(default);
        let explode = parameter["explode"].as_bool().unwrap_or(style == "form");
        let mut node = self.schema_of(parameter)?;
        require(&mut node, parameter["required"] == true);
        node.insert("style".to_owned(), json!(style));
        node.insert("explode".to_owned(), json!(explode));
        Ok((format!(": parameter {kind} {name}"), node))
    }

    /// Returns a body: its schema as JSON, with a part for each other media type.
    fn contents(&self, body: &'d Value) -> Result<Object, Error> {
        let mut node = Object::new();
        for (media, content) in body["content"].as_object().into_iter().flatten() {
            let schema = self.schema_of(content)?;
            if media == "application/json" {
                merge(&mut node, schema);
            } else {
                node.insert(format!(" ({media})"), json!(schema));
            }
        }
        Ok(node)
    }

    fn schema_of(&self, holder: &'d Value) -> Result<Object, Error> {
        self.schema(holder.get("schema").unwrap_or(&Value::Bool(true)), 0)
    }

    /// Returns a schema inside so many others: references followed, prose removed, lists without order sorted.
    fn schema(&self, schema: &'d Value, depth: usize) -> Result<Object, Error> {
        if depth > DEPTH {
            return Err(self.refused("endlessly nested schemas"));
        }
        let inner = |schema| self.schema(schema, depth + 1);
        let keywords = match schema {
            Value::Bool(true) => return Ok(Object::new()),
            Value::Bool(false) => return Ok(Object::from_iter([("not".to_owned(), json!({}))])),
            Value::Object(keywords) => keywords,
            _ => return Err(self.refused(&format!("{schema} is not a schema"))),
        };
        let mut node = Object::new();
        if keywords.contains_key("$ref") {
            node = inner(self.resolve(schema)?)?;
        }
        for part in list(schema, "allOf") {
            merge(&mut node, inner(part)?);
        }
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$ref" | "allOf" | "anyOf" | "oneOf", _) => {}
                ("additionalProperties", Value::Bool(true)) => {}
                (prose, _) if PROSE.contains(&prose) || prose.starts_with("x-") => {}
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        merge(part(&mut node, name), inner(property)?);
                    }
                }
                ("required", Value::Array(names)) => {
                    for name in names.iter().filter_map(Value::as_str) {
                        require(part(&mut node, name), true);
                    }
                }
                ("items", _) => drop(node.insert("[]".to_owned(), json!(inner(value)?))),
                ("additionalProperties", Value::Object(_)) => {
                    merge(part(&mut node, "*"), inner(value)?);
                }
                ("not", _) => drop(node.insert("not".to_owned(), json!(inner(value)?))),
                ("const", _) => drop(node.insert("enum".to_owned(), json!([value]))),
                ("type", Value::String(_)) => drop(node.insert("type".to_owned(), json!([value]))),
                _ => drop(node.insert(keyword.clone(), value.clone())),
            }
        }
        let branches = list(schema, "anyOf").iter().chain(list(schema, "oneOf"));
        choose(&mut node, branches.map(inner).collect::<Result<_, _>>()?);
        if let (Some(values), None) = (node.get("enum"), node.get("type")) {
            let types = list_of(values).iter().map(type_of).collect();
            node.insert("type".to_owned(), types);
        }
        for key in ["type", "enum", "anyOf"] {
            if let Some(Value::Array(list)) = node.get_mut(key) {
                list.sort_by_key(Value::to_string);
                list.dedup();
            }
        }
        Ok(node)
    }
}

/// Adds alternatives to a schema. Those that only list types or values become one list, and a single one is no alternative.
fn choose(node: &mut Object, mut branches: Vec<Object>) {
    let null = Object::from_iter([("type".to_owned(), json!(["null"]))]);
    let before = branches.len();
    branches.retain(|branch| *branch != null);
    let is_nullable = branches.len() < before;
    let width = branches.first().map_or(0, Object::len);
    let is_list = |branch: &Object| {
        branch.len() == width && branch.keys().all(|key| key == "type" || key == "enum")
    };
    if branches.iter().all(is_list) {
        let mut union = Object::new();
        for (key, value) in branches.drain(..).flatten() {
            match (union.get_mut(&key), value) {
                (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                (_, value) => drop(union.insert(key, value)),
            }
        }
        branches.push(union);
    }
    if let [only] = branches.as_mut_slice() {
        merge(only, std::mem::take(node));
        *node = std::mem::take(only);
        if let Some(Value::Array(types)) = node.get_mut("type").filter(|_| is_nullable) {
            types.push(json!("null"));
        }
    } else {
        branches.extend(is_nullable.then_some(null));
        node.insert("anyOf".to_owned(), json!(branches));
    }
}

/// Returns the type of a listed value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn list_of(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn list<'v>(holder: &'v Value, key: &str) -> &'v [Value] {
    list_of(&holder[key])
}

fn require(node: &mut Object, is_required: bool) {
    if is_required {
        node.insert("required".to_owned(), json!(true));
    }
}

/// Returns the part of a schema for a field, which is added if it is missing.
fn part<'n>(node: &'n mut Object, name: &str) -> &'n mut Object {
    let part = node.entry(format!(".{name}")).or_insert_with(|| json!({}));
    part.as_object_mut().expect("a part is an object")
}

/// Adds a schema to one that holds as well: parts of both, otherwise the value of the second.
fn merge(all: &mut Object, second: Object) {
    for (key, value) in second {
        match (all.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(more)) => merge(known, more),
            (_, value) => drop(all.insert(key, value)),
        }
    }
}
