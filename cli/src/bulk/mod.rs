//! Changes of many slots at once without a page file: `links slots rewrite`, `links slots import` and `links undo`. All pages are read, planned
//! and checked before the first write; each page has a journal of its own, so that an interrupted run is continued and `links undo` undoes it.

pub(crate) mod import;
pub(crate) mod page_undo;
pub(crate) mod rewrite;

use std::rc::Rc;

use clap::Args;
use links_pages::apply::RunCommand;

use crate::account;
use crate::account::edit::{PageEdit, SlotsEdit};
use crate::account::request::RunSource;
use crate::apply::apply_args::{ApplyArgs, RunOptions};
use crate::args::flags::OperationArgs;
use crate::context::prelude::*;
use crate::journal;

// How a bulk change is confirmed and shown. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug)]
pub(crate) struct BulkArgs {
    /// Confirm the changes without being asked
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Wait for other runs on the same pages instead of failing
    #[arg(long, hide_short_help = true)]
    pub(crate) wait: bool,
    /// Show every line of a large plan
    #[arg(long, hide_short_help = true)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) operation: OperationArgs,
}

/// Changes pages, or shows what would be changed in a dry run.
pub(crate) async fn run(
    context: &mut Context,
    pages: Vec<ProfileKey>,
    BulkArgs { yes, wait, full, .. }: BulkArgs,
    edit: PageEdit,
) -> Result<CommandOutput> {
    let types = context.slot_types().await?;
    let digest = match &edit {
        PageEdit::Rewrite(filter) => Some(filter.digest.clone()),
        PageEdit::Import(_) | PageEdit::Undo(_) => None,
    };
    let command = RunCommand { digest, ..journal::command(context) };
    let flags = ApplyArgs { yes, full, ..ApplyArgs::default() };
    let options = RunOptions { flags, command, wait, adds: true, ..RunOptions::default() };
    let edit = Some(Rc::new(SlotsEdit { edit, pages, types }));
    account::apply(context, RunSource { edit, ..RunSource::default() }, options).await
}
