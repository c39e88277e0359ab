//! `links channels list`: lists the verified notification channels of the account.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links channels list", "links channels list --fields id,label"])]
pub(crate) struct ChannelsListArgs {}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("CHANNEL", "channel"),
    Column::at("LABEL", "label"),
    Column::at("RECIPIENT", "recipient"),
    Column::at("ACTIVE", "isActive"),
];

pub(crate) async fn run(
    context: &mut Context,
    _: ChannelsListArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.notification_channels().answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Table(COLUMNS)))
}
