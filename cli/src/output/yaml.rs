//! YAML, printed or written to a file to edit: lists indented under their key, long lines not wrapped.

use serde::Serialize;

use crate::error::CommandError;

/// Serializes a value as YAML.
///
/// # Errors
///
/// When YAML cannot represent the value; this never happens for values read from JSON.
pub(crate) fn write(value: &impl Serialize) -> Result<String, CommandError> {
    let options =
        serde_saphyr::ser_options! { compact_list_indent: false, folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(CommandError::internal)
}
