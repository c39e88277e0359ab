//! `links forms`: commands for lead forms.

pub(crate) mod create;
pub(crate) mod edit;
pub(crate) mod field;
mod form_words;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;
pub(crate) mod view;
mod where_used;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FormsCommand {
    /// List the lead forms of the account
    #[command(alias = "ls")]
    List(list::FormsListArgs),
    /// Create a lead form from a file, from values, or from both
    Create(create::FormsCreateArgs),
    /// Show one form
    #[command(alias = "show")]
    Get(get::FormsGetArgs),
    /// Change a form on every page that holds it
    Update(update::FormsUpdateArgs),
    /// Change a form in an editor
    Edit(edit::FormsEditArgs),
    /// One field of a form
    #[command(subcommand)]
    Field(field::FieldCommand),
}

pub(super) async fn run(
    context: &mut Context,
    command: FormsCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        FormsCommand::List(args) => list::run(context, args).await,
        FormsCommand::Create(args) => create::run(context, args).await,
        FormsCommand::Get(args) => get::run(context, args).await,
        FormsCommand::Update(args) => update::run(context, args).await,
        FormsCommand::Edit(args) => edit::run(context, args).await,
        FormsCommand::Field(command) => field::run(context, command).await,
    }
}
