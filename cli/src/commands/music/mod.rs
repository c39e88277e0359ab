//! `links music`: commands for releases, and for the slots that show them.

pub(crate) mod add;
pub(crate) mod lookup;
mod search;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum MusicCommand {
    /// Find a release by its code, its URL or its title
    Lookup(lookup::MusicLookupArgs),
    /// Find a release and put it on a page
    Add(add::MusicAddArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: MusicCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        MusicCommand::Lookup(args) => lookup::run(context, args).await,
        MusicCommand::Add(args) => add::run(context, args).await,
    }
}
