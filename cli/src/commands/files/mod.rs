//! `links files`: images for pages and blocks.

pub(crate) mod upload;

use clap::Subcommand;

use crate::context::Context;
use crate::error::Failure;
use crate::output::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum FilesCommand {
    /// Upload images; their paths are what blocks and pages take
    Upload(upload::FilesUploadArgs),
}

pub(super) async fn run(context: &mut Context, command: FilesCommand) -> Result<Outcome, Failure> {
    match command {
        FilesCommand::Upload(args) => upload::run(context, args).await,
    }
}
