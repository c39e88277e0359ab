//! Every command: one folder for each noun, one file for each verb.
//!
//! A verb is `<Noun><Verb>Args` and a `run` that returns an [`Outcome`] or a [`Failure`]. Both formats and the exit code come from
//! these two, so a new verb is its file, a variant and an arm in its noun's `mod.rs`, and nothing else.

#[cfg(feature = "sandbox")]
mod sandbox;

use clap::Subcommand;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::Outcome;

/// The nouns.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The embedded service: try everything on this machine, without an account
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(sandbox::SandboxCommand),
}

pub(crate) async fn run(context: &mut Context, command: Command) -> Result<Outcome, Failure> {
    match command {
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => sandbox::run(context, command).await,
    }
}
