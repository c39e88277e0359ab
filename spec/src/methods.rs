//! Methods that build the request of an operation, as text.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Error;
use crate::document::{Place, child, operations, resolve, types};

/// Headers that the SDK's transport sets on every attempt of a call.
const TRANSPORT_HEADERS: [&str; 2] = ["Idempotency-Key", "Precognition"];

/// Returns a method for each operation of a document. `by_hand` has the types of the schemas that the SDK reads or writes by hand.
///
/// # Errors
///
/// [`Error::Refused`], with the JSON pointer of what has no form in a method.
pub(crate) fn methods(document: &Value, by_hand: &[(&str, &str)]) -> Result<String, Error> {
    let methods = Methods { document, by_hand: by_hand.iter().copied().collect() };
    operations(document).iter().map(|place| methods.of(place)).collect()
}

struct Methods<'d> {
    document: &'d Value,
    by_hand: BTreeMap<&'d str, &'d str>,
}

impl Methods<'_> {
    fn of(&self, place: &Place) -> Result<String, Error> {
        let operation = self.document.pointer(&place.pointer).unwrap_or(&Value::Null);
        let text = |key: &str| operation[key].as_str().unwrap_or_default();
        if text("operationId").is_empty() {
            return Err(Error::refused(&place.pointer, "an operation needs an `operationId`"));
        }
        let mut docs = vec![
            format!("{}\n\n{}\n", text("summary"), text("description")),
            format!("Sends `{} {}`.\n", place.method.to_uppercase(), place.path),
        ];
        let parameters = self.parameters(operation, &place.pointer)?;
        let mut arguments = Vec::new();
        let mut queries = String::new();
        for (name, parameter) in &parameters {
            let argument = name_in_rust(name);
            let of = self.type_of(&parameter["schema"]).ok_or_else(|| {
                let problem = format!("the parameter `{name}` has no form in Rust");
                Error::refused(&place.pointer, problem)
            })?;
            let is_required = parameter["required"] == true;
            let of = if is_required || of == "str" { format!("&'a {of}") } else { of };
            let of = if is_required { of } else { format!("Option<{of}>") };
            arguments.push(format!("{argument}: {of}"));
            docs.extend(
                parameter["description"].as_str().map(|it| format!("- `{argument}`: {it}")),
            );
            if parameter["in"] == "query" {
                let query = "progenitor_client::QueryParam::new";
                queries = format!("{queries}.query(&{query}({name:?}, &{argument}))");
            }
        }
        if let Some(body) = self.body(operation, place)? {
            arguments.push(format!("body: &'a {body}"));
            queries += ".json(&body)";
        }
        let (mut template, mut values) = (String::new(), Vec::new());
        for segment in place.path.split('/').skip(1) {
            let name = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            template = format!("{template}/{}", if name.is_some() { "{}" } else { segment });
            values.extend(name.map(|it| format!("encode_path(&{}.to_string())", name_in_rust(it))));
        }
        Ok(format!(
            "#[doc = {:?}]
            pub fn {}<'a>(&'a self, {}) -> reqwest::Result<TypedRequest<{}>> {{
                let url = format!(\"{{}}{template}\", self.baseurl, {});
                self.client.{}(url){queries}.build().map(TypedRequest::from)
            }}
            ",
            docs.join("\n"),
            name_in_rust(text("operationId")),
            arguments.join(", "),
            self.answer(operation, &place.pointer)?,
            values.join(", "),
            place.method,
        ))
    }

    /// Returns the type of a schema, without the `null` that it may allow too.
    fn type_of(&self, schema: &Value) -> Option<String> {
        let mut alternatives = schema["anyOf"].as_array().into_iter().flatten();
        let schema = alternatives.find(|it| it["type"] != "null").unwrap_or(schema);
        if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
            let by_hand = self.by_hand.get(name).map(|it| (*it).to_owned());
            return Some(by_hand.unwrap_or_else(|| format!("types::{name}")));
        }
        match *types(schema).first()? {
            "string" => Some("str".to_owned()),
            "boolean" => Some("bool".to_owned()),
            "array" => Some(format!("::std::vec::Vec<{}>", self.type_of(&schema["items"])?)),
            "object" => {
                Some("::serde_json::Map<::std::string::String, ::serde_json::Value>".to_owned())
            }
            _ => None,
        }
    }

    /// Returns the parameters of an operation by name, those of the path first, without those that the transport sets.
    fn parameters(&self, operation: &Value, pointer: &str) -> Result<Vec<(String, Value)>, Error> {
        let mut found = Vec::new();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolve(self.document, parameter, pointer)?;
            let name = parameter["name"].as_str().unwrap_or_default();
            let is_header = parameter["in"] == "header";
            if !(is_header && TRANSPORT_HEADERS.contains(&name)) {
                found.push((name.to_owned(), parameter.clone()));
            }
        }
        found.sort_by_key(|(name, parameter)| {
            let is_in_path = parameter["in"] == "path";
            (!is_in_path, if is_in_path { String::new() } else { name.clone() })
        });
        Ok(found)
    }

    /// Returns the type of a request body. Other forms than JSON are sent by hand; a DELETE has all its data in its URL.
    fn body(&self, operation: &Value, place: &Place) -> Result<Option<String>, Error> {
        let Some(body) = operation.get("requestBody").filter(|_| place.method != "delete") else {
            return Ok(None);
        };
        let body = resolve(self.document, body, &place.pointer)?;
        let schema = &body["content"]["application/json"]["schema"];
        let of = self.type_of(schema).ok_or_else(|| {
            let pointer = child(&place.pointer, "requestBody");
            Error::refused(&pointer, "no `application/json`: such a request is written by hand")
        })?;
        Ok(Some(of))
    }

    /// Returns the type of the one answer that succeeds. The SDK reads all others by itself.
    fn answer(&self, operation: &Value, pointer: &str) -> Result<String, Error> {
        let responses = operation["responses"].as_object().into_iter().flatten();
        let mut succeeds: Vec<_> =
            responses.filter(|(status, _)| status.starts_with('2')).collect();
        if succeeds.len() > 1 {
            succeeds.retain(|(status, _)| *status != "204");
        }
        let [(_, response)] = succeeds[..] else {
            let pointer = child(pointer, "responses");
            return Err(Error::refused(&pointer, "a method has one success besides a 204"));
        };
        let content = &resolve(self.document, response, pointer)?["content"];
        Ok(match (content.get("application/json"), content) {
            (Some(json), _) => {
                self.type_of(&json["schema"]).unwrap_or_else(|| "::serde_json::Value".to_owned())
            }
            (None, Value::Null) => "()".to_owned(),
            (None, _) => "ByteStream".to_owned(),
        })
    }
}

/// Returns the name of an argument or a method: `profile_key` for `profileKey`, and `kind` for `type`, which is a keyword.
fn name_in_rust(name: &str) -> String {
    if name == "type" {
        return "kind".to_owned();
    }
    let mut found = String::new();
    for letter in name.chars().filter(char::is_ascii_alphanumeric) {
        if letter.is_uppercase() {
            found.push('_');
        }
        found.extend(letter.to_lowercase());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn method(verb: &str, operation: Value) -> Result<String, Error> {
        let mut operation = operation;
        operation["operationId"] = json!("doIt");
        if operation.get("responses").is_none() {
            operation["responses"] = json!({"204": {}});
        }
        let mut document = json!({"paths": {"/a/{b}": {}}, "components": {
            "parameters": {"Key": {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}},
            "responses": {"Refused": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}},
            "schemas": {"Id": {"type": "integer"}, "Period": {"type": "string", "enum": ["a"]}}
        }});
        document["paths"]["/a/{b}"][verb] = operation;
        methods(&document, &[("Id", "crate::Id")])
    }

    #[test]
    fn parameters_become_plain_arguments() {
        let code = method(
            "get",
            json!({"parameters": [
                {"$ref": "#/components/parameters/Key"},
                {"name": "dateTo", "in": "query", "schema": {"type": ["string", "null"], "format": "date"}},
                {"name": "compare", "in": "query", "schema": {"type": "boolean"}},
                {"name": "period", "in": "query", "schema": {"anyOf": [{"$ref": "#/components/schemas/Period"}, {"type": "null"}]}},
                {"name": "b", "in": "path", "required": true, "schema": {"$ref": "#/components/schemas/Id"}},
                {"name": "type", "in": "query", "required": true, "schema": {"type": "string", "enum": ["a"]}}
            ]}),
        );
        let code = code.unwrap();
        let arguments = "do_it<'a>(&'a self, b: &'a crate::Id, compare: Option<bool>, date_to: Option<&'a str>, \
             period: Option<types::Period>, kind: &'a str)";
        assert!(code.contains(arguments), "{code}");
        assert!(code.contains("new(\"type\", &kind)"), "{code}");
        assert!(!code.contains("Idempotency"), "{code}");
    }

    #[test]
    fn only_json_bodies_are_left_and_a_delete_has_none() {
        let body = json!({"content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Sent"}},
            "multipart/form-data": {"schema": {}}
        }});
        let sends = |verb| {
            method(verb, json!({"requestBody": body})).unwrap().contains("body: &'a types::Sent")
        };
        assert_eq!((sends("post"), sends("delete")), (true, false));
    }

    #[test]
    fn of_the_answers_the_one_success_is_left() {
        let named = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}});
        for (responses, expected) in [
            (
                json!({"200": named, "204": {}, "422": {"$ref": "#/components/responses/Refused"}}),
                "types::A",
            ),
            (json!({"200": {"content": {"application/json": {}}}}), "::serde_json::Value>"),
            (
                json!({"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}),
                "::serde_json::Map<",
            ),
            (json!({"200": {"content": {"text/markdown": {}}}}), "ByteStream"),
            (json!({"204": {}}), "()"),
        ] {
            let code = method("get", json!({"responses": responses})).unwrap();
            assert!(code.contains(&format!("TypedRequest<{expected}")), "{code}");
        }
    }

    #[test]
    fn what_has_no_form_in_a_method_is_refused_at_its_place() {
        let pointer = "/paths/~1a~1{b}/post";
        for (operation, place) in [
            (json!({"parameters": [{"name": "x", "in": "query", "schema": {}}]}), ""),
            (json!({"parameters": [{"$ref": "#/no"}]}), ""),
            (json!({"requestBody": {"content": {"multipart/form-data": {}}}}), "/requestBody"),
            (json!({"responses": {"200": {}, "201": {}}}), "/responses"),
            (json!({"responses": {"404": {}}}), "/responses"),
        ] {
            let error = method("post", operation.clone()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{pointer}{place}: ")), "{operation}: {error}");
        }
    }
}
