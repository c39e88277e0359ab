//! `links preview`: shows a page as its file would make it.

use super::prelude::*;
use crate::account::summary;
use crate::apply::apply_args::{ApplyArgs, RunOptions, SyncArgs};
use crate::preview::{ApplyWhen, PreviewRequest, preview, serve, shown};

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Debug)]
#[command(examples = ["links preview cafe.yaml", "links preview cafe.yaml --diff --summary preview.md", "links preview cafe.yaml --serve --apply"])]
pub(crate) struct PreviewArgs {
    /// Page file (`-`: standard input)
    path: PathBuf,
    /// Show what changes for the reader; exit code 3 when something does
    #[arg(long)]
    diff: bool,
    /// Append the preview to this file (`-`: print it) in Markdown, for a job summary or a comment
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    summary: Option<PathBuf>,
    /// Exit code 3 when the page would be longer than this for a language model
    #[arg(long, value_name = "N", hide_short_help = true)]
    max_tokens: Option<u64>,
    /// Show the file alone, without account and network
    #[arg(long, conflicts_with = "diff")]
    offline: bool,
    /// Show the page in a browser until Ctrl-C, and follow the file
    #[arg(long, conflicts_with_all = ["diff", "summary", "max_tokens"])]
    serve: bool,
    /// Let the browser apply the file: by `key`, or also after each `save`
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true, num_args = 0..=1, require_equals = true, default_missing_value = "key", requires = "serve", conflicts_with = "offline")]
    apply: Option<ApplyWhen>,
    /// Port on the loopback address; chosen automatically by default
    #[arg(long, requires = "serve", hide_short_help = true)]
    port: Option<u16>,
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
    pub(super) fn rules(&self) -> CommandRules {
        let path = std::slice::from_ref(&self.path);
        let mut named = named_files(path, &self.upload_root, self.apply.is_some());
        named.write.extend(summary::file(self.summary.as_ref()));
        let plan = match self.apply {
            Some(_) => PlanRule::Interactive,
            None => PlanRule::DryRun,
        };
        CommandRules { plan, ..CommandRules::confined(Ok(named)) }
    }
}

pub(super) async fn run(context: &mut Context, args: PreviewArgs) -> CommandResult {
    let PreviewArgs { path, diff, summary, max_tokens, offline, .. } = args;
    let (prune, upload_root, sync) = (args.prune, args.upload_root, args.sync);
    let flags = ApplyArgs { prune, upload_root, ..ApplyArgs::default() };
    let options = RunOptions { flags, sync, ..RunOptions::default() };
    let request = PreviewRequest { path, options, offline };
    if args.serve {
        return Box::pin(serve(context, request, args.port, args.apply)).await;
    }
    summary::check(summary.as_deref(), context.settings.output)?;
    let preview = preview(context, &request).await?;
    shown(context, preview, diff, summary.as_deref(), max_tokens)
}
