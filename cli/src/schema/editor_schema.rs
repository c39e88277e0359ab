//! JSON Schemas of page files and form files for editors: from the service's description of its slot types, and from the same rules as the
//! validation.

use links_sdk::types::SlotType;
use serde_json::{Map, Value, json};

use links_pages::form_file::fields::{
    CHANNEL, CHANNELS, FORM_FIELDS, ID, INPUT_FIELDS, INPUT_REQUIRED, INPUT_TYPES, INPUTS,
    MAX_NAME, NAME,
};
use links_pages::page_file::field_rule::{FieldRule, FieldType, UPLOAD};
use links_pages::page_file::local_image::LOCAL_PATTERN;
use links_pages::page_file::profile_fields::PROFILE_FIELDS;
use links_pages::profile_key::LOGIN_LENGTH;

pub(super) const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the schema of a type's data.
pub(crate) fn slot(slot_type: &SlotType) -> Value {
    let mut schema = data(slot_type);
    let own = Map::from_iter([
        ("$schema".to_owned(), json!(DRAFT)),
        ("title".to_owned(), json!(slot_type.title)),
        ("description".to_owned(), json!(slot_type.description)),
    ]);
    for (name, value) in own {
        schema.entry(name).or_insert(value);
    }
    if !slot_type.example.is_empty() {
        schema.entry("examples").or_insert_with(|| json!([slot_type.example]));
    }
    Value::Object(schema)
}

/// Returns the schema of a page file. A slot with an `id`, which is on the page already, requires only the fields that change.
pub(crate) fn page(types: &[SlotType]) -> Value {
    let mut definitions = Map::new();
    let mut rules = Vec::new();
    for slot_type in types {
        let mut schema = data(slot_type);
        referable(&mut schema);
        let required = schema.remove("required");
        let is_it =
            json!({ "properties": { "type": { "const": slot_type.kind } }, "required": ["type"] });
        let reference = format!("#/$defs/{}", slot_type.kind);
        rules.push(
            json!({ "if": is_it, "then": { "properties": { "data": { "$ref": reference } } } }),
        );
        if let Some(required) = required.filter(|it| it.as_array().is_some_and(|it| !it.is_empty()))
        {
            let new = json!({ "allOf": [is_it, is_new()] });
            let then =
                json!({ "properties": { "data": { "required": required } }, "required": ["data"] });
            rules.push(json!({ "if": new, "then": then }));
        }
        definitions.insert(slot_type.kind.clone(), Value::Object(schema));
    }
    let (names, about) = described(types.iter());
    let (new_names, new_about) = described(types.iter().filter(|it| it.writable));
    rules.push(json!({
        "if": is_new(),
        "then": { "properties": { "type": { "enum": new_names, "markdownEnumDescriptions": new_about } } },
    }));
    definitions.insert(
        "slot".to_owned(),
        json!({
            "type": "object",
            "description": "A slot of the page",
            "properties": {
                "id": {
                    "description": "Id of the slot on the page; a new slot has none, or `new` where one that resembles it was made on the page",
                    "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "new" }],
                },
                "type": {
                    "description": "The type of the slot, which never changes",
                    "anyOf": [{ "enum": names, "markdownEnumDescriptions": about }, { "type": "string" }],
                },
                "data": { "type": ["object", "array", "null"], "description": "The content" },
            },
            "required": ["type"],
            "additionalProperties": false,
            "allOf": rules,
        }),
    );
    let mut fields = rule_properties(PROFILE_FIELDS);
    let profile = json!({
        "type": ["string", "integer"],
        "description": "Login, id or URL of the page",
    });
    fields.insert("profile".to_owned(), profile);
    let slots = json!({
        "type": "array",
        "maxItems": 500,
        "description": "The slots in page order",
        "items": { "$ref": "#/$defs/slot" },
    });
    fields.insert("slots".to_owned(), slots);
    json!({
        "$schema": DRAFT,
        "title": "Page",
        "description": "A link page; `links slots apply` takes its slots",
        "type": "object",
        "properties": fields,
        "required": ["profile"],
        // Slots, or at least one field of the page.
        "minProperties": 2,
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// Returns the schema of a slot that is not on the page.
fn is_new() -> Value {
    json!({ "not": { "properties": { "id": { "type": "integer" } }, "required": ["id"] } })
}

fn described<'t>(types: impl Iterator<Item = &'t SlotType>) -> (Vec<&'t str>, Vec<&'t str>) {
    types.map(|it| (it.kind.as_str(), it.description.as_str())).unzip()
}

/// Returns the schema of the service, with the labels of enum values where editors look for them.
fn data(slot_type: &SlotType) -> Map<String, Value> {
    let mut schema = slot_type.schema.0.clone();
    // With an `$id`, references of the schema to itself keep their meaning wherever it is embedded.
    if Value::Object(schema.clone()).to_string().contains("\"$ref\":\"#") {
        schema.entry("$id").or_insert_with(|| json!(format!("slot-type:{}", slot_type.kind)));
    }
    for (field, labels) in slot_type.enum_labels.iter() {
        let Some(place) = schema.get_mut("properties").and_then(|it| it.get_mut(field)) else {
            continue;
        };
        let Some(values) = place["enum"].as_array() else { continue };
        let label =
            |value: &Value| value.as_str().and_then(|it| labels[it].as_str()).unwrap_or_default();
        place["markdownEnumDescriptions"] = values.iter().map(label).collect();
    }
    schema
}

/// Allows a reference wherever the schema wants a string of any kind.
fn referable(schema: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(or_reference);
    }
    if let Some(items) = schema.get_mut("items") {
        or_reference(items);
    }
}

fn or_reference(place: &mut Value) {
    let Value::Object(schema) = place else { return };
    let is_text = schema.get("type").is_some_and(|kind| match kind {
        Value::Array(types) => types.contains(&json!("string")),
        one => one == "string",
    });
    if !is_text || schema.contains_key("enum") || schema.contains_key("const") {
        return referable(schema);
    }
    let about = schema.get("description").cloned();
    *place = json!({
        "if": { "type": "object" },
        "then": {
            "properties": {
                "$upload": { "type": "string", "description": "An image next to this file, uploaded by `apply`" },
                "$form": { "type": "string", "description": "The local name or the title of a lead form, replaced by its id" },
            },
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": false,
        },
        "else": schema,
    });
    if let Some(about) = about {
        place["description"] = about;
    }
}

/// Pattern of a string with more than white space.
const WORD: &str = r"\S";

/// Returns the `properties` for these rules.
pub(super) fn rule_properties(rules: &[FieldRule]) -> Map<String, Value> {
    let property = |rule: &FieldRule| {
        let mut schema = value(rule.value);
        schema["description"] = json!(rule.about);
        (rule.name.to_owned(), schema)
    };
    rules.iter().map(property).collect()
}

fn value(kind: FieldType) -> Value {
    match kind {
        FieldType::Login => json!({
            "type": "string",
            "minLength": LOGIN_LENGTH.start(),
            "maxLength": LOGIN_LENGTH.end(),
            "pattern": "^[a-zA-Z0-9._]*$",
        }),
        FieldType::Text => json!({ "type": "string" }),
        FieldType::TextOrNull => json!({ "type": ["string", "null"] }),
        FieldType::Word => json!({ "type": "string", "pattern": WORD }),
        FieldType::WordOrNull => json!({ "type": ["string", "null"], "pattern": WORD }),
        FieldType::Image => json!({
            "if": { "type": "object" },
            "then": reference(UPLOAD, &json!({
                "type": "string",
                "pattern": WORD,
                "description": "An image next to this file, which is uploaded",
            })),
            "else": {
                "type": ["string", "null"],
                "not": { "type": "string", "pattern": format!("{LOCAL_PATTERN}|://") },
            },
        }),
        FieldType::Urls => json!({
            "type": "array",
            "items": { "type": "string", "pattern": WORD },
            "examples": [["https://instagram.com/qara"]],
        }),
        FieldType::CountOrNull => json!({ "type": ["integer", "null"], "minimum": 0 }),
        FieldType::Flag => json!({ "type": "boolean" }),
        FieldType::Any => json!({}),
    }
}

/// Returns the schema of a mapping with one key, which refers to something else.
pub(super) fn reference(key: &str, value: &Value) -> Value {
    json!({
        "type": "object",
        "properties": { key: value },
        "required": [key],
        "additionalProperties": false,
    })
}

/// Returns the schema of a form file.
pub(crate) fn form() -> Value {
    let mut fields = rule_properties(FORM_FIELDS);
    let own = json!({
        NAME: {
            "type": "string",
            "maxLength": MAX_NAME,
            "pattern": r"^[\p{Alphabetic}\p{N}][\p{Alphabetic}\p{N}._-]*$",
            "description": "Name of the form in files: {$form: NAME} in a page file refers to it",
        },
        ID: {
            "type": "string",
            "pattern": r"\S",
            "description": "Id of the form on the service; without it the form is found by its title",
        },
        INPUTS: {
            "type": "array",
            "description": "The fields of the form, in order; the list is replaced as a whole",
            "items": input(),
        },
        CHANNELS: {
            "type": "array",
            "description": "The channels that receive each submission; a new form without it notifies every verified one",
            "items": {
                "if": { "type": "object" },
                "then": reference(CHANNEL, &json!({
                    "type": ["string", "integer"],
                    "minimum": 1,
                    "pattern": r"\S",
                    "description": "Label of the channel, otherwise its id",
                })),
                "else": { "type": "integer", "minimum": 1, "description": "Id of the channel" },
            },
        },
    });
    fields.extend(own.as_object().cloned().unwrap_or_default());
    json!({
        "$schema": DRAFT,
        "title": "Form",
        "description": "A lead form, as `links forms create` reads it",
        "type": "object",
        "properties": fields,
        "required": [NAME],
        "anyOf": [{ "required": ["title"] }, { "required": [ID] }],
        "additionalProperties": false,
    })
}

fn input() -> Value {
    let mut fields = rule_properties(INPUT_FIELDS);
    if let Some(kind) = fields.get_mut("type") {
        kind["examples"] = json!(INPUT_TYPES);
    }
    json!({
        "type": "object",
        "description": "A field of the form",
        "properties": fields,
        "required": INPUT_REQUIRED,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};
    use links_sdk::types::SlotType;
    use serde_json::{Value, json};

    fn button() -> SlotType {
        serde_json::from_value(json!({
            "type": "button", "title": "Button", "description": "A link.", "writable": true, "computed": [],
            "schema": {
                "type": "object", "required": ["title"], "additionalProperties": false,
                "properties": { "title": { "$ref": "#/$defs/text" }, "style": { "enum": ["a", "b"] } },
                "$defs": { "text": { "type": "string" } },
            },
            "enumLabels": { "style": { "a": "First" }, "other": { "x": "X" } },
            "example": { "title": "Menu" },
        }))
        .unwrap()
    }

    fn valid(page: &Value) -> bool {
        let schema = super::page(&[button()]);
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.add_resource("https://links.example/page", schema).unwrap();
        let root = compiler.compile("https://links.example/page", &mut schemas).unwrap();
        schemas.validate(page, root).is_ok()
    }

    #[test]
    fn the_editor_schema_accepts_the_pages_that_apply_accepts() {
        let block = |block: Value| json!({ "profile": "cafe", "slots": [block] });
        for good in [
            json!({ "type": "button", "data": { "title": "Menu", "style": "b" } }),
            json!({ "id": 7, "type": "button" }),
            json!({ "id": "new", "type": "button", "data": { "title": "Menu" } }),
            json!({ "id": 7, "type": "button", "data": { "style": "a" } }),
            json!({ "id": 7, "type": "messenger", "data": { "any": 1 } }),
        ] {
            assert!(valid(&block(good.clone())), "{good}");
        }
        for bad in [
            json!({ "type": "button" }),
            json!({ "type": "button", "data": { "style": "a" } }),
            json!({ "type": "button", "data": { "title": 7 } }),
            json!({ "id": 7, "type": "button", "data": { "colour": "red" } }),
            json!({ "type": "messenger" }),
            json!({ "id": "new", "type": "button" }),
            json!({ "id": "other", "type": "button", "data": { "title": "x" } }),
            json!({ "type": "button", "data": { "title": "x" }, "order": 1 }),
        ] {
            assert!(!valid(&block(bad.clone())), "{bad}");
        }
        assert!(
            !valid(&json!({ "profile": "cafe" })) && valid(&json!({ "profile": 7, "slots": [] }))
        );
        assert!(valid(&json!({ "profile": "cafe", "title": "Qara" })));
    }

    #[test]
    fn the_schema_of_a_slot_has_enum_labels_and_the_example() {
        let schema = super::slot(&button());
        assert_eq!(schema["properties"]["style"]["markdownEnumDescriptions"], json!(["First", ""]));
        assert_eq!(
            (&schema["title"], &schema["examples"][0]["title"]),
            (&json!("Button"), &json!("Menu"))
        );
        let draft: Value = schema["$schema"].clone();
        assert_eq!(draft, "https://json-schema.org/draft/2020-12/schema");
    }
}
