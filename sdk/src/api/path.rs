//! Check of values that become one segment of a path.

/// Checks that a value can stand as one segment of a path without meaning something else there.
pub(super) fn path_segment(what: &str, text: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.is_empty() || !text.chars().all(plain) {
        return Err(format!("{text:?} is not a {what}: only letters, digits, `-` and `_`"));
    }
    Ok(())
}
