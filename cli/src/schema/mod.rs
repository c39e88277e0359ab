//! JSON Schemas: those of the service's slot types, and those for editors.

mod compiled;
pub(crate) mod editor_schema;
pub(crate) mod fields;
pub(crate) mod slot_types;
#[cfg(test)]
mod tests;
pub(crate) mod validate;
