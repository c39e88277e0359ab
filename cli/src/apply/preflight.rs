//! Checks before a run writes: the token has write access, and the page is the one that is meant.

use links_sdk::types::Me;

use links_pages::page_file::At;
use links_pages::profile_key;
use links_pages::suggest::nearest;

use crate::context::prelude::*;

/// Refuses a caller who may only read. Called before a question or an upload; elsewhere the first write fails with such a token.
pub(crate) fn check_write_access(me: Me) -> Result<Me> {
    if me.can_write {
        return Ok(me);
    }
    Err(CommandError::new(Exit::Forbidden, "the token is read-only; nothing was written")
        .with_hint("use a token with write access; `links auth status` shows the user and scopes of this one"))
}

/// Refuses a file for another page than those that the command line names.
pub(super) fn check_profile(keys: &[ProfileKey], page: &PageSnapshot) -> Result<()> {
    if keys.is_empty() || keys.iter().any(|key| profile_key::names(key, page.id, &page.login)) {
        return Ok(());
    }
    let named: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let (login, id, named) = (&page.login, page.id, named.join(", "));
    let page = if page.exists() { format!("{login} (ID {id})") } else { format!("{login} (new)") };
    let message = format!("the file is for the page {page}, not for {named}");
    Err(CommandError::refused(format!("{message}; nothing was written"))
        .with_hint("leave out --only, or pass the file for that page"))
}

/// Refuses a file with IDs of slots whose page does not exist: its `profile` is mistyped, or the file is of another account.
pub(super) fn check_exists(context: &Context, file: &PageFile, page: &PageSnapshot) -> Result<()> {
    let has_ids = file.page.content.slots.iter().any(|slot| slot.id.is_some());
    if page.exists() || !has_ids {
        return Ok(());
    }
    let login = &page.login;
    let help = match nearest(login, context.known_logins()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("to create the page {login}, remove the IDs of its slots"),
    };
    let message = format!("page {login} not found, but the file has IDs of its slots");
    refused(file, message, help)
}

fn refused(file: &PageFile, message: String, help: String) -> Result<()> {
    let problem = file.document.locate(&["profile"], At::Value, message).help(help);
    Err(file.document.bad(vec![problem]).into())
}

/// Refuses a file whose `profile` is a URL of another host than that of the page, which the service reports, or
/// of a page that does not exist.
pub(crate) fn check_host(file: &PageFile, page: &PageSnapshot) -> Result<()> {
    let Some(host) = &file.page.host else { return Ok(()) };
    let login = &page.login;
    let (message, help) = match page.url.as_deref().and_then(profile_key::host) {
        Some(own) if own.eq_ignore_ascii_case(host) => return Ok(()),
        Some(own) => (
            format!("the page {login} is on {own}, not on {host}"),
            format!("write `profile: {login}` if you mean this page"),
        ),
        None if page.exists() => return Ok(()),
        None => (
            format!("page {login} not found on {host}, and a URL cannot name a new page"),
            format!("to create the page, write `profile: {login}`"),
        ),
    };
    refused(file, message, help)
}
