//! Checks before a run writes: the token has write access, and the page is the one that the plan was made for.

use links_pages::apply::{PageSnapshot, same};
use links_sdk::types::Me;
use links_sdk::{Client, Object};
use serde_json::Value;

use super::planned::PlannedPage;
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Refuses a read-only token. Called before a question or an upload; elsewhere the first write fails with such a token.
pub(crate) async fn require_write_access(client: &Client) -> Result<Me, CommandError> {
    check_write_access(client.me().await?)
}

/// Refuses a caller who may only read.
pub(crate) fn check_write_access(me: Me) -> Result<Me, CommandError> {
    if me.can_write {
        return Ok(me);
    }
    Err(CommandError::new(Exit::Forbidden, "the token is read-only; nothing was written")
        .with_hint("`links auth status` shows its user and its abilities"))
}

/// Refuses a plan for a page with another fingerprint than this one.
pub(crate) fn check_fingerprint(
    seen: Option<&str>,
    planned: &PlannedPage,
) -> Result<(), CommandError> {
    if seen.is_none_or(|seen| seen == planned.plan.page) {
        return Ok(());
    }
    Err(changed_meanwhile())
}

/// Refuses a page whose profile fields are others than these.
pub(crate) fn check_fields(seen: &Object, page: &PageSnapshot) -> Result<(), CommandError> {
    let now = page.fields();
    let held = |name: &str| now.get(name).unwrap_or(&Value::Null);
    if seen.iter().all(|(name, value)| same(held(name), value)) {
        return Ok(());
    }
    Err(changed_meanwhile())
}

fn changed_meanwhile() -> CommandError {
    let message = "another client changed the page meanwhile; nothing was written";
    CommandError::new(Exit::Conflict, message)
        .with_hint("run the same command again for a new plan")
}
