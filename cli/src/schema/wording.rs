//! Messages for violations of a schema.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::suggest::nearest;

/// Longest list of allowed values that a message spells out.
const MOST_NAMED: usize = 12;

/// Returns the message for a violation, and a hint.
pub(super) fn of(error: &ValidationError<'_>, path: &[String]) -> (String, Option<String>) {
    let name = name(path);
    let value = error.instance();
    let violation = |rule: String| (format!("{name} {rule}"), None);
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let missing = property.as_str().unwrap_or_default();
            (format!("`{missing}` is missing"), None)
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => type_name(*one).to_owned(),
                TypeKind::Multiple(several) => {
                    let mut names: Vec<_> = several.iter().map(type_name).collect();
                    names.sort_by_key(|it| *it == "null");
                    names.join(" or ")
                }
            };
            violation(format!("must be {wanted}, not {}", kind_of(value)))
        }
        ValidationErrorKind::Enum { options } => enumerated(&name, value, options),
        ValidationErrorKind::Constant { expected_value } => {
            violation(format!("must be {}", plain(expected_value)))
        }
        ValidationErrorKind::Format { format } if matches!(format.as_str(), "uri" | "url") => {
            (format!("{name} must be a URL"), Some("it must begin with https://".to_owned()))
        }
        ValidationErrorKind::Format { format } => violation(format!("must be a valid {format}")),
        ValidationErrorKind::Pattern { pattern } => violation(format!("must match {pattern}")),
        ValidationErrorKind::MinLength { limit: 1 } => violation("must not be empty".to_owned()),
        ValidationErrorKind::MinLength { limit } => {
            violation(format!("must have at least {limit} characters, it has {}", letters(value)))
        }
        ValidationErrorKind::MaxLength { limit } => {
            violation(format!("must have at most {limit} characters, it has {}", letters(value)))
        }
        ValidationErrorKind::MinItems { limit } => {
            violation(format!("must have at least {limit} entries, it has {}", entries(value)))
        }
        ValidationErrorKind::MaxItems { limit } => {
            violation(format!("must have at most {limit} entries, it has {}", entries(value)))
        }
        ValidationErrorKind::Minimum { limit } => violation(format!("must be at least {limit}")),
        ValidationErrorKind::Maximum { limit } => violation(format!("must be at most {limit}")),
        ValidationErrorKind::ExclusiveMinimum { limit } => {
            violation(format!("must be over {limit}"))
        }
        ValidationErrorKind::ExclusiveMaximum { limit } => {
            violation(format!("must be under {limit}"))
        }
        ValidationErrorKind::MultipleOf { multiple_of } => {
            violation(format!("must be a multiple of {multiple_of}"))
        }
        ValidationErrorKind::UniqueItems => {
            violation("must not contain the same entry twice".to_owned())
        }
        ValidationErrorKind::AnyOf { .. }
        | ValidationErrorKind::OneOfNotValid { .. }
        | ValidationErrorKind::OneOfMultipleValid { .. } => {
            violation("matches none of the allowed forms".to_owned())
        }
        other => violation(format!("violates the rule \"{}\" of its schema", other.keyword())),
    }
}

/// Returns the display name of a field: its key; for an entry of a list its number and the key of the list.
pub(super) fn name(path: &[String]) -> String {
    let Some(last) = path.last() else { return "the data".to_owned() };
    match (last.parse::<usize>(), path.len().checked_sub(2).map(|at| &path[at])) {
        (Ok(at), Some(above)) => format!("entry {} of `{above}`", at + 1),
        (Ok(at), None) => format!("entry {}", at + 1),
        (Err(_), _) => format!("`{last}`"),
    }
}

fn enumerated(name: &str, value: &Value, options: &Value) -> (String, Option<String>) {
    let all: Vec<_> = options.as_array().into_iter().flatten().map(plain).collect();
    let near = value
        .as_str()
        .and_then(|value| nearest(value, options.as_array()?.iter().filter_map(Value::as_str)))
        .map(|it| format!("did you mean {it}?"));
    let more = if all.len() > MOST_NAMED { ", ..." } else { "" };
    let shown = all.into_iter().take(MOST_NAMED).collect::<Vec<_>>().join(", ");
    (format!("{name} must be one of {shown}{more}"), near)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn letters(value: &Value) -> usize {
    value.as_str().map_or(0, |it| it.chars().count())
}

fn entries(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

fn type_name(json_type: JsonType) -> &'static str {
    match json_type {
        JsonType::String => "a string",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::Boolean => "true or false",
        JsonType::Array => "a list",
        JsonType::Object => "a mapping",
        JsonType::Null => "null",
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
        Value::Null => "null",
    }
}
