//! `links slots plan`: shows what `apply` would do.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::one_page::planned;
use crate::apply::apply_args::{ApplyArgs, SyncArgs};
use crate::apply::dry_run::check_on_service;
use crate::apply::fail_on::FailOn;
use crate::apply::planned::PlannedPage;
use crate::apply::report::shown;
use crate::apply::saved_plan::{self, ApplySource, SavedPlan};
use crate::apply::sync::{LockStore, note_on_input};
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style};
use crate::ui::annotations::Annotate;
use links_pages::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots plan cafe.yaml", "links slots plan cafe.yaml --prune -o json"])]
pub(crate) struct SlotsPlanArgs {
    /// The page file, YAML or JSON (`-`: standard input)
    #[arg(required_unless_present = "plan")]
    file: Option<PathBuf>,
    /// Show a plan written with --out, if it can still be carried out (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "file", value_hint = clap::ValueHint::FilePath)]
    plan: Option<PathBuf>,
    /// Refuse a file or a plan that is for another page than this one
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Option<ProfileKey>,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Write the plan to this file, for `links slots apply --plan`
    #[arg(long, value_name = "PLAN")]
    out: Option<PathBuf>,
    /// Ask the service whether it would accept the new and changed slots; nothing is written
    #[arg(long)]
    check: bool,
    /// Differences for which the exit code is 3; `remote` and `any` need a links.lock (see `links init`)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_short_help = true)]
    fail_on: FailOn,
    /// Annotate refused fields at their lines of the file, for a CI service
    #[arg(long, value_name = "FORMAT", hide_short_help = true)]
    annotate: Option<Annotate>,
}

impl SlotsPlanArgs {
    /// Returns the files that the arguments name.
    pub(crate) fn named_files(&self) -> NamedFiles {
        let read = self.apply_args.upload_root.clone();
        let write = self.out.iter().cloned().collect();
        let source = self.file.iter().chain(&self.plan);
        source.fold(NamedFiles { read, write }, |named, file| {
            let mut named = named.with_directory(file);
            let locks = [LockStore::of(file), saved_plan::lock_of(file)];
            named.read.extend(locks.into_iter().flatten().map(|it| it.path()));
            named
        })
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsPlanArgs,
) -> Result<CommandOutput, CommandError> {
    let (annotate, fail_on) = (args.annotate, args.fail_on);
    let page = plan(context, args).await;
    let page = page.inspect_err(|failure| {
        if let Some(annotate) = annotate {
            annotate.failure(failure);
        }
    })?;
    Ok(shown(page, fail_on, !context.ui.shows_text()))
}

async fn plan(context: &mut Context, args: SlotsPlanArgs) -> Result<PlannedPage, CommandError> {
    let mut apply_args = args.apply_args;
    (apply_args.profiles, apply_args.sync) = (args.profile.into_iter().collect(), args.sync);
    let roots = &apply_args.upload_root;
    let source = match (&args.file, &args.plan) {
        (Some(file), _) => ApplySource::page(file, roots, "plan")?,
        (None, Some(plan)) => ApplySource::plan(plan, roots, "plan")?,
        (None, None) => return Err(CommandError::usage("no page file is given")),
    };
    if let Some(note) = args.file.as_deref().and_then(note_on_input) {
        context.ui.say(&note);
    }
    if let Some(saved) = &source.saved {
        saved.allow(&mut apply_args, false)?;
    }
    let page = planned(context, source, &apply_args).await?;
    args.fail_on.check(&page)?;
    if args.check {
        for note in check_on_service(&page).await? {
            context.ui.say(&note);
        }
    }
    if let Some(path) = &args.out {
        SavedPlan::of(&page, &apply_args, path).write(path)?;
        let mut text = format!("plan written to {0}: links slots apply --plan {0}", path.display());
        for root in &apply_args.upload_root {
            text.extend([" --upload-root ", &root.display().to_string()]);
        }
        context.ui.tell(Style::Faint, text);
    }
    Ok(page)
}
