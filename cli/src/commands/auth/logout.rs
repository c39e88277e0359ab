//! `links auth logout`: removes an account and its secret from this machine.

use std::fmt::Display;

use clap::Args;
use serde_json::json;

use super::switch::no_such_account;
use crate::auth::{AccountName, AccountsFile, Store, StoreError, Value};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};

#[derive(Args, Debug)]
#[command(examples = ["links auth logout", "links auth logout work"])]
pub(crate) struct AuthLogoutArgs {
    /// Account to remove; the current one by default
    name: Option<AccountName>,
}

pub(crate) async fn run(
    context: &Context,
    args: &AuthLogoutArgs,
) -> Result<CommandOutput, CommandError> {
    let file = AccountsFile::new(context.config_directory()?);
    let accounts = file.load()?;
    let named = context.settings.account.as_ref().map(|it| &it.name);
    let name = args.name.as_ref().or(named).or(accounts.current.as_ref());
    let name = name.cloned().ok_or_else(|| {
        CommandError::new(Exit::NotAuthenticated, "there is no current account")
            .with_hint("name an account; `links auth list` shows them")
    })?;
    let account = accounts.known.get(&name).ok_or_else(|| no_such_account(&name))?;
    let origin = account.origin().unwrap_or_default();
    let mut ended = false;
    let mut lines = vec![StyledLine::new(Style::Plain, format!("account {name} removed"))];
    if let Some(store) = Store::of(file.directory(), &name, &account.kept, origin) {
        let _lock = store.lock().map_err(|error| secret_not_removed(&name, &error))?;
        match disconnect(context, &store).await {
            Ok(is) => ended = is,
            Err(note) => lines.push(StyledLine::new(Style::Changed, note)),
        }
        store.remove().map_err(|error| secret_not_removed(&name, &error))?;
    }
    file.change(|accounts| accounts.remove(&name))?;
    Ok(CommandOutput::own(json!({ "account": name, "tokenEnded": ended }), View::Lines(lines)))
}

/// Revokes the account's connection at the service too. Returns `false` if there was nothing to revoke.
///
/// # Errors
///
/// When the credentials keep working, with a note for the user.
async fn disconnect(context: &Context, store: &Store) -> Result<bool, String> {
    let secret = store.load().map_err(|error| {
        format!("access was not revoked at the service, because the secret cannot be read: {error}")
    })?;
    match secret.map(|secret| secret.value) {
        Some(Value::Connection(credentials)) => {
            let failed = |error: &dyn Display| {
                format!(
                    "this program still has access, because revoking it failed ({error}): disconnect it in the account's settings"
                )
            };
            let connection = context.settings.connection.read().map_err(|error| failed(&error))?;
            match credentials.revoke_with(&connection).await {
                Ok(true) => Ok(true),
                Ok(false) => Err("this program still has access, because the service offers no way to revoke it: disconnect it in the account's settings".to_owned()),
                Err(error) => Err(failed(&error)),
            }
        }
        Some(Value::Token(_)) => Err(
            "its token still works: revoke it in the account's API settings if it is not needed"
                .to_owned(),
        ),
        None => Ok(false),
    }
}

fn secret_not_removed(name: &AccountName, error: &StoreError) -> CommandError {
    let message = format!("the secret of account `{name}` is still stored: {error}");
    CommandError::new(Exit::Refused, message)
        .with_hint("the account was not removed; retry when the store is available")
}
