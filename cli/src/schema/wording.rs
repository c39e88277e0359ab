//! Messages for violations of a schema.

use boon::{ErrorKind, Type};
use serde_json::Value;

use crate::suggest::nearest;

/// Longest list of allowed values that a message spells out.
const MOST_NAMED: usize = 12;

/// Returns the message for a violation, and a hint. `rule` is the part of the schema that the value violates.
pub(super) fn of(
    kind: &ErrorKind<'_, '_>,
    value: Option<&Value>,
    rule: Option<&Value>,
    path: &[String],
) -> (String, Option<String>) {
    let name = name(path);
    let violation = |rule: String| (format!("{name} {rule}"), None);
    match kind {
        ErrorKind::Type { got, want } => {
            let mut names: Vec<_> = want.iter().map(type_name).collect();
            names.sort_by_key(|it| *it == "null");
            violation(format!("must be {}, not {}", names.join(" or "), type_name(*got)))
        }
        ErrorKind::Enum { want } => enumerated(&name, value, want),
        ErrorKind::Const { want } => violation(format!("must be {}", plain(want))),
        ErrorKind::Format { want: "uri" | "url", .. } => {
            (format!("{name} must be a URL"), Some("it must begin with https://".to_owned()))
        }
        ErrorKind::Format { want, .. } => violation(format!("must be a valid {want}")),
        ErrorKind::Pattern { want, .. } => {
            // The pattern of the violation is a translation.
            let pattern = rule.and_then(|rule| rule.get("pattern")?.as_str()).unwrap_or(want);
            violation(format!("must match {pattern}"))
        }
        ErrorKind::MinLength { want: 1, .. } => violation("must not be empty".to_owned()),
        ErrorKind::MinLength { got, want } => {
            violation(format!("must have at least {want} characters, it has {got}"))
        }
        ErrorKind::MaxLength { got, want } => {
            violation(format!("must have at most {want} characters, it has {got}"))
        }
        ErrorKind::MinItems { got, want } => {
            violation(format!("must have at least {want} entries, it has {got}"))
        }
        ErrorKind::MaxItems { got, want } => {
            violation(format!("must have at most {want} entries, it has {got}"))
        }
        ErrorKind::Minimum { want, .. } => violation(format!("must be at least {want}")),
        ErrorKind::Maximum { want, .. } => violation(format!("must be at most {want}")),
        ErrorKind::ExclusiveMinimum { want, .. } => violation(format!("must be over {want}")),
        ErrorKind::ExclusiveMaximum { want, .. } => violation(format!("must be under {want}")),
        ErrorKind::MultipleOf { want, .. } => violation(format!("must be a multiple of {want}")),
        ErrorKind::UniqueItems { .. } => {
            violation("must not contain the same entry twice".to_owned())
        }
        ErrorKind::AnyOf | ErrorKind::OneOf(_) => {
            violation("matches none of the allowed forms".to_owned())
        }
        other => violation(format!("violates the rule \"{}\" of its schema", keyword(other))),
    }
}

/// Returns the keyword of a rule without a message of its own.
fn keyword(kind: &ErrorKind<'_, '_>) -> &'static str {
    match kind {
        ErrorKind::MinProperties { .. } => "minProperties",
        ErrorKind::MaxProperties { .. } => "maxProperties",
        ErrorKind::AdditionalItems { .. } => "additionalItems",
        ErrorKind::Contains => "contains",
        ErrorKind::MinContains { .. } => "minContains",
        ErrorKind::MaxContains { .. } => "maxContains",
        ErrorKind::Not => "not",
        _ => "$ref",
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

fn enumerated(name: &str, value: Option<&Value>, options: &[Value]) -> (String, Option<String>) {
    let near = value
        .and_then(Value::as_str)
        .and_then(|value| nearest(value, options.iter().filter_map(Value::as_str)))
        .map(|it| format!("did you mean {it}?"));
    let more = if options.len() > MOST_NAMED { ", ..." } else { "" };
    let shown = options.iter().take(MOST_NAMED).map(plain).collect::<Vec<_>>().join(", ");
    (format!("{name} must be one of {shown}{more}"), near)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn type_name(json_type: Type) -> &'static str {
    match json_type {
        Type::String => "a string",
        Type::Integer => "a whole number",
        Type::Number => "a number",
        Type::Boolean => "true or false",
        Type::Array => "a list",
        Type::Object => "a mapping",
        Type::Null => "null",
    }
}
