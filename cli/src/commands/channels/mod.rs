//! `links channels`: commands for the channels that report new submissions of lead forms.

pub(crate) mod list;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum ChannelsCommand {
    /// List the verified channels of the account, with the ids for a form's notificationChannelIds
    #[command(alias = "ls")]
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
