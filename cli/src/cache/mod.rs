//! Facts about the service that are cached between commands and can be fetched again.

pub(crate) mod json_file;
pub(crate) mod link_visits;
pub(crate) mod resource_names;
mod seen_records;
pub(crate) mod slot_types;
pub(crate) mod token_users;
pub(crate) mod uploads;
