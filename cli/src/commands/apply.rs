//! `links apply`: makes pages and forms match their files.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::files::named_files;
use crate::account::{self, AccountRequest, Allowed};
use crate::apply::planned::{ApplyArgs, SyncArgs};
use crate::args::dry_run::DryRunArgs;
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links apply cafe.yaml", "links apply pages forms --yes --allow-create 1"])]
pub(crate) struct ApplyCommandArgs {
    /// Page files, form files and directories; by default that of the closest links.lock
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Carry out a plan of `links plan --out` instead (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "paths", value_hint = clap::ValueHint::FilePath)]
    plan: Option<PathBuf>,
    /// Refuse files that are for another page than these
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Vec<ProfileKey>,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    #[command(flatten)]
    allowed: Allowed,
    /// Write a status again that is not shown any more
    #[arg(long, hide_short_help = true)]
    renew_mood: bool,
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
    /// Returns the files that the arguments name.
    ///
    /// # Errors
    ///
    /// When the files are not known beforehand, with the reason.
    pub(crate) fn named_files(&self) -> Result<NamedFiles, &'static str> {
        if self.plan.is_some() {
            return Err("the plan names its page files");
        }
        Ok(named_files(&self.paths, &self.apply_args.upload_root, !self.locked))
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: ApplyCommandArgs,
) -> Result<CommandOutput, CommandError> {
    let ApplyCommandArgs {
        paths,
        plan,
        profile,
        mut apply_args,
        sync,
        allowed,
        renew_mood,
        locked,
        wait,
        dry_run,
    } = args;
    (apply_args.profiles, apply_args.sync, apply_args.locked) = (profile, sync, locked);
    apply_args.renew_mood = renew_mood;
    context.writer(dry_run).await?;
    let request = AccountRequest { paths, plan, apply_args, allowed, wait };
    match context.dry_run() {
        Some(how) => account::dry_run(context, request, how).await,
        None => account::apply(context, request).await,
    }
}
