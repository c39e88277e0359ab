//! YAML as people like to edit it: lists set in under their key, long lines left whole.

use serde::Serialize;

use crate::error::CommandError;

/// A value as YAML.
///
/// # Errors
///
/// When YAML cannot carry it; no value that was read from JSON is of that kind.
pub(crate) fn write(value: &impl Serialize) -> Result<String, CommandError> {
    let options =
        serde_saphyr::ser_options! { compact_list_indent: false, folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(CommandError::internal)
}
