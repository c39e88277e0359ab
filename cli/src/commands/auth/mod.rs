//! `links auth`: commands for accounts.

use crate::auth::{Account, AccountName, AccountsFile, Store, Value};
use crate::commands::prelude::*;
use crate::context::no_such_account;
use crate::env_vars::ACCOUNT;
use crate::settings::{OF_ACCOUNT, ServiceTarget, Settings, TokenOrigin};

mod callback_server;
mod login;
mod oauth;

/// Log in, switch accounts, log out
#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum AuthCommand {
    /// Log in with a browser, or with a token from the account's API settings
    Login(login::AuthLoginArgs),
    /// Show the account in use, where its token comes from, and how much of each limit is used
    #[command(examples = ["links auth status", "links auth status -o json"])]
    Status,
    /// List the accounts on this machine
    #[command(alias = "ls", examples = ["links auth list"])]
    List,
    /// Switch to another account
    #[command(examples = ["links auth switch work"])]
    Switch {
        /// Account to use by default
        name: AccountName,
    },
    /// Remove an account and its secret from this machine
    #[command(examples = ["links auth logout", "links auth logout work"])]
    Logout {
        /// Account to remove; by default, the account in use
        name: Option<AccountName>,
    },
}

impl AuthCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::Login(args) => login::run(context, args).await,
            Self::Status => status(context).await,
            Self::List => list(context),
            Self::Switch { name } => switch(context, &name),
            Self::Logout { name } => logout(context, name).await,
        }
    }
}

/// Shows the account of the token, its origin, and the use of each limit.
async fn status(context: &mut Context) -> CommandResult {
    let client = context.client().await?;
    let me = client.me().await?;
    let token = &context.settings.token;
    let account = match token {
        TokenOrigin::Account(name, account) => Some((name, &account.kept)),
        _ => None,
    };
    let is_sandbox = matches!(context.settings.target, ServiceTarget::Sandbox(_));
    let source = if is_sandbox { "sandbox" } else { token.source() };
    Ok(login::described(&client, &me, source, account).await)
}

const COLUMNS: &[Column] = &[
    Column::of("CURRENT", |it| if it["current"] == true { "*".to_owned() } else { String::new() }),
    Column::at("ACCOUNT", "account"),
    Column::at("USER", "user.name"),
    Column::at("SERVICE", "baseUrl"),
    Column::at("STORED IN", "store"),
];

/// Lists the accounts of this machine.
fn list(context: &Context) -> CommandResult {
    let accounts = AccountsFile::new(context.config_directory()?).load()?;
    let row = |(name, account): (&AccountName, &Account)| {
        json!({
            "account": name,
            "current": accounts.current.as_ref() == Some(name),
            "baseUrl": account.base_url,
            "user": { "id": account.user_id, "name": account.user },
            "store": account.kept.word(),
        })
    };
    let rows: Vec<_> = accounts.known.iter().map(row).collect();
    Ok(CommandOutput::own(rows, View::Table(COLUMNS)))
}

/// Makes another account the current one.
fn switch(context: &Context, name: &AccountName) -> CommandResult {
    let file = AccountsFile::new(context.config_directory()?);
    let switched = file.change(|accounts| {
        let account = accounts.known.get(name)?.clone();
        accounts.current = Some(name.clone());
        Some(account)
    })?;
    let account = switched.ok_or_else(|| no_such_account(Exit::NotFound, name))?;
    let text = format!("now using account {name}: {} at {}", account.user, account.base_url);
    let data = json!({ "account": name, "baseUrl": account.base_url });
    let mut lines = vec![StyledLine::plain(text)];
    if let ServiceTarget::Service(url) = &context.settings.target
        && url.from != OF_ACCOUNT
        && url.origin() != account.origin()
    {
        let text =
            format!("{} is set to another service, {}, and takes precedence", url.from, url.text);
        lines.push(StyledLine::changed(text));
    }
    let settings = &context.settings;
    let named = settings.account.as_ref().filter(|it| !settings.is_account_by_flag && *it != name);
    let text = match (&settings.token, named) {
        (TokenOrigin::Variable(_) | TokenOrigin::File(_), _) => {
            Some(format!("{} is set and takes precedence", settings.token.source()))
        }
        (_, Some(other)) => Some(format!("{ACCOUNT} is set to {other} and takes precedence")),
        _ => None,
    };
    lines.extend(text.map(StyledLine::changed));
    Ok(CommandOutput::own(data, View::Lines(lines)))
}

/// Returns the account in use.
fn in_use(context: &Context) -> Result<&AccountName> {
    let Settings { target, token, .. } = &context.settings;
    let why = match (target, token) {
        (ServiceTarget::Sandbox(_), _) => "the sandbox is in use, which has no accounts".to_owned(),
        (_, TokenOrigin::Account(name, _)) => return Ok(name),
        (_, TokenOrigin::Variable(_) | TokenOrigin::File(_)) => {
            format!("the token in use is that of {}", token.source())
        }
        (_, TokenOrigin::Nowhere(_)) => {
            let hint = "pass the name of an account; `links auth list` lists all accounts";
            let unusable = context.check_account();
            unusable.map_err(|it| it.about("nothing was removed").with_hint(hint))?;
            "not logged in".to_owned()
        }
    };
    let message = format!("{why}; nothing was removed");
    Err(CommandError::new(Exit::NotAuthenticated, message)
        .with_hint("pass the name of an account; `links auth list` lists all accounts"))
}

/// Removes an account and its secret from this machine.
async fn logout(context: &Context, name: Option<AccountName>) -> CommandResult {
    let file = AccountsFile::new(context.config_directory()?);
    let accounts = file.load()?;
    let settings = &context.settings;
    let named = settings.account.as_ref().filter(|_| settings.is_account_by_flag);
    let name = match name.as_ref().or(named) {
        Some(name) => name.clone(),
        None => in_use(context)?.clone(),
    };
    let account =
        accounts.known.get(&name).ok_or_else(|| no_such_account(Exit::NotFound, &name))?;
    let origin = account.origin().unwrap_or_default();
    let mut ended = false;
    let mut lines = vec![StyledLine::plain(format!("removed account {name}"))];
    let store = Store::of(&file.directory, &name, &account.kept, origin);
    // Held until the account is gone, too: while there is one, a process that still uses the login may save it.
    let lock = store.as_ref().map(Store::lock).transpose();
    let _lock = lock.map_err(|error| secret_not_removed(&name, &error))?;
    if let Some(store) = &store {
        match disconnect(context, store).await {
            Ok(is) => ended = is,
            Err(note) => lines.push(StyledLine::changed(note)),
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
        format!("cannot revoke access, because the secret cannot be read: {error}")
    })?;
    match secret {
        Some(Value::Connection(credentials)) => oauth::revoke(context, &credentials).await.map(|()| true),
        Some(Value::Token(_)) => Err(
            "the token still works; if you no longer need it, revoke it in your account's API settings"
                .to_owned(),
        ),
        None => Ok(false),
    }
}

fn secret_not_removed(name: &AccountName, error: &io::Error) -> CommandError {
    let message = format!("cannot delete the secret of account `{name}`: {error}");
    CommandError::refused(message).with_hint(
        "run the command again when you can access the secret; the account was not removed",
    )
}
