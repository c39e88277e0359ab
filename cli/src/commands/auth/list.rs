//! `links auth list`: lists the accounts of this machine.

use clap::Args;
use serde_json::{Value, json};

use super::describe;
use crate::auth::AccountsFile;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links auth list"])]
pub(crate) struct AuthListArgs {}

const COLUMNS: &[Column] = &[
    Column::of("CURRENT", |it| if it["current"] == true { "*".to_owned() } else { String::new() }),
    Column::at("ACCOUNT", "account"),
    Column::at("USER", "user.name"),
    Column::at("SERVICE", "baseUrl"),
    Column::at("STORED IN", "store"),
];

pub(crate) fn run(context: &Context, _: &AuthListArgs) -> Result<CommandOutput, CommandError> {
    let accounts = AccountsFile::new(context.config_directory()?).load()?;
    let rows = accounts.known.iter().map(|(name, account)| {
        json!({
            "account": name,
            "current": accounts.current.as_ref() == Some(name),
            "baseUrl": account.base_url,
            "user": { "id": account.user_id, "name": account.user },
            "store": describe::store(&account.kept),
        })
    });
    Ok(CommandOutput::own(Value::Array(rows.collect()), View::Table(COLUMNS)))
}
