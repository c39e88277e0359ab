//! Facts about the service that are cached between commands and can be fetched again.

pub(crate) mod json_file;
pub(crate) mod resource_names;
pub(crate) mod slot_types;
pub(crate) mod uploads;
