//! `links slots`: the blocks of a page.

pub(crate) mod add;
pub(crate) mod apply;
mod applying;
mod clicks;
pub(crate) mod delete;
pub(crate) mod edit;
mod executing;
pub(crate) mod explain;
pub(crate) mod get;
pub(crate) mod history;
pub(crate) mod list;
pub(crate) mod move_;
pub(crate) mod plan;
mod planning;
mod problems;
pub(crate) mod pull;
mod pulling;
mod references;
mod rehearsal;
pub(crate) mod reorder;
pub(crate) mod restore;
mod saved;
pub(crate) mod set;
mod state;
pub(crate) mod template;
mod three_way;
pub(crate) mod types;
mod unfinished;

use bytes::Bytes;
use clap::Subcommand;
use links_sdk::{Slot, SlotsHandle};
use serde::Deserialize;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::{Column, Outcome};
use crate::ui::label;

#[derive(Debug, Subcommand)]
pub(crate) enum SlotsCommand {
    /// List the blocks of a page, in page order
    List(list::SlotsListArgs),
    /// Show one block
    Get(get::SlotsGetArgs),
    /// Put a new block on a page
    Add(add::SlotsAddArgs),
    /// Change fields of a block
    Set(set::SlotsSetArgs),
    /// Move a block to another place on its page
    Move(move_::SlotsMoveArgs),
    /// Put all blocks of a page into an order
    Reorder(reorder::SlotsReorderArgs),
    /// Delete blocks with their click statistics, after showing what is lost
    Delete(delete::SlotsDeleteArgs),
    /// List the types of blocks
    Types(types::SlotsTypesArgs),
    /// Explain a type of block: its fields, what they take, an example
    Explain(explain::SlotsExplainArgs),
    /// Print a block of a type, ready to be pasted into a page file
    Template(template::SlotsTemplateArgs),
    /// Write a page down as a file to edit and apply
    Pull(pull::SlotsPullArgs),
    /// Edit a page in your editor (VISUAL, EDITOR) and apply what was saved
    Edit(edit::SlotsEditArgs),
    /// Show what `apply` would do; exit code 3 when there is something to do
    Plan(plan::SlotsPlanArgs),
    /// Make a page as a file says
    Apply(apply::SlotsApplyArgs),
    /// List the runs of `apply` and what became of them
    History(history::SlotsHistoryArgs),
    /// Make a page as it was before a run, except that blocks which came since stay
    Restore(restore::SlotsRestoreArgs),
}

pub(super) async fn run(context: &mut Context, command: SlotsCommand) -> Result<Outcome, Failure> {
    match command {
        SlotsCommand::List(args) => list::run(context, args).await,
        SlotsCommand::Get(args) => get::run(context, args).await,
        SlotsCommand::Add(args) => add::run(context, args).await,
        SlotsCommand::Set(args) => set::run(context, args).await,
        SlotsCommand::Move(args) => move_::run(context, args).await,
        SlotsCommand::Reorder(args) => reorder::run(context, args).await,
        SlotsCommand::Delete(args) => delete::run(context, args).await,
        SlotsCommand::Types(args) => types::run(context, args).await,
        SlotsCommand::Explain(args) => explain::run(context, args).await,
        SlotsCommand::Template(args) => template::run(context, args).await,
        SlotsCommand::Pull(args) => pull::run(context, args).await,
        SlotsCommand::Edit(args) => edit::run(context, args).await,
        SlotsCommand::Plan(args) => plan::run(context, args).await,
        SlotsCommand::Apply(args) => apply::run(context, args).await,
        SlotsCommand::History(args) => history::run(context, &args),
        SlotsCommand::Restore(args) => restore::run(context, args).await,
    }
}

/// What those take turns at who write the order of a page. One for all pages: which page a login or an address means, only the service
/// knows.
const ORDER: &str = "order";

/// What people see first of a block.
const FIRST: &[&str] = &["id", "type", "supported"];

/// The blocks of a page, as people see them.
const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("TYPE", "type"),
    Column::of("CONTENT", |slot| {
        slot["data"].as_object().and_then(label).unwrap_or_default().to_owned()
    }),
    Column::of("NOTE", |slot| {
        if slot["supported"] == false { "legacy: cannot be edited".into() } else { String::new() }
    }),
];

/// The blocks of a page, and the answer they came in.
async fn page(slots: &SlotsHandle) -> Result<(Bytes, Vec<Slot>), Failure> {
    #[derive(Deserialize)]
    struct Page {
        data: Vec<Slot>,
    }
    let answer = slots.list().answer().await?;
    let page: Page = serde_json::from_slice(answer.body()).map_err(Failure::unreadable)?;
    Ok((answer.body().clone(), page.data))
}
