//! `links apply`: makes pages and forms match their files.

use std::path::PathBuf;

use clap::Args;

use crate::account::{self, AccountRequest, Allowed, FilesArgs};
use crate::args::flags::DryRunArgs;
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::context::plan_first::PlanRule;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;

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

pub(crate) async fn run(
    context: &mut Context,
    args: ApplyCommandArgs,
) -> Result<CommandOutput, CommandError> {
    let ApplyCommandArgs { files, plan, allowed, locked, wait, dry_run } = args;
    context.writer(dry_run).await?;
    let mut request = AccountRequest { plan, allowed, wait, ..files.request() };
    request.apply_args.locked = locked;
    match context.dry_run() {
        Some(how) => account::dry_run(context, request, how).await,
        None => account::apply(context, request).await,
    }
}
