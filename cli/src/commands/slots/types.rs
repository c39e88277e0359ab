//! `links slots types`: lists the types of slots.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links slots types", "links slots types -o ids"])]
pub(crate) struct SlotsTypesArgs {}

const COLUMNS: &[Column] = &[
    Column::at("TYPE", "type"),
    Column::at("TITLE", "title"),
    Column::at("WRITABLE", "writable"),
    Column::at("DESCRIPTION", "description"),
];

pub(crate) async fn run(
    context: &mut Context,
    _: SlotsTypesArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.slot_types().answer().await?;
    context.keep_slot_types(answer.body());
    Ok(CommandOutput::service(answer.body().clone(), View::Table(COLUMNS)))
}
