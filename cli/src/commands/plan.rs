//! `links plan`: shows what `links apply` would do.

use std::path::PathBuf;

use clap::Args;

use crate::account::{self, FilesArgs, PlanOutputs, summary};
use crate::apply::fail_on::FailOn;
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::ui::annotations::Annotate;

#[derive(Args, Debug)]
#[command(examples = ["links plan cafe.yaml", "links plan pages forms -o json"])]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    files: FilesArgs,
    /// Write the plan to this file, for `links apply --plan`
    #[arg(long, value_name = "PLAN", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Append the plan to this file (`-`: print it) in Markdown, for a job summary or a comment
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, hide_short_help = true)]
    summary: Option<PathBuf>,
    /// Differences for which the exit code is 3; `remote` and `any` need a links.lock (see `links init`)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_short_help = true)]
    fail_on: FailOn,
    /// Annotate refused fields, changes and changes of others at their lines of the files, for a CI service
    #[arg(long, value_name = "FORMAT", hide_short_help = true)]
    annotate: Option<Annotate>,
}

impl PlanArgs {
    /// Returns the files that the arguments name.
    pub(crate) fn named_files(&self) -> NamedFiles {
        let mut named = self.files.named_files(false);
        named.write.extend(self.out.iter().cloned().chain(summary::file(self.summary.as_ref())));
        named
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: PlanArgs,
) -> Result<CommandOutput, CommandError> {
    let PlanArgs { files, out, summary, fail_on, annotate } = args;
    let outputs = PlanOutputs { fail_on, out, summary, annotate };
    let planned = account::plan(context, files.request(), outputs).await;
    planned.inspect_err(|failure| {
        if let Some(annotate) = annotate {
            annotate.failure(failure);
        }
    })
}
