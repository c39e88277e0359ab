//! `links plan` and `links apply`: show what would be written to pages and forms, and make them match their files.

use super::prelude::*;
use crate::account::request::RunSource;
use crate::account::{self, PlanOutputs};
use crate::apply::apply_args::{Allowed, ApplyArgs, RunOptions, SyncArgs};

// Files, and what is made of them. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct FilesArgs {
    /// Page files, form files and directories; by default that of the closest links.lock
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Refuse files that are for another page than these
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Vec<ProfileKey>,
    #[command(flatten)]
    flags: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Write a status again that is not shown any more
    #[arg(long, hide_short_help = true)]
    renew_mood: bool,
}

#[derive(Args, Debug)]
#[command(examples = ["links plan cafe.yaml", "links plan pages forms -o json"])]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    outputs: PlanOutputs,
}

#[derive(Args, Debug)]
#[command(examples = ["links apply cafe.yaml", "links apply pages forms --yes --allow-create 1"])]
pub(crate) struct ApplyCommandArgs {
    /// Carry out a plan of `links plan --out` instead (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "paths", value_hint = clap::ValueHint::FilePath)]
    plan: Option<PathBuf>,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    allowed: Allowed,
    /// Refuse a page, a form or an image that links.lock does not have, and leave links.lock as it is
    #[arg(long, hide_short_help = true)]
    locked: bool,
    /// Wait for other runs on the same pages instead of refusing
    #[arg(long, hide_short_help = true)]
    wait: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

impl FilesArgs {
    /// Returns the files that the arguments name. `writes` tells whether their locks are written.
    fn named_files(&self, writes: bool) -> NamedFiles {
        named_files(&self.paths, &self.flags.upload_root, writes)
    }

    /// Returns the paths, and options that allow nothing that cannot be undone.
    fn options(self) -> (Vec<PathBuf>, RunOptions) {
        let Self { paths, profile: profiles, flags, sync, renew_mood } = self;
        (paths, RunOptions { flags, sync, profiles, renew_mood, ..RunOptions::default() })
    }
}

impl PlanArgs {
    /// Returns the files that the arguments name.
    pub(crate) fn named_files(&self) -> NamedFiles {
        let mut named = self.files.named_files(false);
        named.write.extend(self.outputs.files());
        named
    }
}

impl ApplyCommandArgs {
    /// Returns what the command needs before it may write, where writes have to be planned before.
    pub(crate) fn plan_rule(&self) -> PlanRule {
        if self.plan.is_some() { PlanRule::HasPlan } else { PlanRule::SavedPlan }
    }

    /// Returns the files that the arguments name.
    ///
    /// # Errors
    ///
    /// When the files are not known beforehand, with the reason.
    pub(crate) fn named_files(&self) -> Result<NamedFiles, &'static str> {
        if self.plan.is_some() {
            return Err("the plan names its page files");
        }
        Ok(self.files.named_files(!self.locked))
    }
}

pub(crate) async fn plan(
    context: &mut Context,
    args: PlanArgs,
) -> Result<CommandOutput, CommandError> {
    let PlanArgs { files, outputs } = args;
    let annotate = outputs.annotate;
    let (paths, options) = files.options();
    let planned = match RunSource::files(context, &paths, &options.flags.upload_root) {
        Ok(source) => account::plan(context, source, options, outputs).await,
        Err(failure) => Err(failure),
    };
    planned.inspect_err(|failure| annotate.iter().for_each(|it| it.failure(failure)))
}

pub(crate) async fn apply(
    context: &mut Context,
    args: ApplyCommandArgs,
) -> Result<CommandOutput, CommandError> {
    let ApplyCommandArgs { files, plan, allowed, locked, wait, dry_run } = args;
    context.writer(dry_run).await?;
    let (paths, options) = files.options();
    let command = journal::command(context, "apply");
    let mut options = RunOptions { allowed, command, locked, wait, ..options };
    let source = match plan {
        Some(plan) => RunSource::plan(&plan, &mut options)?,
        None => RunSource::files(context, &paths, &options.flags.upload_root)?,
    };
    account::apply(context, source, options).await
}
