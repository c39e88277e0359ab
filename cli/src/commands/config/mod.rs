//! `links config`: the configuration file.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod path;
pub(crate) mod set;

use std::path::PathBuf;

use clap::Subcommand;

use crate::config;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::folders;
use crate::outcome::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print where the configuration file is
    Path(path::ConfigPathArgs),
    /// List every key with its value and where that comes from
    List(list::ConfigListArgs),
    /// Print the value of one key
    Get(get::ConfigGetArgs),
    /// Set a key in the configuration file, or remove it
    Set(set::ConfigSetArgs),
}

pub(super) fn run(context: &Context, command: &ConfigCommand) -> Result<Outcome, Failure> {
    match command {
        ConfigCommand::Path(args) => path::run(context, args),
        ConfigCommand::List(args) => list::run(context, args),
        ConfigCommand::Get(args) => get::run(context, args),
        ConfigCommand::Set(args) => set::run(context, args),
    }
}

fn file(context: &Context) -> Result<PathBuf, Failure> {
    config::path(folders::config_in(context.settings.config_dir.clone()))
}
