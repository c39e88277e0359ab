//! `links config`: commands for the configuration file.

pub(crate) mod get;
pub(crate) mod list;
mod location;
pub(crate) mod path;
pub(crate) mod set;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum ConfigCommand {
    /// Print where the configuration file is
    Path(path::ConfigPathArgs),
    /// List every key with its value and where that comes from
    #[command(alias = "ls")]
    List(list::ConfigListArgs),
    /// Print the value of one key
    Get(get::ConfigGetArgs),
    /// Set a key in the configuration file, or remove it
    Set(set::ConfigSetArgs),
}

pub(super) fn run(
    context: &Context,
    command: &ConfigCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        ConfigCommand::Path(args) => path::run(context, args),
        ConfigCommand::List(args) => list::run(context, args),
        ConfigCommand::Get(args) => get::run(context, args),
        ConfigCommand::Set(args) => set::run(context, args),
    }
}
