//! Shapes of the records that the service answers with, by which the SDK checks an answer that its caller does not decode.

use std::collections::BTreeMap;

use serde_json::Value;
use syn::ItemMod;

use crate::Error;

/// Returns the module with a constant for each schema of an answer, and for those within it.
pub(crate) fn shapes(document: &Value) -> Result<ItemMod, Error> {
    let mut shapes = Shapes { schemas: &document["components"]["schemas"], found: BTreeMap::new() };
    let operations = document["paths"].as_object().into_iter().flatten();
    for (_, operation) in operations.flat_map(|(_, path)| path.as_object().into_iter().flatten()) {
        for status in ["200", "201"] {
            let schema = &operation["responses"][status]["content"]["application/json"]["schema"];
            if schema["$ref"].is_string() {
                shapes.of(schema);
            }
        }
    }
    let constants = shapes
        .found
        .iter()
        .map(|(name, shape)| format!("pub(crate) const {}: Shape = {shape};", constant(name)));
    let constants = constants.collect::<Vec<_>>().join("\n");
    let text = format!(
        "/// Shapes of the records that the service answers with.
        pub(crate) mod shapes {{
            use crate::shape::Shape::{{self, Flag, Integer, List, Map, Numbers, Open, Record, Text}};
            use crate::shape::Field;
            {constants}
        }}"
    );
    Ok(syn::parse_str(&text)?)
}

struct Shapes<'d> {
    schemas: &'d Value,
    /// The record of each schema, as an expression.
    found: BTreeMap<String, String>,
}

impl Shapes<'_> {
    /// Returns the shape of a schema, as an expression.
    fn of(&mut self, schema: &Value) -> String {
        if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
            return self.named(name);
        }
        // A schema and `null`.
        if let Some(first) = schema["anyOf"].get(0) {
            return self.of(first);
        }
        match types(schema).as_slice() {
            ["boolean", ..] => "Flag".to_owned(),
            ["integer", ..] => "Integer".to_owned(),
            ["string", ..] => "Text".to_owned(),
            ["array", ..] => format!("List(&{})", self.of(&schema["items"])),
            _ if schema["additionalProperties"].is_object() => {
                format!("Map(&{})", self.of(&schema["additionalProperties"]))
            }
            _ => self.record(schema),
        }
    }

    fn named(&mut self, name: &str) -> String {
        match name {
            // Read by hand, more tolerantly than the document says.
            "ChannelIds" => "Numbers".to_owned(),
            "OpenObject" | "SlotData" => "Open".to_owned(),
            "Slot" => "crate::slot::SHAPE".to_owned(),
            _ if self.schemas[name]["properties"].is_object() => {
                let record = self.record(&self.schemas[name]);
                self.found.insert(name.to_owned(), record);
                constant(name)
            }
            _ => self.of(&self.schemas[name]),
        }
    }

    fn record(&mut self, schema: &Value) -> String {
        let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
        let mut fields = Vec::new();
        for (name, value) in schema["properties"].as_object().into_iter().flatten() {
            // Anything is allowed there.
            if value.as_object().is_some_and(|value| {
                ["type", "$ref", "anyOf"].iter().all(|key| !value.contains_key(*key))
            }) {
                continue;
            }
            let is_null = |it: &Value| it["type"] == "null";
            let is_nullable = types(value).contains(&"null")
                || value["anyOf"].as_array().is_some_and(|all| all.iter().any(is_null));
            let needs = match (is_nullable, required.iter().any(|it| *it == name)) {
                (false, true) => "of",
                (false, false) if types(value) == ["array"] => "optional",
                _ => "nullable",
            };
            fields.push(format!("Field::{needs}({name:?}, {})", self.of(value)));
        }
        format!("Record(&[{}])", fields.join(", "))
    }
}

/// Returns the types of a schema: one, or one and `null`.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// Returns the name of a constant for a schema: `SLOT_LIST` for `SlotList`.
fn constant(schema: &str) -> String {
    let mut name = String::new();
    for letter in schema.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}
