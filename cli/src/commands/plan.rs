//! `links plan`: shows what `links apply` would do.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::files::named_files;
use crate::account::{self, AccountRequest, Allowed, PlanOutputs};
use crate::apply::fail_on::FailOn;
use crate::apply::planned::{ApplyArgs, SyncArgs};
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::profile_key;
use crate::ui::annotations::Annotate;

#[derive(Args, Debug)]
#[command(examples = ["links plan cafe.yaml", "links plan pages forms -o json"])]
pub(crate) struct PlanArgs {
    /// Page files, form files and directories; by default that of the closest links.lock
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Refuse files that are for another page than these
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Vec<ProfileKey>,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Write a status again that is not shown any more
    #[arg(long, hide_short_help = true)]
    renew_mood: bool,
    /// Write the plan to this file, for `links apply --plan`
    #[arg(long, value_name = "PLAN", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Append the plan to this file in Markdown, for a job summary or a comment
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
        let mut named = named_files(&self.paths, &self.apply_args.upload_root, false);
        named.write.extend(self.out.iter().chain(&self.summary).cloned());
        named
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: PlanArgs,
) -> Result<CommandOutput, CommandError> {
    let PlanArgs {
        paths,
        profile,
        mut apply_args,
        sync,
        renew_mood,
        out,
        summary,
        fail_on,
        annotate,
    } = args;
    (apply_args.profiles, apply_args.sync) = (profile, sync);
    apply_args.renew_mood = renew_mood;
    let allowed = Allowed::default();
    let request = AccountRequest { paths, plan: None, apply_args, allowed, wait: false };
    let outputs = PlanOutputs { fail_on, out, summary, annotate };
    let planned = account::plan(context, request, outputs).await;
    planned.inspect_err(|failure| {
        if let Some(annotate) = annotate {
            annotate.failure(failure);
        }
    })
}
