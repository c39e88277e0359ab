//! `links slots types`: lists the types of slots.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Column, CommandOutput, View};

/// Arguments of `links slots types`.
#[derive(Args, Debug)]
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
