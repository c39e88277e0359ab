//! JSON Schemas: those of the service's slot types, and those for editors.

#[cfg(test)]
mod agreement;
mod compiled;
pub(crate) mod describe;
pub(crate) mod editor_schema;
mod field_schema;
pub(crate) mod form_schema;
pub(crate) mod keys;
pub(crate) mod slot_types;
pub(crate) mod validate;
pub(crate) mod wording;
