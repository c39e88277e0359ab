//! JSON Schemas of the fields of a record in a file, from the same rules as the validation.

use serde_json::{Map, Value, json};

use crate::page_file::field_rule::{FieldRule, FieldType, UPLOAD};
use crate::page_file::local_path::LOCAL_PATTERN;
use crate::profile_key::LOGIN_LENGTH;

/// Pattern of a string with more than white space.
const WORD: &str = r"\S";

/// Returns the `properties` for these rules.
pub(super) fn properties(rules: &[FieldRule]) -> Map<String, Value> {
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
