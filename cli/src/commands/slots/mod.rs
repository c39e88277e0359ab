//! `links slots`: commands for the slots of a page.

pub(crate) mod add;
pub(crate) mod apply;
mod clicks;
pub(crate) mod creation;
pub(crate) mod delete;
mod deletion;
pub(crate) mod edit;
pub(crate) mod explain;
mod explanation;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod move_;
pub(crate) mod plan;
pub(crate) mod pull;
mod ranking;
pub(crate) mod reorder;
mod reordering;
pub(crate) mod rewrite;
pub(crate) mod set;
pub(crate) mod template;
pub(crate) mod top;
pub(crate) mod types;
mod view;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SlotsCommand {
    /// List the slots of a page, in page order
    #[command(alias = "ls")]
    List(list::SlotsListArgs),
    /// Show one slot
    #[command(alias = "show")]
    Get(get::SlotsGetArgs),
    /// Rank the slots of a page by their clicks
    Top(top::SlotsTopArgs),
    /// Add a slot to a page
    Add(add::SlotsAddArgs),
    /// Change fields of a slot
    Set(set::SlotsSetArgs),
    /// Move a slot to another place on its page
    Move(move_::SlotsMoveArgs),
    /// Set the order of all slots of a page
    Reorder(reorder::SlotsReorderArgs),
    /// Delete slots with their click statistics, after showing what is lost
    #[command(aliases = ["rm", "remove"])]
    Delete(delete::SlotsDeleteArgs),
    /// Change many slots of one or more pages with jq filters
    Rewrite(rewrite::SlotsRewriteArgs),
    /// Create a slot for each row of a CSV file
    Import(import::SlotsImportArgs),
    /// List the types of slots
    Types(types::SlotsTypesArgs),
    /// Explain a type of slot: its fields, their values, an example
    Explain(explain::SlotsExplainArgs),
    /// Print a slot of a type, ready to be pasted into a page file
    Template(template::SlotsTemplateArgs),
    /// Write a page to a file to edit and apply
    Pull(pull::SlotsPullArgs),
    /// Edit a page in your editor (VISUAL, EDITOR) and apply what was saved
    Edit(edit::SlotsEditArgs),
    /// Show what `apply` would do; exit code 3 when there are changes
    Plan(plan::SlotsPlanArgs),
    /// Update a page to match a file
    Apply(apply::SlotsApplyArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: SlotsCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        SlotsCommand::List(args) => list::run(context, args).await,
        SlotsCommand::Get(args) => get::run(context, args).await,
        SlotsCommand::Top(args) => top::run(context, args).await,
        SlotsCommand::Add(args) => add::run(context, args).await,
        SlotsCommand::Set(args) => set::run(context, args).await,
        SlotsCommand::Move(args) => move_::run(context, args).await,
        SlotsCommand::Reorder(args) => reorder::run(context, args).await,
        SlotsCommand::Delete(args) => delete::run(context, args).await,
        SlotsCommand::Rewrite(args) => Box::pin(rewrite::run(context, args)).await,
        SlotsCommand::Import(args) => Box::pin(import::run(context, args)).await,
        SlotsCommand::Types(args) => types::run(context, args).await,
        SlotsCommand::Explain(args) => explain::run(context, args).await,
        SlotsCommand::Template(args) => template::run(context, args).await,
        SlotsCommand::Pull(args) => pull::run(context, args).await,
        SlotsCommand::Edit(args) => Box::pin(edit::run(context, args)).await,
        SlotsCommand::Plan(args) => plan::run(context, args).await,
        SlotsCommand::Apply(args) => Box::pin(apply::run(context, args)).await,
    }
}
