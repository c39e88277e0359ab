//! Shapes of the records that the service answers with, by which the SDK checks an answer that its caller does not decode.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::{is_nullable, operations, types};

/// Returns a constant for each schema of an answer, and for those within it.
pub(crate) fn shapes(document: &Value) -> String {
    let mut shapes = Shapes { schemas: &document["components"]["schemas"], found: BTreeMap::new() };
    for place in operations(document) {
        for status in ["200", "201"] {
            let responses = document.pointer(&place.pointer).map(|it| &it["responses"][status]);
            let schema = responses.map(|it| &it["content"]["application/json"]["schema"]);
            if let Some(schema) = schema.filter(|schema| schema["$ref"].is_string()) {
                shapes.of(schema);
            }
        }
    }
    let constants = shapes
        .found
        .iter()
        .map(|(name, shape)| format!("pub(crate) const {}: Shape = {shape};\n", constant(name)));
    constants.collect()
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
            let needs = match (is_nullable(value), required.iter().any(|it| *it == name)) {
                (false, true) => "of",
                (false, false) if types(value) == ["array"] => "optional",
                _ => "nullable",
            };
            fields.push(format!("Field::{needs}({name:?}, {})", self.of(value)));
        }
        format!("Record(&[{}])", fields.join(", "))
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
