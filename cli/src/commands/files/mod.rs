//! `links files`: commands for the images of pages and slots.

pub(crate) mod upload;
mod upload_source;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FilesCommand {
    /// Upload images and print their paths, for use in slots and pages
    Upload(upload::FilesUploadArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: FilesCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        FilesCommand::Upload(args) => upload::run(context, args).await,
    }
}
