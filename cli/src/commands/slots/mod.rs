//! `links slots`: the blocks of a page.

pub(crate) mod apply;
mod applying;
mod executing;
pub(crate) mod get;
pub(crate) mod history;
pub(crate) mod list;
pub(crate) mod plan;
mod planning;
mod problems;
pub(crate) mod pull;
pub(crate) mod restore;
mod state;
mod unfinished;

use clap::Subcommand;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum SlotsCommand {
    /// List the blocks of a page, in page order
    List(list::SlotsListArgs),
    /// Show one block
    Get(get::SlotsGetArgs),
    /// Write a page down as a file to edit and apply
    Pull(pull::SlotsPullArgs),
    /// Show what `apply` would do; exit code 3 when there is something to do
    Plan(plan::SlotsPlanArgs),
    /// Make a page as a file says
    Apply(apply::SlotsApplyArgs),
    /// List the runs of `apply` and what became of them
    History(history::SlotsHistoryArgs),
    /// Make a page as it was before a run, as far as that goes
    Restore(restore::SlotsRestoreArgs),
}

pub(super) async fn run(context: &mut Context, command: SlotsCommand) -> Result<Outcome, Failure> {
    match command {
        SlotsCommand::List(args) => list::run(context, args).await,
        SlotsCommand::Get(args) => get::run(context, args).await,
        SlotsCommand::Pull(args) => pull::run(context, args).await,
        SlotsCommand::Plan(args) => plan::run(context, args).await,
        SlotsCommand::Apply(args) => apply::run(context, args).await,
        SlotsCommand::History(args) => history::run(context, &args),
        SlotsCommand::Restore(args) => restore::run(context, args).await,
    }
}
