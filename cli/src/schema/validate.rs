//! Validation of a slot's data against the JSON Schema of its type, before anything is sent.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::LocationSegment;
use jsonschema::{ValidationError, Validator};
use links_sdk::apply::is_bounded_schema;
use links_sdk::types::SlotType;
use serde_json::{Map, Value};

use crate::page_file::At;
use crate::schema::slot_types::SlotTypeCatalog;
use crate::suggest::suggest;

/// Violation of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Part of the data to validate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SchemaExtent<'a> {
    /// All data: that of a new slot.
    Whole,
    /// These keys only: the others are on the page already, and were not written by the user.
    Written(&'a Map<String, Value>),
}

/// Schemas of slot types, each compiled when a slot of its type is validated for the first time.
pub(crate) struct Schemas<'t> {
    described: &'t SlotTypeCatalog,
    compiled: RefCell<HashMap<&'t str, Option<Rc<Compiled>>>>,
}

struct Compiled {
    schema: Value,
    validator: Validator,
}

impl<'t> Schemas<'t> {
    pub(crate) fn new(described: &'t SlotTypeCatalog) -> Self {
        Self { described, compiled: RefCell::default() }
    }

    /// Returns the violations in the data of a slot. Empty if the type is not known or its schema cannot be used here: then only the
    /// service validates the data.
    pub(crate) fn check(
        &self,
        kind: &str,
        data: &Map<String, Value>,
        extent: SchemaExtent<'_>,
    ) -> Vec<SchemaViolation> {
        let Some(known) = self.described.get(kind) else { return Vec::new() };
        let written = match extent {
            SchemaExtent::Whole => data,
            SchemaExtent::Written(written) => written,
        };
        let (computed, mut faults) = computed(known, written);
        let Some(compiled) = self.compiled(known) else { return faults };
        let rest: Map<_, _> = data
            .iter()
            .filter(|(key, _)| !computed.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let rest = Value::Object(rest);
        let context = ViolationContext { kind, schema: &compiled.schema, data: &rest };
        for error in compiled.validator.iter_errors(&rest) {
            for fault in context.faults(&error) {
                let judged = match (extent, fault.path.first()) {
                    (SchemaExtent::Whole, _) => true,
                    (SchemaExtent::Written(written), Some(key)) => written.contains_key(key),
                    (SchemaExtent::Written(_), None) => false,
                };
                if judged && !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        faults
    }

    fn compiled(&self, known: &'t SlotType) -> Option<Rc<Compiled>> {
        let mut compiled = self.compiled.borrow_mut();
        compiled.entry(&known.type_).or_insert_with(|| compile(known).map(Rc::new)).clone()
    }
}

/// Returns the first of these types whose schema cannot be applied in bounded time.
pub(crate) fn unbounded<'k>(
    described: &SlotTypeCatalog,
    mut kinds: impl Iterator<Item = &'k str>,
) -> Option<&'k str> {
    kinds.find(|kind| {
        let schema = described.get(kind).map(|known| Value::Object(known.schema.0.clone()));
        schema.is_some_and(|schema| !is_bounded_schema(&schema))
    })
}

/// Returns the part to point at for a field that the service refused, and a hint at the name that may have been meant.
pub(crate) fn placed(known: &SlotType, path: &[String]) -> (At, Option<String>) {
    let Some((key, above)) = path.split_last() else { return (At::Value, None) };
    if above.is_empty() && known.computed.contains_key(key) {
        return (At::Key, Some("leave it out".to_owned()));
    }
    let schema = Value::Object(known.schema.0.clone());
    let legal = super::keys::at(&schema, above);
    if legal.is_empty() || legal.contains(key.as_str()) || key.parse::<usize>().is_ok() {
        return (At::Value, None);
    }
    (At::Key, suggest(key, legal.iter().copied()))
}

fn compile(known: &SlotType) -> Option<Compiled> {
    let schema = Value::Object(known.schema.0.clone());
    if !is_bounded_schema(&schema) {
        return None;
    }
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .with_format("uri", is_url)
        .with_format("url", is_url)
        .offline()
        .build(&schema)
        .ok()?;
    Some(Compiled { schema, validator })
}

/// Tells whether the text may be a URL. The service does not document how strict it is, so only texts that are surely no URL are refused.
fn is_url(text: &str) -> bool {
    let text = text.trim();
    text.split_once(':').is_some_and(|(scheme, rest)| {
        let scheme_like = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        scheme_like
            && !rest.is_empty()
            && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
    })
}

/// Returns the fields that the service computes, as its description names them, and their violations.
fn computed<'w>(
    known: &SlotType,
    written: &'w Map<String, Value>,
) -> (Vec<&'w str>, Vec<SchemaViolation>) {
    let keys: Vec<_> = written
        .keys()
        .map(String::as_str)
        .filter(|key| known.computed.contains_key(*key))
        .collect();
    let fault = |key: &&str| SchemaViolation {
        path: vec![(*key).to_owned()],
        at: At::Key,
        message: format!("`{key}` is set by the service and cannot be written"),
        help: Some("leave it out".to_owned()),
    };
    let faults = keys.iter().map(fault).collect();
    (keys, faults)
}

/// Context that the violations of one slot share.
struct ViolationContext<'a> {
    kind: &'a str,
    schema: &'a Value,
    data: &'a Value,
}

impl ViolationContext<'_> {
    fn faults(&self, error: &ValidationError<'_>) -> Vec<SchemaViolation> {
        let path: Vec<String> = error.instance_path().segments().map(|it| segment(&it)).collect();
        let unknown = |key: &String| self.unknown(error, &path, key);
        let whole = || self.data.as_object().into_iter().flat_map(Map::keys);
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                unexpected.iter().map(unknown).collect()
            }
            // If a schema allows no data at all, every key is a violation.
            ValidationErrorKind::FalseSchema
            | ValidationErrorKind::MaxProperties { limit: 0 }
            | ValidationErrorKind::MaxItems { limit: 0 }
                if path.is_empty() =>
            {
                whole().map(unknown).collect()
            }
            ValidationErrorKind::FalseSchema => {
                let message = format!("{} is not allowed here", super::wording::name(&path));
                vec![SchemaViolation { path, at: At::Key, message, help: None }]
            }
            ValidationErrorKind::PropertyNames { error: named } => {
                named.instance().as_str().map(str::to_owned).iter().map(unknown).collect()
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                // The branch whose violations are deepest is most likely the one that was meant.
                let depth = |branch: &[ValidationError<'_>]| {
                    let depths = branch.iter().map(|it| it.instance_path().segments().count());
                    depths.min().unwrap_or(0)
                };
                match context.iter().max_by_key(|branch| depth(branch)) {
                    Some(branch) if depth(branch) > path.len() => {
                        branch.iter().flat_map(|it| self.faults(it)).collect()
                    }
                    _ => vec![wrong(error, path)],
                }
            }
            _ => vec![wrong(error, path)],
        }
    }

    fn unknown(
        &self,
        error: &ValidationError<'_>,
        path: &[String],
        key: &String,
    ) -> SchemaViolation {
        let known = super::keys::beside(self.schema, error.schema_path().as_str());
        let message = if path.is_empty() {
            format!("a {} has no field `{key}`", self.kind)
        } else {
            format!("unknown field `{key}`")
        };
        let path = [path, std::slice::from_ref(key)].concat();
        SchemaViolation { path, at: At::Key, message, help: suggest(key, known) }
    }
}

fn wrong(error: &ValidationError<'_>, path: Vec<String>) -> SchemaViolation {
    let (message, help) = super::wording::of(error, &path);
    SchemaViolation { path, at: At::Value, message, help }
}

fn segment(segment: &LocationSegment<'_>) -> String {
    match segment {
        LocationSegment::Property(name) => name.clone().into_owned(),
        LocationSegment::Index(at) => at.to_string(),
    }
}

#[cfg(test)]
mod tests;
