//! YAML, printed or written to a file to edit.

use serde::Serialize;

use crate::error::CommandError;
use links_pages::page_file::emit;

/// Serializes a value as YAML.
///
/// # Errors
///
/// When JSON cannot represent the value; this never happens for values read from JSON.
pub(crate) fn write(value: &impl Serialize) -> Result<String, CommandError> {
    emit::write(value).map_err(CommandError::internal)
}
