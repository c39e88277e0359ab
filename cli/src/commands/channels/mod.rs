//! `links channels`: commands for the channels that report new submissions of lead forms.

pub(crate) mod list;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelsCommand {
    /// List the verified channels of the account, with the ids for a form's notificationChannelIds
    List(list::ChannelsListArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: ChannelsCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        ChannelsCommand::List(args) => list::run(context, args).await,
    }
}
