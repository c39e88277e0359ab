//! `links auth switch`

use clap::Args;
use links_sdk::BaseUrl;
use serde_json::json;

use crate::auth::{AccountName, AccountsFile};
use crate::context::Context;
use crate::error::Failure;
use crate::error::exit_code::Exit;
use crate::output::{Line, Outcome, Tone, View};
use crate::settings::{OF_ACCOUNT, Target};

/// Arguments of `links auth switch`.
#[derive(Args, Debug)]
pub(crate) struct AuthSwitchArgs {
    /// The account that is meant from now on where none is named
    name: AccountName,
}

pub(crate) fn run(context: &Context, args: &AuthSwitchArgs) -> Result<Outcome, Failure> {
    let file = AccountsFile::new(context.config_folder()?);
    let switched = file.change(|accounts| {
        let account = accounts.known.get(&args.name)?.clone();
        accounts.current = Some(args.name.clone());
        Some(account)
    })?;
    let account = switched.ok_or_else(|| no_such_account(&args.name))?;
    let said =
        format!("{} is the current account: {} at {}", args.name, account.user, account.base_url);
    let data = json!({ "account": args.name, "baseUrl": account.base_url });
    let mut said = vec![Line::new(Tone::Plain, said)];
    if let Target::Service { address, from } = &context.settings.target
        && *from != OF_ACCOUNT
        && BaseUrl::new(address).ok().map(|base| base.origin()) != account.origin()
    {
        let text = format!("{from} names another service, {address}, and goes before it");
        said.push(Line::new(Tone::Changed, text));
    }
    Ok(Outcome::own(data, View::Lines(said)))
}

/// There is no account of this name.
pub(super) fn no_such_account(name: &AccountName) -> Failure {
    Failure::new(Exit::NotFound, format!("there is no account `{name}`"))
        .hint("`links auth list` shows them, `links auth login` adds one")
}
