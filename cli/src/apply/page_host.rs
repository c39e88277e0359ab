//! Host of the URL that a page file has instead of a login.

use links_pages::apply::PageSnapshot;

use crate::error::CommandError;
use links_pages::page_file::{At, PageFile};
use links_pages::profile_key;

/// Refuses a file whose `profile` is a URL of another host than that of the page, which the service reports (the interface, section 2.1), or
/// of a page that does not exist.
pub(crate) fn check(file: &PageFile, page: &PageSnapshot) -> Result<(), CommandError> {
    let Some(host) = &file.page.host else { return Ok(()) };
    let login = &page.login;
    let (message, help) = match page.url.as_deref().and_then(profile_key::host) {
        Some(own) if own.eq_ignore_ascii_case(host) => return Ok(()),
        Some(own) => (
            format!("the page {login} is at {own}, not at {host}"),
            format!("write `profile: {login}` if this page is meant"),
        ),
        None if page.exists() => return Ok(()),
        None => (
            format!("there is no page {login}, and a URL on {host} cannot name a new one"),
            "write the login of the new page".to_owned(),
        ),
    };
    let problem = file.document.locate(&["profile"], At::Value, message).help(help);
    Err(file.document.bad(vec![problem]).into())
}
