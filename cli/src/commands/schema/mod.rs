//! `links schema`: JSON Schemas of page files, form files and slots, for editors.

mod document;
pub(crate) mod form;
pub(crate) mod page;
pub(crate) mod slot;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SchemaCommand {
    /// The schema of a page file
    Page(page::SchemaPageArgs),
    /// The schema of a form file
    Form(form::SchemaFormArgs),
    /// The schema of the data of a slot
    Slot(slot::SchemaSlotArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: SchemaCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        SchemaCommand::Page(args) => page::run(context, args).await,
        SchemaCommand::Form(args) => Ok(form::run(args)),
        SchemaCommand::Slot(args) => slot::run(context, args).await,
    }
}
