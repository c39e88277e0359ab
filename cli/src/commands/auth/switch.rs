//! `links auth switch`: makes another account the current one.

use clap::Args;
use serde_json::json;

use crate::auth::{AccountName, AccountsFile};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::settings::{OF_ACCOUNT, ServiceTarget};

#[derive(Args, Debug)]
#[command(examples = ["links auth switch work"])]
pub(crate) struct AuthSwitchArgs {
    /// Account to use by default
    name: AccountName,
}

pub(crate) fn run(context: &Context, args: &AuthSwitchArgs) -> Result<CommandOutput, CommandError> {
    let file = AccountsFile::new(context.config_directory()?);
    let switched = file.change(|accounts| {
        let account = accounts.known.get(&args.name)?.clone();
        accounts.current = Some(args.name.clone());
        Some(account)
    })?;
    let account = switched.ok_or_else(|| no_such_account(&args.name))?;
    let text =
        format!("{} is the current account: {} at {}", args.name, account.user, account.base_url);
    let data = json!({ "account": args.name, "baseUrl": account.base_url });
    let mut lines = vec![StyledLine::new(Style::Plain, text)];
    if let ServiceTarget::Service(url) = &context.settings.target
        && url.from != OF_ACCOUNT
        && url.origin() != account.origin()
    {
        let text =
            format!("{} names another service, {}, and takes precedence", url.from, url.text());
        lines.push(StyledLine::new(Style::Changed, text));
    }
    Ok(CommandOutput::own(data, View::Lines(lines)))
}

/// Returns the error for an unknown account.
pub(super) fn no_such_account(name: &AccountName) -> CommandError {
    CommandError::new(Exit::NotFound, format!("there is no account `{name}`"))
        .with_hint("`links auth list` shows them, `links auth login` adds one")
}
