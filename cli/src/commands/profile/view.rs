//! Human-readable view of a page's record, and the check for the login, which has a command of its own.

use crate::args::fields::FieldValues;
use crate::error::CommandError;

/// Fields of a page that are shown first.
pub(crate) const FIRST: &[&str] = &["id", "login", "title", "description", "computed.url"];

/// Refuses a `login` among the fields: a login changes the public URL, so it has a command of its own.
pub(crate) fn without_login(fields: FieldValues) -> Result<FieldValues, CommandError> {
    if fields.get("login").is_none() {
        return Ok(fields);
    }
    Err(CommandError::usage(
        "a new login breaks every link to the page, so it has a command of its own",
    )
    .with_hint("links profile rename KEY NEW"))
}
