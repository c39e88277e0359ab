//! `links sandbox`: commands for the embedded service.

mod local_records;
pub(crate) mod path;
pub(crate) mod reset;
pub(crate) mod serve;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

/// The embedded service: try everything on this machine, without an account
#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SandboxCommand {
    /// Keep it running for other programs; prints its URL and a token as one JSON line
    Serve(serve::SandboxServeArgs),
    /// Delete everything that was written to it, and what this machine has recorded of it
    Reset(reset::SandboxResetArgs),
    /// Print where its state is kept
    Path(path::SandboxPathArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: SandboxCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        SandboxCommand::Serve(args) => serve::run(context, args).await,
        SandboxCommand::Reset(args) => reset::run(context, &args),
        SandboxCommand::Path(args) => path::run(context, &args),
    }
}
