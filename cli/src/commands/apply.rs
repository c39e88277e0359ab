//! `links plan` and `links apply`, and those of `links slots`: show what would be written to pages and forms, and make them match their files or
//! a saved plan.

use std::num::NonZeroUsize;

use super::prelude::*;
use crate::account::file_filter::FileFilter;
use crate::account::request::RunSource;
use crate::account::saved_plan::page_of;
use crate::account::{self, PlanOutputs, page_files, summary, unchanged};
use crate::apply::apply_args::{Allowed, ApplyArgs, RunOptions, SyncArgs};
use crate::apply::sync::{LockStore, note_on_input};
use crate::apply::unfinished_runs;
use crate::lint::rule_file;

// Files, and what is made of them. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct FilesArgs {
    /// Files, directories, or pages that have a file; by default, all files in the directory of links.lock
    #[arg(value_name = "PATH|KEY", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PageWord>,
    /// Only allow changes to this page (repeatable)
    #[arg(long, value_name = "KEY", hide_short_help = true, help_heading = "Input")]
    only: Vec<PageKey>,
    #[command(flatten)]
    filter: FileFilter,
    #[command(flatten)]
    flags: ApplyArgs,
    #[command(flatten)]
    sync: SyncArgs,
    /// Post the status again if it has expired
    #[arg(long, hide_short_help = true, help_heading = "Conflicts and sync")]
    renew_status: bool,
    /// Number of accounts at a time, for the paths of several accounts
    #[arg(long, value_name = "N", default_value_t = JOBS, value_parser = jobs, hide_short_help = true, help_heading = "Input")]
    jobs: NonZeroUsize,
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
    /// Apply a plan saved by `links plan --out` (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "paths")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    allowed: Allowed,
    /// Fail if a page, form or image is not in links.lock, and don't change links.lock
    #[arg(long, hide_short_help = true, help_heading = "Conflicts and sync")]
    locked: bool,
    /// Wait for other runs on the same pages instead of failing
    #[arg(long, hide_short_help = true, help_heading = "Conflicts and sync")]
    wait: bool,
    #[command(flatten)]
    operation: OperationArgs,
}

impl FilesArgs {
    /// Returns the words of a command that asks nothing. `cannot` is the reason why it is for one account only.
    fn account_words(&mut self, cannot: Option<&'static str>) -> AccountWords<'_> {
        AccountWords { words: &mut self.paths, jobs: self.jobs, cannot, asks: false, summary: None }
    }

    /// Returns the files that the arguments name. `writes` tells whether their locks are written.
    fn named_files(&self, writes: bool) -> NamedFiles {
        page_files::named(self.paths.clone(), &self.flags.upload_root, writes)
    }

    /// Returns the paths, and options that allow nothing that cannot be undone. Checks the hosts of URLs.
    async fn options(
        self,
        context: &mut Context,
    ) -> Result<(Vec<PageWord>, FileFilter, RunOptions)> {
        let Self { paths, only, filter, flags, sync, renew_status, jobs: _ } = self;
        for key in &only {
            key.check_host(context).await?;
        }
        page::check_hosts(context, &paths).await?;
        let profiles = only.iter().map(|key| (**key).clone()).collect();
        let options = RunOptions { flags, sync, profiles, renew_status, ..RunOptions::default() };
        Ok((paths, filter, options))
    }
}

impl PlanArgs {
    pub(super) fn account_words(&mut self) -> AccountWords<'_> {
        let cannot = self.outputs.out.as_ref().map(|_| "--out saves one plan");
        let summary = summary::file(self.outputs.summary.as_ref());
        AccountWords { summary, ..self.files.account_words(cannot) }
    }

    pub(super) fn rules(&self) -> CommandRules {
        plan_rules(self.files.named_files(false), &self.outputs)
    }
}

impl ApplyCommandArgs {
    pub(super) fn account_words(&mut self) -> Option<AccountWords<'_>> {
        let out = self.operation.operation_out.as_ref();
        let cannot = out.map(|_| "--operation-out saves one operation");
        let asks = !self.files.flags.yes && self.operation.dry_run.dry_run.is_none();
        let words = AccountWords { asks, ..self.files.account_words(cannot) };
        self.plan.is_none().then_some(words)
    }

    pub(super) fn rules(&self) -> CommandRules {
        let files = match self.plan {
            Some(_) => Err("only the saved plan names the page files"),
            None => Ok(self.files.named_files(!self.locked)),
        };
        apply_rules(self.plan.as_ref(), files, &self.operation)
    }
}

/// Returns the rules of a command that shows a plan of these files.
fn plan_rules(mut named: NamedFiles, outputs: &PlanOutputs) -> CommandRules {
    named.write.extend(outputs.files());
    CommandRules::confined(Ok(named))
}

/// Returns the rules of a command that carries out a plan. Its files are named, unless they are not known beforehand, with the reason.
fn apply_rules(
    plan: Option<&PathBuf>,
    mut files: Result<NamedFiles, &'static str>,
    operation: &OperationArgs,
) -> CommandRules {
    if let Ok(named) = &mut files {
        named.write.extend(operation.operation_out.clone());
    }
    let plan = if plan.is_some() { PlanRule::HasPlan } else { PlanRule::SavedPlan };
    CommandRules { plan, ..CommandRules::confined(files) }
}

pub(super) async fn plan(context: &mut Context, args: PlanArgs) -> CommandResult {
    let (paths, filter, mut options) = args.files.options(context).await?;
    let paths = page_files::paths(context, paths);
    if let (Ok(paths), true) = (&paths, args.outputs.is_shown() && filter.takes_all())
        && let Some(output) = unchanged::output(context, paths, &mut options, false).await
    {
        return Ok(output);
    }
    let source = paths
        .and_then(|paths| RunSource::files(context, &paths, &options.flags.upload_root, &filter));
    show_plan(context, source, options, args.outputs).await
}

/// Shows the plan of what was read, with annotations of a failure.
async fn show_plan(
    context: &mut Context,
    source: Result<RunSource>,
    options: RunOptions,
    outputs: PlanOutputs,
) -> CommandResult {
    let annotate = outputs.annotate;
    let planned = match source {
        Ok(source) => account::plan(context, source, options, outputs).await,
        Err(failure) => Err(failure),
    };
    planned.inspect_err(|failure| annotate.iter().for_each(|it| it.failure(failure)))
}

pub(super) async fn apply(context: &mut Context, args: ApplyCommandArgs) -> CommandResult {
    let ApplyCommandArgs { files, plan, allowed, locked, wait, operation } = args;
    operation_file::writer(context, operation).await?;
    let (paths, filter, options) = files.options(context).await?;
    let command = journal::command(context);
    let mut options = RunOptions { allowed, command, locked, wait, ..options };
    let source = match plan {
        Some(plan) => RunSource::plan(context, &plan, &mut options)?,
        None => {
            let paths = page_files::paths(context, paths)?;
            if context.dry_run().is_none()
                && filter.takes_all()
                && let Some(output) = unchanged::output(context, &paths, &mut options, true).await
            {
                return Ok(output);
            }
            RunSource::files(context, &paths, &options.flags.upload_root, &filter)?.all_usable()?
        }
    };
    account::apply(context, source, options).await
}

// A page file, and what is made of it. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct SlotsFileArgs {
    /// Page file, in YAML or JSON (`-`: standard input)
    file: Option<PathBuf>,
    /// Use a plan saved by `links slots plan --out` (`-`: standard input)
    #[arg(long, value_name = "PLAN", conflicts_with = "file")]
    plan: Option<PathBuf>,
    /// Only allow changes to this page
    #[arg(long, value_name = "KEY", hide_short_help = true, help_heading = "Input")]
    only: Option<PageKey>,
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
    /// Fail if a page, form or image is not in links.lock, and don't change links.lock
    ///
    /// New values are recorded in this machine's state directory until you apply without --locked, which writes them to links.lock. Until then, other machines treat them as changes made on the page.
    #[arg(long, hide_short_help = true, help_heading = "Conflicts and sync")]
    locked: bool,
    /// Wait for another run on the same page instead of failing
    #[arg(long, hide_short_help = true, help_heading = "Conflicts and sync")]
    wait: bool,
    /// List unfinished runs, and do nothing else
    #[arg(long, conflicts_with_all = ["resume", "abort"])]
    status: bool,
    /// Continue an unfinished run with its file and its options (--prune, --force, --exact, --locked)
    #[arg(long, conflicts_with = "abort")]
    resume: bool,
    /// Discard an unfinished run; its writes stay on the page
    #[arg(long, conflicts_with = "dry_run")]
    abort: bool,
    #[command(flatten)]
    operation: OperationArgs,
}

impl SlotsFileArgs {
    /// Returns the files that the arguments name. `writes` tells whether their lock is written.
    fn named_files(&self, writes: bool) -> NamedFiles {
        let mut named = NamedFiles { read: self.flags.upload_root.clone(), write: Vec::new() };
        let Some(file) = self.file.as_ref().or(self.plan.as_ref()) else { return named };
        let page = self.plan.as_deref().and_then(page_of);
        let locks = [LockStore::of(file), page.as_deref().and_then(LockStore::of)];
        // A page file may use files beneath the directory of its lock.
        named.read.extend(locks.iter().flatten().map(|lock| lock.directory().to_owned()));
        let rules = rule_file::of(page.as_ref().unwrap_or(file));
        named.read.extend(rules.filter(|path| !path.is_symlink()));
        let locks = locks.iter().flatten().map(LockStore::path).collect();
        named.with_all(std::slice::from_ref(file), locks, writes)
    }

    /// Returns the options of the run. Checks the host of a URL.
    async fn options(&self, context: &mut Context) -> Result<RunOptions> {
        if let Some(key) = &self.only {
            key.check_host(context).await?;
        }
        let is_file = |file: &&PathBuf| file.as_os_str() != "-";
        Ok(RunOptions {
            flags: self.flags.clone(),
            sync: self.sync,
            command: journal::command(context),
            is_one_page: true,
            path: self.file.as_ref().filter(is_file).map(|file| runs::recorded_path(file)),
            profiles: self.only.as_deref().cloned().into_iter().collect(),
            ..RunOptions::default()
        })
    }

    /// Returns the output if the file is as it was when there was nothing to do, and its page is, too.
    async fn unchanged(
        &self,
        context: &mut Context,
        options: &mut RunOptions,
        writes: bool,
    ) -> Option<CommandOutput> {
        let file = self.file.as_ref()?;
        unchanged::output(context, std::slice::from_ref(file), options, writes).await
    }

    /// Reads the page file or the plan, if there is one. A file on standard input gets a note.
    fn read(&self, context: &Context, options: &mut RunOptions) -> Result<Option<RunSource>> {
        let source = match (&self.file, &self.plan) {
            (Some(file), _) => Some(RunSource::slots(context, file, options)?),
            (None, Some(plan)) => Some(RunSource::plan(context, plan, options)?),
            (None, None) => None,
        };
        if let Some(note) = self.file.as_deref().and_then(note_on_input) {
            context.ui.say(&note);
        }
        Ok(source)
    }
}

impl SlotsPlanArgs {
    pub(super) fn rules(&self) -> CommandRules {
        plan_rules(self.file.named_files(false), &self.outputs)
    }
}

impl SlotsApplyArgs {
    pub(super) fn rules(&self) -> CommandRules {
        let files = match (&self.file.file, &self.file.plan) {
            (None, None) if self.resume => Err("only the journal of the run names the page file"),
            _ => Ok(self.file.named_files(!self.locked)),
        };
        apply_rules(self.file.plan.as_ref(), files, &self.operation)
    }
}

pub(super) async fn plan_slots(context: &mut Context, args: SlotsPlanArgs) -> CommandResult {
    let mut options = args.file.options(context).await?;
    if args.outputs.is_shown()
        && let Some(output) = args.file.unchanged(context, &mut options, false).await
    {
        return Ok(output);
    }
    let source = args.file.read(context, &mut options);
    let source = source.and_then(|source| source.ok_or_else(no_file));
    show_plan(context, source, options, args.outputs).await
}

pub(super) async fn apply_slots(context: &mut Context, args: SlotsApplyArgs) -> CommandResult {
    let SlotsApplyArgs { file, locked, wait, status, resume, abort, operation } = args;
    let mut options = RunOptions { locked, wait, ..file.options(context).await? };
    if !(status || resume || abort)
        && operation.dry_run.dry_run.is_none()
        && let Some(output) = file.unchanged(context, &mut options, true).await
    {
        // What the command would refuse is refused all the same.
        operation_file::writer(context, operation).await?;
        return Ok(output);
    }
    let mut source = file.read(context, &mut options)?;
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
            if let name @ ("slots rewrite" | "slots import") = opening.command.name.as_str() {
                let message =
                    format!("the run was started by `links {name}`, which has no page file");
                return Err(CommandError::usage(message)
                    .with_hint("run that command again to continue; `links log` shows it"));
            }
            let recorded = opening.path.ok_or_else(|| {
                CommandError::usage("no page file is recorded for the run")
                    .with_hint("pass the page file, or the plan with --plan")
            })?;
            let path = Path::new(&recorded);
            let moved = "if the file was moved, run `links slots apply --resume FILE`";
            let read = RunSource::slots(context, path, &options);
            source =
                Some(read.map_err(|failure| failure.hinted((!path.exists()).then_some(moved)))?);
            options.path = Some(recorded);
        }
    }
    let source = source.ok_or_else(no_file)?;
    operation_file::writer(context, operation).await?;
    account::apply(context, source, options).await
}

fn no_file() -> CommandError {
    CommandError::usage("no page file given").with_hint("pass one, or a plan with --plan")
}
