//! `links preview`: shows a page as its file would make it.

use std::path::PathBuf;

use clap::Args;

use crate::account::files::named_files;
use crate::apply::planned::{ApplyArgs, SyncArgs};
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::preview::{PreviewOutputs, PreviewRequest, preview, shown};

#[derive(Args, Debug)]
#[command(examples = ["links preview cafe.yaml", "links preview cafe.yaml --diff --summary preview.md"])]
pub(crate) struct PreviewArgs {
    /// Page file (`-`: standard input)
    #[arg(value_hint = clap::ValueHint::FilePath)]
    path: PathBuf,
    /// Show what changes for the reader; exit code 3 when something does
    #[arg(long)]
    diff: bool,
    /// Append the preview to this file in Markdown, for a job summary or a comment
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    summary: Option<PathBuf>,
    /// Exit code 3 when the page would be longer than this for a language model
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Show the file alone, without an account and without the network
    #[arg(long, conflicts_with = "diff")]
    offline: bool,
    /// Leave out the slots that the file does not mention
    #[arg(long)]
    prune: bool,
    /// Also allow images below this directory, not only below the file's own
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, hide_short_help = true)]
    upload_root: Vec<PathBuf>,
    #[command(flatten)]
    sync: SyncArgs,
}

impl PreviewArgs {
    /// Returns the files that the arguments name.
    pub(crate) fn named_files(&self) -> NamedFiles {
        let path = std::slice::from_ref(&self.path);
        let mut named = named_files(path, &self.upload_root, false);
        named.write.extend(self.summary.clone());
        named
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: PreviewArgs,
) -> Result<CommandOutput, CommandError> {
    let PreviewArgs { path, diff, summary, max_tokens, offline, prune, upload_root, sync } = args;
    let apply_args = ApplyArgs { prune, upload_root, sync, ..ApplyArgs::default() };
    let request = PreviewRequest { path, apply_args, offline };
    let preview = preview(context, &request).await?;
    shown(context, preview, &PreviewOutputs { diff, summary, max_tokens })
}
