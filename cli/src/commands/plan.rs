//! `links plan`: shows what `links apply` would do.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::files::named_files;
use crate::account::{self, AccountRequest, Allowed};
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
    /// Page files, form files and directories of them; by default the directory of the closest links.lock
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Refuse files that are for another page than this one
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Option<ProfileKey>,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Differences for which the exit code is 3; `remote` and `any` need a links.lock (see `links init`)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_short_help = true)]
    fail_on: FailOn,
    /// Annotate refused fields at their lines of the files, for a CI service
    #[arg(long, value_name = "FORMAT", hide_short_help = true)]
    annotate: Option<Annotate>,
}

impl PlanArgs {
    /// Returns the files that the arguments name.
    pub(crate) fn named_files(&self) -> NamedFiles {
        named_files(&self.paths, &self.apply_args.upload_root, false)
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: PlanArgs,
) -> Result<CommandOutput, CommandError> {
    let PlanArgs { paths, profile, mut apply_args, sync, fail_on, annotate } = args;
    (apply_args.profile, apply_args.sync) = (profile, sync);
    let allowed = Allowed::default();
    let request = AccountRequest { paths, apply_args, allowed, wait: false };
    let planned = account::plan(context, request, fail_on).await;
    planned.inspect_err(|failure| {
        if let Some(annotate) = annotate {
            annotate.failure(failure);
        }
    })
}
