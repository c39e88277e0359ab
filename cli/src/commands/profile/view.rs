//! The record of a page as people see it, and the field that has a command of its own.

use crate::args::fields::FieldValues;
use crate::error::CommandError;
/// What people see first of a page.
pub(crate) const FIRST: &[&str] = &["id", "login", "title", "description", "computed.url"];

/// A login changes the public URL, which is never done on the side.
pub(crate) fn without_login(fields: FieldValues) -> Result<FieldValues, CommandError> {
    if fields.get("login").is_none() {
        return Ok(fields);
    }
    Err(CommandError::usage(
        "a new login breaks every link to the page, so it has a command of its own",
    )
    .hint("links profile rename KEY NEW"))
}
