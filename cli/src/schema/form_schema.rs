//! JSON Schema of form files for editors.

use serde_json::{Value, json};

use super::editor_schema::DRAFT;
use super::field_schema::{properties, reference};
use crate::form_file::fields::{
    CHANNEL, CHANNELS, FORM_FIELDS, ID, INPUT_FIELDS, INPUT_REQUIRED, INPUT_TYPES, INPUTS,
    MAX_NAME, NAME,
};

/// Returns the schema of a form file.
pub(crate) fn form() -> Value {
    let mut fields = properties(FORM_FIELDS);
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
    let mut fields = properties(INPUT_FIELDS);
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
