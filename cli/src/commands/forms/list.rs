//! `links forms list`: lists the lead forms of the account.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links forms list", "links forms list -o ids"])]
pub(crate) struct FormsListArgs {}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("TITLE", "title"),
    Column::at("ACTIVE", "active"),
    Column::of("FIELDS", |form| form["fields"].as_array().map_or(0, Vec::len).to_string()),
    Column::at("CREATED", "createdAt"),
];

pub(crate) async fn run(
    context: &mut Context,
    _: FormsListArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.forms().list().answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Table(COLUMNS)))
}
