//! The account that a `links.lock` belongs to, where the token is that of another one.

use links_sdk::BaseUrl;

use crate::apply::runs;
use crate::context::prelude::*;
use crate::settings::TokenOrigin;

/// Returns the error for a lock of one user and a token of another.
pub(super) fn refusal(context: &Context, lock: &Path, owner: i64, user: i64) -> CommandError {
    let service = runs::service(context).and_then(|service| BaseUrl::new(&service).ok());
    let origin = service.map(|base| base.origin());
    let accounts = context.settings.accounts();
    let account = |id: i64| accounts.of_user(origin.as_deref()?, id);
    let words = |id: i64| match (account(id), context.known_name(id)) {
        (Some(name), _) => format!("user {id} (account `{name}`)"),
        (None, Some(name)) => format!("user {id} ({name})"),
        (None, None) => format!("user {id}"),
    };
    let message = format!(
        "{} is for {}, but the token is for {}; nothing was written",
        lock.display(),
        words(owner),
        words(user)
    );
    let hint = match (account(owner), &context.settings.token) {
        (Some(name), TokenOrigin::Account(used, _)) if name == used => {
            format!(
                "the token of account `{name}` is now that of another user; check its token command, or log in again as user {owner} with `links auth login --account {name}`"
            )
        }
        (Some(name), _) => format!("use --account {name}, the account that links.lock is for"),
        (None, TokenOrigin::Variable(_) | TokenOrigin::File(_)) => {
            format!(
                "use a token of user {owner}, or log in as that user with `links auth login` and pass --account"
            )
        }
        (None, _) => {
            format!("log in as user {owner} with `links auth login`, or use another directory")
        }
    };
    CommandError::refused(message).with_hint(hint)
}

/// Returns the error for a page or form that was not found because a lock of the command belongs to another account. Asks the service whose the
/// token is, unless that is known.
pub(crate) async fn of_missing(context: &mut Context) -> Option<CommandError> {
    let locks = context.read_locks();
    if locks.is_empty() {
        return None;
    }
    let client = context.client().await.ok()?;
    let user = context.me(&client).await.ok()?.user_id;
    let (lock, owner) = locks.into_iter().find(|(_, owner)| *owner != user)?;
    Some(refusal(context, &lock, owner, user))
}
