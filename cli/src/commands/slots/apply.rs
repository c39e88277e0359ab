//! `links slots plan` and `links slots apply`: show what would be written to the slots of a page, and make them match a file or a saved plan.

use crate::account::request::RunSource;
use crate::account::saved_plan::lock_of;
use crate::account::{self, PlanOutputs};
use crate::apply::apply_args::{ApplyArgs, RunOptions, SyncArgs};
use crate::apply::sync::{LockStore, note_on_input};
use crate::apply::{runs, unfinished_runs};
use crate::commands::prelude::*;
use links_pages::apply::RunCommand;

// A page file, and what is made of it. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct SlotsFileArgs {
    /// The page file, YAML or JSON (`-`: standard input)
    file: Option<PathBuf>,
    /// Take a plan of `links slots plan --out` instead, if it can still be carried out (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "file", value_hint = clap::ValueHint::FilePath)]
    plan: Option<PathBuf>,
    /// Refuse a file or a plan that is for another page than this one
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse, hide_short_help = true)]
    profile: Option<ProfileKey>,
    #[command(flatten)]
    flags: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
}

#[derive(Args, Debug)]
#[command(examples = ["links slots plan cafe.yaml", "links slots plan cafe.yaml --prune -o json"])]
pub(crate) struct SlotsPlanArgs {
    #[command(flatten)]
    file: SlotsFileArgs,
    #[command(flatten)]
    outputs: PlanOutputs,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Debug)]
#[command(long_examples = ["links slots apply cafe.yaml", "links slots apply cafe.yaml --prune --yes --max-deletes 5"])]
pub(crate) struct SlotsApplyArgs {
    #[command(flatten)]
    file: SlotsFileArgs,
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

impl SlotsFileArgs {
    /// Returns the files that the arguments name. `writes` tells whether their lock is written.
    fn named_files(&self, writes: bool) -> NamedFiles {
        let named = NamedFiles { read: self.flags.upload_root.clone(), write: Vec::new() };
        let Some(file) = self.file.as_ref().or(self.plan.as_ref()) else { return named };
        let mut named = named.with_directory(file);
        let locks = [LockStore::of(file), lock_of(file)];
        let access = if writes { &mut named.write } else { &mut named.read };
        access.extend(locks.into_iter().flatten().map(|it| it.path()));
        named
    }

    /// Reads the page file or the plan, if there is one, and returns the options of its run.
    fn read(self, command: RunCommand) -> Result<(Option<RunSource>, RunOptions), CommandError> {
        let Self { file, plan, profile, flags, sync } = self;
        let mut options = RunOptions {
            flags,
            sync,
            command,
            is_one_page: true,
            profiles: profile.into_iter().collect(),
            ..RunOptions::default()
        };
        let source = match (file, plan) {
            (Some(file), _) => {
                let source = RunSource::slots(&file, &options)?;
                let is_file = file.as_os_str() != "-";
                options.path = is_file.then(|| runs::recorded_path(&file));
                Some(source)
            }
            (None, Some(plan)) => Some(RunSource::plan(&plan, &mut options)?),
            (None, None) => None,
        };
        Ok((source, options))
    }
}

impl SlotsPlanArgs {
    /// Returns the files that the arguments name.
    pub(crate) fn named_files(&self) -> NamedFiles {
        let mut named = self.file.named_files(false);
        named.write.extend(self.outputs.files());
        named
    }
}

impl SlotsApplyArgs {
    /// Returns what the command needs before it may write, where writes have to be planned before.
    pub(crate) fn plan_rule(&self) -> PlanRule {
        if self.file.plan.is_some() { PlanRule::HasPlan } else { PlanRule::SavedPlan }
    }

    /// Returns the files that the arguments name.
    ///
    /// # Errors
    ///
    /// When the files are not known beforehand, with the reason.
    pub(crate) fn named_files(&self) -> Result<NamedFiles, &'static str> {
        if self.resume && self.file.file.is_none() && self.file.plan.is_none() {
            return Err("the journal of the run names its page file");
        }
        Ok(self.file.named_files(!self.locked))
    }
}

pub(super) async fn plan(
    context: &mut Context,
    args: SlotsPlanArgs,
) -> Result<CommandOutput, CommandError> {
    let SlotsPlanArgs { file, outputs } = args;
    let annotate = outputs.annotate;
    let planned = match read(context, file, "slots plan") {
        Ok((Some(source), options)) => account::plan(context, source, options, outputs).await,
        Ok((None, _)) => Err(no_file()),
        Err(failure) => Err(failure),
    };
    planned.inspect_err(|failure| annotate.iter().for_each(|it| it.failure(failure)))
}

/// Reads the files of a command, after a note about a file on standard input.
fn read(
    context: &Context,
    file: SlotsFileArgs,
    command: &str,
) -> Result<(Option<RunSource>, RunOptions), CommandError> {
    let note = file.file.as_deref().and_then(note_on_input);
    let read = file.read(journal::command(context, command))?;
    if let Some(note) = note {
        context.ui.say(&note);
    }
    Ok(read)
}

pub(super) async fn apply(
    context: &mut Context,
    args: SlotsApplyArgs,
) -> Result<CommandOutput, CommandError> {
    let SlotsApplyArgs { file, locked, wait, status, resume, abort, dry_run } = args;
    let (mut source, options) = read(context, file, "slots apply")?;
    let mut options = RunOptions { locked, wait, ..options };
    if status || resume || abort {
        let named = source.as_ref().and_then(RunSource::page).map(|file| &file.page.profile);
        let key = options.profiles.first().or(named);
        if status {
            return unfinished_runs::status(context, key);
        }
        if abort {
            return unfinished_runs::abort(context, key);
        }
        let opening = unfinished_runs::only(context, key)?;
        options.flags.prune |= opening.prune;
        options.flags.prune_unsupported |= opening.prune_unsupported;
        if let Some(run) = &opening.sync {
            options.sync.overwrite |= run.overwrite;
            options.sync.exact |= run.exact;
            options.locked |= run.locked;
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
            source = Some(resumed(Path::new(&recorded), &options)?);
            options.path = Some(recorded);
        }
    }
    let source = source.ok_or_else(no_file)?;
    context.writer(dry_run).await?;
    account::apply(context, source, options).await
}

fn no_file() -> CommandError {
    CommandError::usage("no page file is given").with_hint("pass one, or a plan with --plan")
}

/// Reads the page file of a run that is resumed.
fn resumed(path: &Path, options: &RunOptions) -> Result<RunSource, CommandError> {
    RunSource::slots(path, options).map_err(|failure| {
        if path.exists() {
            return failure;
        }
        failure.with_hint("if the file was moved: links slots apply --resume FILE")
    })
}
