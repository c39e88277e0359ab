//! `links forms field`: commands for one field of a form. The service takes only whole lists, so the form is read, and all of it is written
//! back with the `key` of every field that stays.

pub(crate) mod add;
mod field_list;
pub(crate) mod remove;
pub(crate) mod set;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FieldCommand {
    /// Add a field
    Add(add::FormsFieldAddArgs),
    /// Change a field
    Set(set::FormsFieldSetArgs),
    /// Remove a field
    Remove(remove::FormsFieldRemoveArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: FieldCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        FieldCommand::Add(args) => add::run(context, args).await,
        FieldCommand::Set(args) => set::run(context, args).await,
        FieldCommand::Remove(args) => remove::run(context, args).await,
    }
}
