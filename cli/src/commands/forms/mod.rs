//! `links forms`: lead forms.

pub(crate) mod create;
pub(crate) mod list;

use clap::Subcommand;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum FormsCommand {
    /// List the lead forms of the account
    List(list::FormsListArgs),
    /// Make a lead form from a file, from values, or from both
    Create(create::FormsCreateArgs),
}

pub(super) async fn run(context: &mut Context, command: FormsCommand) -> Result<Outcome, Failure> {
    match command {
        FormsCommand::List(args) => list::run(context, args).await,
        FormsCommand::Create(args) => create::run(context, args).await,
    }
}

/// What people see first of a form.
const FIRST: &[&str] = &["id", "title", "active", "enabled"];
