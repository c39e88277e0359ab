//! `links auth logout`

use clap::Args;
use serde_json::json;

use super::switch::no_such_account;
use crate::context::Context;
use crate::credentials::{AccountName, AccountsFile, Store};
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::outcome::{Line, Outcome, Tone, View};

/// Arguments of `links auth logout`.
#[derive(Args, Debug)]
pub(crate) struct AuthLogoutArgs {
    /// The account to forget; the current one if it is not given
    name: Option<AccountName>,
}

pub(crate) fn run(context: &Context, args: &AuthLogoutArgs) -> Result<Outcome, Failure> {
    let file = AccountsFile::new(context.config_folder()?);
    let accounts = file.load()?;
    let named = context.settings.account.as_ref().map(|it| &it.name);
    let name = args.name.as_ref().or(named).or(accounts.current.as_ref());
    let name = name.cloned().ok_or_else(|| {
        Failure::new(Exit::NotAuthenticated, "no account is the current one")
            .hint("`links auth list` shows the accounts: name one")
    })?;
    let account = accounts.known.get(&name).ok_or_else(|| no_such_account(&name))?;
    let origin = account.origin().unwrap_or_default();
    if let Some(store) = Store::of(file.folder(), &name, &account.kept, origin) {
        store.remove().map_err(|error| {
            Failure::new(
                Exit::Refused,
                format!("the secret of account `{name}` is still kept: {error}"),
            )
            .hint("nothing was forgotten; repeat it when the store can be used")
        })?;
    }
    file.change(|accounts| accounts.remove(&name))?;
    let said = vec![Line::new(Tone::Plain, format!("account {name} is forgotten"))];
    Ok(Outcome::own(json!({ "account": name }), View::Lines(said)))
}
