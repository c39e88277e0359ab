//! `links slots apply`: updates a page to match a file, or carries out a saved plan.

use std::path::{Path, PathBuf};

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::one_page::{ApplyRequest, apply};
use crate::apply::apply_args::{ApplyArgs, SyncArgs};
use crate::apply::saved_plan::{self, ApplySource};
use crate::apply::sync::{LockStore, note_on_input};
use crate::apply::{runs, unfinished_runs};
use crate::args::flags::DryRunArgs;
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::context::plan_first::PlanRule;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use links_pages::profile_key;

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Debug)]
#[command(long_examples = ["links slots apply cafe.yaml", "links slots apply cafe.yaml --prune --yes --max-deletes 5"])]
pub(crate) struct SlotsApplyArgs {
    /// The page file, YAML or JSON (`-`: standard input)
    #[arg(required_unless_present_any = ["plan", "status", "resume", "abort"])]
    file: Option<PathBuf>,
    /// Carry out a plan of `links slots plan --out` instead (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "file", value_hint = clap::ValueHint::FilePath)]
    plan: Option<PathBuf>,
    /// Refuse a file or a plan that is for another page than this one
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Option<ProfileKey>,
    #[command(flatten)]
    apply_args: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Refuse a page, form or image that links.lock does not have, and leave links.lock as it is
    ///
    /// What is written is recorded in the state directory of this machine, until an apply of the file without --locked writes it to links.lock. On
    /// other machines it counts as changed on the page until then.
    #[arg(long, hide_short_help = true)]
    locked: bool,
    /// Wait for another run on the same page instead of refusing
    #[arg(long, hide_short_help = true)]
    wait: bool,
    /// List unfinished runs, and do nothing else
    #[arg(long, conflicts_with_all = ["resume", "abort"])]
    status: bool,
    /// Continue an unfinished run, with its file and its options --prune, --overwrite, --exact and --locked
    #[arg(long, conflicts_with = "abort")]
    resume: bool,
    /// Discard an unfinished run; what it has written stays on the page
    #[arg(long, conflicts_with = "dry_run")]
    abort: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

impl SlotsApplyArgs {
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
        let named = NamedFiles { read: self.apply_args.upload_root.clone(), write: Vec::new() };
        match self.file.as_ref().or(self.plan.as_ref()) {
            Some(file) => {
                let mut named = named.with_directory(file);
                let locks = [LockStore::of(file), saved_plan::lock_of(file)];
                let lock = locks.into_iter().flatten().map(|it| it.path());
                let access = if self.locked { &mut named.read } else { &mut named.write };
                access.extend(lock);
                Ok(named)
            }
            None if self.resume => Err("the journal of the run names its page file"),
            None => Ok(named),
        }
    }
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsApplyArgs,
) -> Result<CommandOutput, CommandError> {
    let SlotsApplyArgs {
        file,
        plan,
        profile,
        mut apply_args,
        sync,
        locked,
        wait,
        status,
        resume,
        abort,
        dry_run,
    } = args;
    (apply_args.sync, apply_args.locked) = (sync, locked);
    let roots = apply_args.upload_root.clone();
    let mut source = match (&file, &plan) {
        (Some(file), _) => Some(ApplySource::page(file, &roots, "apply")?),
        (None, Some(plan)) => Some(ApplySource::plan(plan, &roots, "apply")?),
        (None, None) => None,
    };
    let mut path = file.as_deref().filter(|it| it.as_os_str() != "-").map(runs::recorded_path);
    if status || resume || abort {
        let named = source.as_ref().map(|source| &source.file.page.profile);
        let key = profile.as_ref().or(named);
        if status {
            return unfinished_runs::status(context, key);
        }
        if abort {
            return unfinished_runs::abort(context, key);
        }
        let opening = unfinished_runs::only(context, key)?;
        apply_args.prune |= opening.prune;
        apply_args.prune_unsupported |= opening.prune_unsupported;
        if let Some(run) = &opening.sync {
            apply_args.sync.overwrite |= run.overwrite;
            apply_args.sync.exact |= run.exact;
            apply_args.locked |= run.locked;
        }
        if source.is_none() {
            let bulk = opening.command.as_ref().map(|command| command.name.as_str());
            if let Some(name @ ("slots rewrite" | "slots import")) = bulk {
                let message = format!("the run is one of `links {name}`, which has no page file");
                return Err(CommandError::usage(message).with_hint(
                    "run that command again: it continues; `links log` shows its words",
                ));
            }
            let recorded = opening.path.ok_or_else(|| {
                CommandError::usage(
                    "the run had no page file of its own; pass one, or its plan with --plan",
                )
            })?;
            source = Some(resumed(Path::new(&recorded), &roots)?);
            path = Some(recorded);
        }
    }
    let Some(source) = source else {
        return Err(CommandError::usage("no page file is given"));
    };
    if let Some(note) = file.as_deref().and_then(note_on_input) {
        context.ui.say(&note);
    }
    if let Some(saved) = &source.saved {
        saved.allow(&mut apply_args, resume)?;
    }
    apply_args.profiles = profile.into_iter().collect();
    apply(context, ApplyRequest { source, path, apply_args, wait, ask: false, dry_run, seen: None })
        .await
}

/// Reads the page file of a run that is resumed.
fn resumed(path: &Path, roots: &[PathBuf]) -> Result<ApplySource, CommandError> {
    ApplySource::page(path, roots, "apply --resume").map_err(|failure| {
        if path.exists() {
            return failure;
        }
        failure.with_hint("if the file was moved: links slots apply --resume FILE")
    })
}
