//! Validation of a slot's data against the JSON Schema of its type, before anything is sent.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use boon::{ErrorKind, InstanceToken, Type, ValidationError};
use links_pages::apply::is_bounded_schema;
use links_sdk::types::SlotType;
use serde_json::{Map, Value};

use super::fields::plain;
use super::{CompiledSchema, SlotTypeCatalog, fields, schema_of};
use links_pages::page_file::At;
use links_pages::suggest::{nearest, suggest};

/// Violation of a schema.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SchemaViolation {
    /// Keys from the data down to the value; empty for the slot itself.
    pub(crate) path: Vec<String>,
    /// Part of the document that a diagnostic points at.
    pub(crate) at: At,
    /// Description of the violation, as a lowercase fragment.
    pub(crate) message: String,
    /// Hint at a correction.
    pub(crate) help: Option<String>,
}

impl SchemaViolation {
    /// Formats the violation with its place in the data and its hint.
    pub(crate) fn in_words(&self) -> String {
        let Self { path, message, help, .. } = self;
        let place = if path.is_empty() { String::new() } else { format!("{}: ", path.join(".")) };
        let help = help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{place}{message}{help}")
    }
}

/// Schemas of slot types, each compiled when a slot of its type is validated for the first time.
pub(crate) struct Schemas<'t> {
    described: &'t SlotTypeCatalog,
    compiled: RefCell<HashMap<&'t str, Option<Rc<CompiledSchema>>>>,
}

impl<'t> Schemas<'t> {
    pub(crate) fn new(described: &'t SlotTypeCatalog) -> Self {
        Self { described, compiled: RefCell::default() }
    }

    /// Returns the violations in the data of a slot. Empty if the type is not known or its schema cannot be used here: then only the
    /// service validates the data. With `written` only these keys are judged: the others are on the page already, and were not written by the
    /// user.
    pub(crate) fn check(
        &self,
        kind: &str,
        mut data: Map<String, Value>,
        written: Option<&Map<String, Value>>,
    ) -> Vec<SchemaViolation> {
        let Some(known) = self.described.get(kind) else { return Vec::new() };
        let mut faults = computed(known, written.unwrap_or(&data));
        let Some(compiled) = self.compiled(known) else { return faults };
        data.retain(|key, _| !known.computed.contains_key(key));
        let data = Value::Object(data);
        let Some(violation) = compiled.validate(&data) else { return faults };
        for fault in compiled.faults(&violation, &data) {
            let is_written = |written: &Map<String, Value>| {
                fault.path.first().is_some_and(|key| written.contains_key(key))
            };
            if written.is_none_or(is_written) && !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        faults
    }

    fn compiled(&self, known: &'t SlotType) -> Option<Rc<CompiledSchema>> {
        let mut compiled = self.compiled.borrow_mut();
        compiled
            .entry(&known.kind)
            .or_insert_with(|| CompiledSchema::of(&known.kind, schema_of(known)).map(Rc::new))
            .clone()
    }
}

/// Returns the first of these types whose schema cannot be applied in bounded time.
pub(crate) fn unbounded<'k>(
    described: &SlotTypeCatalog,
    mut kinds: impl Iterator<Item = &'k str>,
) -> Option<&'k str> {
    kinds.find(|kind| {
        let schema = described.get(kind).map(schema_of);
        schema.is_some_and(|schema| !is_bounded_schema(&schema))
    })
}

/// Returns the part to point at for a field that the service refused, and a hint at the name that may have been meant.
pub(crate) fn placed(known: &SlotType, path: &[String]) -> (At, Option<String>) {
    let Some((key, above)) = path.split_last() else { return (At::Value, None) };
    if above.is_empty() && known.computed.contains_key(key) {
        return (At::Key, Some("leave it out".to_owned()));
    }
    let schema = schema_of(known);
    let legal = fields::legal_keys_at(&schema, above);
    if legal.is_empty() || legal.contains(key.as_str()) || key.parse::<usize>().is_ok() {
        return (At::Value, None);
    }
    (At::Key, suggest(key, legal.iter().copied()))
}

/// Returns a violation for each field that the service computes, as its description names them.
fn computed(known: &SlotType, written: &Map<String, Value>) -> Vec<SchemaViolation> {
    let keys = written.keys().filter(|key| known.computed.contains_key(*key));
    keys.map(|key| SchemaViolation {
        path: vec![key.clone()],
        at: At::Key,
        message: format!("`{key}` is set by the service and cannot be written"),
        help: Some("leave it out".to_owned()),
    })
    .collect()
}

/// End of the URL of the schema that properties violate to which no other schema applies.
const UNEVALUATED: &str = "/unevaluatedProperties";

impl CompiledSchema {
    /// Returns the violations in the data of a slot.
    fn faults(&self, violation: &ValidationError<'_, '_>, data: &Value) -> Vec<SchemaViolation> {
        let path: Vec<String> = violation.instance_location.tokens.iter().map(key).collect();
        match &violation.kind {
            ErrorKind::Schema { .. }
            | ErrorKind::Group
            | ErrorKind::Reference { .. }
            | ErrorKind::AllOf => {
                violation.causes.iter().flat_map(|it| self.faults(it, data)).collect()
            }
            ErrorKind::AdditionalProperties { got } => {
                got.iter().map(|key| self.unknown(&path, key)).collect()
            }
            // If a schema allows no data at all, every key is a violation.
            ErrorKind::FalseSchema
            | ErrorKind::MaxProperties { want: 0, .. }
            | ErrorKind::MaxItems { want: 0, .. }
                if path.is_empty() =>
            {
                let keys = data.as_object().into_iter().flat_map(Map::keys);
                keys.map(|key| self.unknown(&path, key)).collect()
            }
            ErrorKind::FalseSchema => match path.split_last() {
                Some((key, above)) if violation.schema_url.ends_with(UNEVALUATED) => {
                    vec![self.unknown(above, key)]
                }
                _ => {
                    let message = format!("{} is not allowed here", display_name(&path));
                    vec![SchemaViolation { path, at: At::Key, message, help: None }]
                }
            },
            ErrorKind::PropertyName { prop } => vec![self.unknown(&path, prop)],
            ErrorKind::Required { want: missing }
            | ErrorKind::Dependency { missing, .. }
            | ErrorKind::DependentRequired { missing, .. } => {
                let missing = missing.iter().map(|name| SchemaViolation {
                    path: path.clone(),
                    at: At::Value,
                    message: format!("`{name}` is missing"),
                    help: None,
                });
                missing.collect()
            }
            // The division is one of floating-point numbers, so the service decides.
            ErrorKind::MultipleOf { .. } => Vec::new(),
            ErrorKind::AnyOf | ErrorKind::OneOf(None) => {
                // The branch whose violations are deepest is most likely the one that was meant.
                let deepest = violation.causes.iter().max_by_key(|branch| depth(branch));
                match deepest.filter(|branch| depth(branch) > path.len()) {
                    Some(branch) => self.faults(branch, data),
                    None => vec![wrong(violation, path, data)],
                }
            }
            _ => vec![wrong(violation, path, data)],
        }
    }

    /// Returns the violation of a key that the object at a path must not have.
    fn unknown(&self, path: &[String], key: &str) -> SchemaViolation {
        let message = if path.is_empty() {
            format!("a {} has no field `{key}`", self.kind)
        } else {
            format!("unknown field `{key}`")
        };
        let help = suggest(key, fields::legal_keys_at(&self.source, path));
        let path = [path, &[key.to_owned()]].concat();
        SchemaViolation { path, at: At::Key, message, help }
    }
}

fn wrong(violation: &ValidationError<'_, '_>, path: Vec<String>, data: &Value) -> SchemaViolation {
    let value = data.pointer(&violation.instance_location.to_string());
    let (message, help) = wording(&violation.kind, value, &display_name(&path));
    SchemaViolation { path, at: At::Value, message, help }
}

/// Returns the number of keys down to the violation that is nearest to the root.
fn depth(violation: &ValidationError<'_, '_>) -> usize {
    match violation.kind {
        ErrorKind::Group | ErrorKind::Reference { .. } | ErrorKind::AllOf => {
            violation.causes.iter().map(depth).min().unwrap_or(0)
        }
        _ => violation.instance_location.tokens.len(),
    }
}

fn key(token: &InstanceToken<'_>) -> String {
    match token {
        InstanceToken::Prop(name) => name.clone().into_owned(),
        InstanceToken::Item(at) => at.to_string(),
    }
}

fn size(bound: &str, want: usize, [one, many]: [&str; 2], got: usize) -> String {
    format!("must have {bound} {want} {}, not {got}", if want == 1 { one } else { many })
}

const CHARACTERS: [&str; 2] = ["character", "characters"];
const ENTRIES: [&str; 2] = ["entry", "entries"];

/// Longest list of allowed values that a message spells out.
const MOST_NAMED: usize = 12;

/// Returns the message for a violation in the value of this name, and a hint.
fn wording(
    kind: &ErrorKind<'_, '_>,
    value: Option<&Value>,
    name: &str,
) -> (String, Option<String>) {
    let rule = match kind {
        ErrorKind::Type { got, want } => {
            let mut names: Vec<_> = want.iter().map(type_name).collect();
            names.sort_by_key(|it| *it == "null");
            format!("must be {}, not {}", names.join(" or "), type_name(*got))
        }
        ErrorKind::Enum { want } => {
            let text = value.and_then(Value::as_str);
            let known = want.iter().filter_map(Value::as_str);
            let near = text.and_then(|text| nearest(text, known));
            let more = if want.len() > MOST_NAMED { ", ..." } else { "" };
            let shown: Vec<_> = want.iter().take(MOST_NAMED).map(plain).collect();
            return (
                format!("{name} must be one of {}{more}", shown.join(", ")),
                near.map(|it| format!("did you mean {it}?")),
            );
        }
        ErrorKind::Const { want } => format!("must be {}", plain(want)),
        ErrorKind::Format { want: "uri" | "url", .. } => {
            return (
                format!("{name} must be a URL"),
                Some("it must start with https://".to_owned()),
            );
        }
        ErrorKind::Format { want, .. } => format!("must be a valid {want}"),
        ErrorKind::Pattern { want, .. } => format!("must match {want}"),
        ErrorKind::MinLength { want: 1, .. } => "must not be empty".to_owned(),
        ErrorKind::MinLength { got, want } => size("at least", *want, CHARACTERS, *got),
        ErrorKind::MaxLength { got, want } => size("at most", *want, CHARACTERS, *got),
        ErrorKind::MinItems { got, want } => size("at least", *want, ENTRIES, *got),
        ErrorKind::MaxItems { got, want } => size("at most", *want, ENTRIES, *got),
        ErrorKind::Minimum { want, .. } => format!("must be at least {want}"),
        ErrorKind::Maximum { want, .. } => format!("must be at most {want}"),
        ErrorKind::ExclusiveMinimum { want, .. } => format!("must be greater than {want}"),
        ErrorKind::ExclusiveMaximum { want, .. } => format!("must be less than {want}"),
        ErrorKind::UniqueItems { .. } => "must not contain the same entry twice".to_owned(),
        ErrorKind::AnyOf | ErrorKind::OneOf(_) => {
            "does not match any of the allowed forms".to_owned()
        }
        other => format!("violates its schema: {other}"),
    };
    (format!("{name} {rule}"), None)
}

/// Returns the display name of a field: its key; for an entry of a list its number and the key of the list.
fn display_name(path: &[String]) -> String {
    let Some(last) = path.last() else { return "the data".to_owned() };
    match (last.parse::<usize>(), path.len().checked_sub(2).map(|at| &path[at])) {
        (Ok(at), Some(above)) => format!("entry {} of `{above}`", at + 1),
        (Ok(at), None) => format!("entry {}", at + 1),
        (Err(_), _) => format!("`{last}`"),
    }
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
