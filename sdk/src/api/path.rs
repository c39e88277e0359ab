//! Check of values that become one segment of a path.

/// Checks that a value can be one segment of a path: only characters that have no special meaning in a path.
pub(super) fn path_segment(what: &str, text: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.is_empty() || !text.chars().all(plain) {
        return Err(format!("{text:?} is not a {what}: only letters, digits, `-` and `_`"));
    }
    Ok(())
}
