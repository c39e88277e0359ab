//! What most commands import; what is declared about a command, and the usual ways from a call of the service to the output.

use std::num::NonZeroUsize;

pub(crate) use clap::{Args, Subcommand};
use links_pages::apply::{RecordWrite, record_in};
pub(crate) use links_pages::profile_key;
pub(crate) use links_sdk::Slot;
use links_sdk::{Answer, Call, Create, Error, Write};

pub(crate) use crate::account::files::named_files;
pub(crate) use crate::apply::{operation_file, runs};
pub(crate) use crate::args::fields::FieldValues;
pub(crate) use crate::args::flags::{CreateArgs, OperationArgs, PositionArgs};
pub(crate) use crate::args::page::{self, PageKey, PageWord};
pub(crate) use crate::confine::NamedFiles;
pub(crate) use crate::context::plan_first::PlanRule;
pub(crate) use crate::context::prelude::*;
pub(crate) use crate::help::{HelpText, POINTER};
pub(crate) use crate::journal;
pub(crate) use crate::output::dry_run::DryRunArgs;
pub(crate) use crate::output::{Body, Column, answered, parsed, read_data, yaml};

/// Result of a command.
pub(crate) type CommandResult = Result<CommandOutput>;

/// Number of accounts at a time.
pub(crate) const JOBS: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Parses a number of accounts at a time.
pub(super) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "must be a whole number of at least 1".to_owned())
}

/// Words of a command that can name directories of several accounts.
pub(crate) struct AccountWords<'c> {
    pub(crate) words: &'c mut Vec<PageWord>,
    /// Number of accounts at a time.
    pub(crate) jobs: NonZeroUsize,
    /// Why the command is for one account only.
    pub(crate) cannot: Option<&'static str>,
    /// True if the command asks for confirmation.
    pub(crate) asks: bool,
    /// File that the command appends its plan to, as Markdown.
    pub(crate) summary: Option<PathBuf>,
}

/// What the program has to know of a command before it runs.
#[derive(Default)]
pub(crate) struct CommandRules {
    /// Files that a confined command names, or the reason why it is not confined; `None` for all other commands.
    pub(crate) files: Option<Result<NamedFiles, &'static str>>,
    /// True if the command never asks what earlier commits say of these files.
    pub(crate) ignores_history: bool,
    /// What it needs before it may write, where writes have to be planned before (`LINKS_PLAN_FIRST`).
    pub(crate) plan: PlanRule,
    /// True if the command is of use if the configuration file is broken.
    pub(crate) accepts_invalid_config: bool,
}

impl CommandRules {
    /// Returns the rules of a command that is confined to the files that it names.
    pub(crate) fn confined(files: Result<NamedFiles, &'static str>) -> Self {
        Self { files: Some(files), ..Self::default() }
    }

    /// Returns the rules of a command that only reads.
    pub(crate) fn reads() -> Self {
        Self { plan: PlanRule::Reads, ..Self::default() }
    }
}

/// Sends a call, and returns its answer as the output.
pub(crate) async fn shown<T: Send + 'static, K>(call: Call<T, K>, view: View) -> CommandResult {
    Ok(answered(&call.answer().await?, view))
}

/// Writes fields of a page and records them in the journal.
pub(crate) async fn write_fields<T: Send + 'static>(
    context: &Context,
    key: &ProfileKey,
    call: Call<T, Write>,
    sent: &Object,
) -> Result<Answer, Error> {
    let write = journal::page_write(context, key);
    let written = write.change_page(sent, call.answer()).await;
    journal::finish(context, &write, written)
}

/// Creates a record that the service cannot delete, and records that in the journal. `title` names it.
pub(crate) async fn create_record<T: Send + 'static>(
    context: &Context,
    operation: &str,
    (title, sent): (&str, Object),
    args: CreateArgs,
    call: Call<T, Create>,
) -> Result<Answer, Error> {
    let write = journal::new_write(context, title);
    let record = RecordWrite::creating(operation, sent);
    let created = write.write_record(record, args.on(call.answer()), record_in).await;
    journal::finish(context, &write, created)
}
