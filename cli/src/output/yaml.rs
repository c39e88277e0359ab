//! YAML, printed or written to a file to edit.

use serde::Serialize;

use crate::error::CommandError;
use crate::page_file::emit::TextStyle;

/// Serializes a value as YAML.
///
/// # Errors
///
/// When JSON cannot represent the value; this never happens for values read from JSON.
pub(crate) fn write(value: &impl Serialize) -> Result<String, CommandError> {
    let value = serde_json::to_value(value).map_err(CommandError::internal)?;
    Ok(TextStyle::yaml().document(&value))
}
