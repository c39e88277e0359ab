//! The record of a page as people see it, and the field that has a command of its own.

use crate::args::fields::Fields;
use crate::error::Failure;
/// What people see first of a page.
pub(crate) const FIRST: &[&str] = &["id", "login", "title", "description", "computed.url"];

/// A login changes the public address, which is never done on the side.
pub(crate) fn without_login(fields: Fields) -> Result<Fields, Failure> {
    if fields.get("login").is_none() {
        return Ok(fields);
    }
    Err(Failure::usage("a new login breaks every link to the page, so it has a command of its own")
        .hint("links profile rename KEY NEW"))
}
