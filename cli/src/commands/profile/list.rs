//! `links profile list`: lists the pages of the account.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links profile list", "links profile list -o csv --fields login,computed.url"])]
pub(crate) struct ProfileListArgs {}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("LOGIN", "login"),
    Column::at("TITLE", "title"),
    Column::at("MAIN", "computed.isMain"),
    Column::at("URL", "computed.url"),
];

pub(crate) async fn run(
    context: &mut Context,
    _: ProfileListArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.profiles().list().answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Table(COLUMNS)))
}
