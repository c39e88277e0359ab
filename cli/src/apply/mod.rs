//! Apply engine: updates a page to match a page file, after settling interrupted runs, asking for confirmation and opening the journal.

pub(crate) mod apply_args;
pub(crate) mod confirm;
pub(crate) mod dry_run;
pub(crate) mod execute;
pub(crate) mod existing_file;
pub(crate) mod export;
pub(crate) mod fail_on;
pub(crate) mod image;
pub(crate) mod known_forms;
pub(crate) mod local_images;
pub(crate) mod lock_only;
pub(crate) mod locked;
pub(crate) mod page_host;
pub(crate) mod plan;
pub(crate) mod plan_file;
mod plan_target;
pub(crate) mod planned;
pub(crate) mod preflight;
pub(crate) mod problems;
pub(crate) mod report;
pub(crate) mod run_failure;
pub(crate) mod run_progress;
pub(crate) mod runs;
pub(crate) mod saved_plan;
pub(crate) mod schema_line;
mod session;
pub(crate) mod sync;
pub(crate) mod unfinished_runs;
pub(crate) mod uploads;
pub(crate) mod write_log;

use std::collections::BTreeMap;

use apply_args::ApplyArgs;
use confirm::report_kept_slots;
use dry_run::{check_on_service, nothing_changed, requests, with_notes};
use execute::{AT_ONCE, interrupted};
use fail_on::FailOn;
use links_sdk::SlotId;
use links_sdk::apply::{Applied, PageSnapshot};
use planned::PlannedPage;
use report::{report, shown, summary};
use run_failure::RunFailure;
use saved_plan::ApplySource;
use session::{ApplySession, session_error};
use sync::SyncRecord;

use crate::args::flags::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal;
use crate::output::dry_run::DryRun;
use crate::output::{CommandOutput, Style, StyledLine};
use crate::page_file::PageFile;
use crate::suggest::nearest;

/// Source and options of a run that updates a page.
pub(crate) struct ApplyRequest {
    pub(crate) source: ApplySource,
    /// Path of the file, recorded so that a later command finds the file again.
    pub(crate) path: Option<String>,
    pub(crate) apply_args: ApplyArgs,
    /// True if the run waits for another run on the same page.
    pub(crate) wait: bool,
    /// True if every change needs confirmation, not only deletes.
    pub(crate) ask: bool,
    /// Dry run options: whether anything is written, and what is shown instead.
    pub(crate) dry_run: DryRunArgs,
    /// Fingerprint of the page that the file was made for, if the file is for that page only.
    pub(crate) seen: Option<String>,
}

/// Updates a page to match a file.
pub(crate) async fn apply(
    context: &mut Context,
    request: ApplyRequest,
) -> Result<CommandOutput, CommandError> {
    context.writer(request.dry_run).await?;
    if let Some(how) = context.dry_run() {
        return Box::pin(dry_run_only(context, request, how)).await;
    }
    let ApplyRequest { source, path, apply_args, wait, ask, seen, .. } = request;
    let resume = match path {
        Some(_) => {
            "`links slots apply --resume` continues the run from the current state of the page"
        }
        None => {
            "run the same command again: it continues the run from the current state of the page"
        }
    };
    if let Some(text) = source.saved.as_ref().and_then(|it| it.note()) {
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    let command = match &apply_args.origin {
        Some(origin) => origin.command.clone(),
        None => journal::command(context, "slots apply"),
    };
    let settings = runs::write_settings(context, command)?
        .path(path)
        .wait(wait)
        .allow_emptied(apply_args.allow_empty);
    let (mut applying, key) = ApplySession::new(context, source, apply_args, ask).await?;
    applying.made_for = seen;
    let running = applying.running.clone();
    let page = applying.client.profile(key);
    let applied = page.apply_with(&mut applying).settings(settings);
    let ended = running.watch(Box::pin(applied.run())).await;
    let ApplySession { context, file, record, planned, done, apply_args, not_recorded, .. } =
        applying;
    if let Some(Err(failure)) = &ended
        && failure.is_stopped()
    {
        running.end_soon();
    }
    running.ended();
    drop(running);
    if let Some(text) = not_recorded {
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    match (ended, planned) {
        (Some(Ok(applied)), Some(planned)) => {
            Ok(completed(context, applied, planned, apply_args.kept_reason.is_some()))
        }
        (Some(Ok(_)), None) => Err(CommandError::internal("a run without a plan")),
        (Some(Err(failure)), planned) => {
            let resume = match planned {
                Some(_) => resume,
                None => "run the same command again, or discard the run with --abort",
            };
            let is_of_run = matches!(failure, RunFailure::Run(_));
            let refused = failure.refused_items();
            let error = session_error(failure, planned.as_ref(), file.as_ref(), resume);
            let error = with_page(context, error, record.as_deref(), file.as_ref());
            if let Some(planned) = planned.filter(|_| is_of_run && error.is_validation()) {
                context.forget_slot_types();
                planned.forget_images(context, &refused);
            }
            Err(error)
        }
        (None, _) => Err(interrupted(&done, AT_ONCE, resume)),
    }
}

/// Adds to the error of a page that is not there where it is recorded, or which page the file may mean. `record` and `file` are those of a page
/// that was not read.
fn with_page(
    context: &Context,
    error: CommandError,
    record: Option<&SyncRecord>,
    file: Option<&PageFile>,
) -> CommandError {
    if error.exit() != Exit::NotFound {
        return error;
    }
    let meant = || {
        let key = file?.page.profile.to_string();
        let meant = nearest(&key, context.known_logins()).filter(|meant| *meant != key)?;
        Some(format!("the file is for the page `{key}`: did you mean `{meant}`?"))
    };
    match record.and_then(SyncRecord::gone_hint).or_else(meant) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// Output of a run that was carried out and verified, which is recorded.
fn completed(
    context: &Context,
    applied: Applied,
    planned: PlannedPage,
    is_restore: bool,
) -> CommandOutput {
    let Applied { page, plan, done, run, .. } = applied;
    if plan.is_empty() && run.is_none() && !is_restore {
        report_kept_slots(&context.ui, &planned);
    }
    let mut report = report(&planned, &page, &done, run.as_deref());
    // A plan with changes was shown before they were made.
    if let (Some(merged), Some(lines)) = (&planned.merged, report.view.lines_mut())
        && planned.plan.is_empty()
    {
        lines.splice(0..0, sync::lines(merged));
    }
    if let Err(error) = recorded(context, &planned, &page, done.created) {
        let text = format!(
            "the page matches the file, but that could not be recorded: {error}; run the same command again"
        );
        context.ui.say(&StyledLine::new(Style::Removed, text));
        // Without a lock the next run knows from its journal what this one has written.
        if planned.record.as_ref().is_some_and(|it| it.is_in_lock()) {
            report.exit = Exit::Partial;
        }
    }
    planned.leave();
    report
}

/// Records that a page matches its file. `page` is the page after the run.
pub(crate) fn recorded(
    context: &Context,
    planned: &PlannedPage,
    page: &PageSnapshot,
    more: BTreeMap<usize, SlotId>,
) -> Result<(), CommandError> {
    let Some(record) = &planned.record else { return Ok(()) };
    let PlannedPage { file, images, options, merged, .. } = planned;
    let mut created = options.created.clone();
    created.extend(more);
    match merged {
        Some(merged) => record.store(context, (file, images), merged, page, &created, options),
        None => record.rebuild(context, file, images, page, options.types.clone()),
    }
}

/// Reads the page of a file and makes a plan. Nothing is sent before the file is known to be valid.
pub(crate) async fn planned(
    context: &mut Context,
    source: ApplySource,
    apply_args: &ApplyArgs,
) -> Result<PlannedPage, CommandError> {
    let settings = runs::settings(context);
    let (mut applying, key) = ApplySession::new(context, source, apply_args.clone(), false).await?;
    let page = applying.client.profile(key);
    let ended = page.apply_with(&mut applying).settings(settings).plan().await;
    match (ended, applying.planned) {
        (Ok(_), Some(planned)) => Ok(planned),
        (Ok(_), None) => Err(CommandError::internal("no plan was made")),
        (Err(failure), planned) => {
            let error = session_error(failure, planned.as_ref(), applying.file.as_ref(), "");
            let (record, file) = (applying.record.as_deref(), applying.file.as_ref());
            Err(with_page(applying.context, error, record, file))
        }
    }
}

/// Carries out a dry run: the service validates the changes, or the requests are shown.
async fn dry_run_only(
    context: &mut Context,
    request: ApplyRequest,
    how: DryRun,
) -> Result<CommandOutput, CommandError> {
    let planned = planned(context, request.source, &request.apply_args).await?;
    if how == DryRun::Request {
        summary(&planned).for_each(|line| context.ui.say(&line));
        return requests(&planned).await;
    }
    let mut notes = check_on_service(&planned).await?;
    notes.push(nothing_changed());
    Ok(with_notes(shown(planned, FailOn::Pending), notes))
}
