//! JSON Schemas: those of the service's slot types, and those for editors.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::error::Error;

use boon::{Compiler, Draft, Format, SchemaIndex, Schemas, SchemeUrlLoader, ValidationError};
use links_pages::apply::{SlotTypes, is_bounded_schema};
use links_sdk::types::SlotType;
use serde_json::Value;

pub(crate) mod editor_schema;
pub(crate) mod fields;
#[cfg(test)]
mod tests;
pub(crate) mod validate;

/// Slot types by name.
#[derive(Clone, Debug)]
pub(crate) struct SlotTypeCatalog {
    types: BTreeMap<String, SlotType>,
    /// True if the types were just read from the service.
    pub(crate) fresh: bool,
}

impl SlotTypeCatalog {
    pub(crate) fn of(types: Vec<SlotType>, fresh: bool) -> Self {
        Self { types: types.into_iter().map(|it| (it.kind.clone(), it)).collect(), fresh }
    }

    /// Returns the type with this name.
    pub(crate) fn get(&self, kind: &str) -> Option<&SlotType> {
        self.types.get(kind)
    }

    /// Returns the names of all types.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// Returns the names of the types that can be created.
    pub(crate) fn creatable(&self) -> impl Iterator<Item = &str> + Clone {
        self.types.values().filter(|it| it.writable).map(|it| it.kind.as_str())
    }

    /// Returns the rules of the types that planning needs.
    pub(crate) fn rules(&self) -> SlotTypes {
        self.types.values().collect()
    }
}

/// Returns the schema of the data of a slot type.
pub(crate) fn schema_of(slot_type: &SlotType) -> Value {
    Value::Object(slot_type.schema.0.clone())
}

/// URL of a schema whose host makes boon take it for one of the standard's own. Those are not validated against the meta-schema, which
/// would take 16 million instructions, more than the rest of `links slots plan`.
const TRUSTED: &str = "https://json-schema.org/slot-type";

/// URL of a schema that is validated against the meta-schema.
const UNTRUSTED: &str = "https://service.invalid/slot-type";

/// Maximum number of values in a schema: the time to compile it grows with the square.
const MAX_VALUES: usize = 10_000;

/// Compiled schema.
struct CompiledSchema {
    /// Name of the slot type.
    kind: String,
    /// Schema as the service wrote it.
    source: Value,
    schemas: Schemas,
    root: SchemaIndex,
    /// Set once something is to be refused.
    is_valid: OnceCell<bool>,
}

impl CompiledSchema {
    /// Compiles a schema. `None` if it has references other than plain pointers into itself or a pattern that Rust's regular expressions do
    /// not support, or is too large or too costly to apply.
    fn of(kind: &str, source: Value) -> Option<Self> {
        // An `$id` of the root moves no reference.
        let mut fields = source.as_object().into_iter().flatten();
        let is_plain = fields.all(|(key, value)| key == "$id" || is_plain(key, value));
        if values(&source) > MAX_VALUES || !is_plain || !is_bounded_schema(&source) {
            return None;
        }
        let (schemas, root) = compile(TRUSTED, &source)?;
        Some(Self { kind: kind.to_owned(), source, schemas, root, is_valid: OnceCell::new() })
    }

    /// Returns the violations in a value. An invalid schema refuses nothing.
    fn validate<'a>(&'a self, value: &'a Value) -> Option<ValidationError<'a, 'a>> {
        let violation = self.schemas.validate(value, self.root).err()?;
        let is_valid = self.is_valid.get_or_init(|| compile(UNTRUSTED, &self.source).is_some());
        is_valid.then_some(violation)
    }
}

fn compile(url: &str, source: &Value) -> Option<(Schemas, SchemaIndex)> {
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.enable_format_assertions();
    // No other document is fetched.
    compiler.use_loader(Box::new(SchemeUrlLoader::new()));
    for name in ["uri", "url"] {
        compiler.register_format(Format { name, func: url_format });
    }
    compiler.add_resource(url, source.clone()).ok()?;
    let mut schemas = Schemas::new();
    let root = compiler.compile(url, &mut schemas).ok()?;
    Some((schemas, root))
}

fn url_format(value: &Value) -> Result<(), Box<dyn Error>> {
    match value.as_str() {
        Some(text) if !is_url(text) => Err("not a URL".into()),
        _ => Ok(()),
    }
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

/// Tells whether a value of a schema has only references that [`is_bounded_schema`] follows: from the root of the schema, which a nested `$id`
/// would move (`id` in draft 4).
fn is_plain(key: &str, value: &Value) -> bool {
    match (key, value) {
        ("$ref", Value::String(target)) => {
            (target == "#" || target.starts_with("#/")) && !target.contains('%')
        }
        ("$schema", Value::String(draft)) => !draft.contains("draft-04"),
        ("$dynamicRef" | "$recursiveRef" | "$id", Value::String(_)) => false,
        (_, Value::Array(items)) => items.iter().all(|item| is_plain("", item)),
        (_, Value::Object(fields)) => fields.iter().all(|(key, value)| is_plain(key, value)),
        _ => true,
    }
}

fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(fields) => fields.values().map(values).sum(),
        _ => 0,
    }
}
