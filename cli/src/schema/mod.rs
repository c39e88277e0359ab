//! JSON Schemas: those of the service's slot types, and those for editors.

mod compiled;
pub(crate) mod describe;
pub(crate) mod editor_schema;
pub(crate) mod keys;
pub(crate) mod slot_types;
pub(crate) mod validate;
pub(crate) mod wording;
