//! A run over one page file, or over a text that stands for one: `links slots plan`, `links slots apply`, `links slots edit` and `links undo`.

use std::path::PathBuf;

use links_pages::apply::{Applied, OpenPage, PageRequest, RetainReason, Run, RunSettings};
use links_pages::sync::RemoteChange;
use links_sdk::Client;

use super::confirm::{self, Consent};
use super::pages_run::{PageInput, PagesRun, file_diagnostics_or};
use super::report::recorded;
use super::request::Allowed;
use super::state::{AccountState, PageState};
use crate::apply::apply_args::ApplyArgs;
use crate::apply::dry_run::{check_on_service, nothing_changed, requests, with_notes};
use crate::apply::execute::{AT_ONCE, interrupted};
use crate::apply::fail_on::FailOn;
use crate::apply::known_forms::KnownForms;
use crate::apply::planned::PlannedPage;
use crate::apply::report::{report, shown, summary};
use crate::apply::run_failure::RunFailure;
use crate::apply::saved_plan::ApplySource;
use crate::apply::sync::{self, Since, SyncRecord};
use crate::apply::{locked, runs};
use crate::args::flags::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal;
use crate::output::dry_run::DryRun;
use crate::output::{CommandOutput, Style, StyledLine};
use crate::ui::Ui;

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
    let is_restore = apply_args.kept_reason.is_some();
    let (mut run, request, source) = of_page(context, source, apply_args, seen).await?;
    (run.state.resume, run.state.resume_unplanned) =
        (resume, "run the same command again, or discard the run with --abort");
    let running = run.running.clone();
    let applied = Box::pin(applied(&mut run, request, source, settings, ask));
    let Some(ended) = running.watch(applied).await else {
        let done = run.state.pages.pop().map(|page| page.done).unwrap_or_default();
        return Err(interrupted(&done, AT_ONCE, resume));
    };
    let result = ended?;
    let PagesRun { context, mut state, .. } = run;
    let applied = result.map_err(|failure| state.page_error(context, 0, failure))?;
    match state.pages.pop().and_then(|page| page.planned) {
        Some(planned) => Ok(completed(context, applied, planned, is_restore)),
        None => Err(CommandError::internal("a run without a plan")),
    }
}

/// Opens, confirms and executes the run. The error of a run that did not reach its plan, else the result of its page.
async fn applied(
    run: &mut PagesRun<'_>,
    request: PageRequest,
    source: PageInput,
    settings: RunSettings,
    ask: bool,
) -> Result<Result<Applied, RunFailure>, CommandError> {
    let found = Run::begin(&run.state.client, vec![request], settings).await;
    let found = found.map_err(|error| run.state.not_run(error))?;
    let open = run.open(&found, vec![source]).await?;
    check_lock_user(run).await?;
    let mut open = run.end_unchanged(open).await;
    if run.has_changes(&open) {
        run.check_plans(&open)?;
        run.confirm_lock_only(&open)?;
        let asked = confirm(run, &open, ask).await?;
        run.prepare(&mut open, asked).await?;
    }
    let results = run.execute(open).await;
    results.into_iter().next().ok_or_else(|| CommandError::internal("a run without a page"))
}

/// Shows the plan, and asks about deletes and uploads, or about every change. Returns whether the user was asked.
async fn confirm(run: &PagesRun<'_>, open: &[OpenPage], ask: bool) -> Result<bool, CommandError> {
    let Some(planned) = run.state.planned().next() else { return Ok(false) };
    let summary = std::iter::once(planned.summary()).chain(planned.created_again_note());
    for line in planned.lines().into_iter().chain(summary) {
        run.context.ui.say(&line);
    }
    // A login that an undo changes back was confirmed before.
    let allowed = Allowed { allow_create: 0, allow_rename: true };
    let consent = Consent { allowed, yes: run.apply_args.yes, asks: ask };
    confirm::confirm(run.context, &run.state, open, consent).await
}

/// Refuses a `links.lock` of another user, which may send a request that counts for the plan.
async fn check_lock_user(run: &mut PagesRun<'_>) -> Result<(), CommandError> {
    run.check_lock_user().await?;
    let sent = run.state.client.requests_sent();
    run.state.pages.iter_mut().filter_map(|page| page.planned.as_mut()).for_each(|planned| {
        planned.sent = sent;
    });
    Ok(())
}

/// Returns the run over a page, with its request and what it is made from.
async fn of_page(
    context: &mut Context,
    ApplySource { file, saved, path, opened }: ApplySource,
    apply_args: ApplyArgs,
    made_for: Option<String>,
) -> Result<(PagesRun<'_>, PageRequest, PageInput), CommandError> {
    let client: Client =
        context.client().await.map_err(|failure| file_diagnostics_or(&file, failure))?;
    let record = match (opened, path.as_deref()) {
        (Some(text), _) => Some(SyncRecord::opened(context, text)),
        (None, Some(path)) => SyncRecord::of(context, path)?,
        (None, None) => None,
    };
    if apply_args.locked {
        locked::check(&file, record.as_deref())?;
    }
    if let Some(names) = file.left_out_words() {
        let text = format!("only slots are written; left out: {names}");
        context.ui.say(&StyledLine::new(Style::Faint, text));
    }
    let recorded = record.as_deref().and_then(|record| record.page_key(&file));
    let key = recorded.unwrap_or_else(|| file.page.profile.clone());
    let request = PageRequest { keys: vec![key], path: None, may_create: false };
    let page = PageState::new(path.unwrap_or_else(|| PathBuf::from(file.document.name())));
    let state = AccountState::new(client, vec![page], Vec::new(), Vec::new());
    let known = KnownForms::of(apply_args.locked);
    let source = PageInput { file, record, saved, made_for, tells_problems: true };
    Ok((PagesRun::new(context, state, apply_args, known), request, source))
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

/// Reads the page of a file and makes a plan. Nothing is sent before the file is known to be valid.
pub(crate) async fn planned(
    context: &mut Context,
    source: ApplySource,
    apply_args: &ApplyArgs,
) -> Result<PlannedPage, CommandError> {
    let settings = runs::settings(context);
    let (mut run, request, source) = of_page(context, source, apply_args.clone(), None).await?;
    let found = Run::plan(&run.state.client, vec![request], settings).await;
    let found = found.map_err(|error| run.state.not_run(error))?;
    run.open(&found, vec![source]).await?;
    check_lock_user(&mut run).await?;
    let page = run.state.pages.pop();
    page.and_then(|page| page.planned).ok_or_else(|| CommandError::internal("no plan was made"))
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
    Ok(with_notes(shown(planned, FailOn::Pending, true), notes))
}

/// Tells the user about slots that the file does not mention and that are kept without `--prune`.
fn report_kept_slots(ui: &Ui, planned: &PlannedPage) {
    let kept = planned.plan.kept.iter().filter(|it| it.reason == RetainReason::NotInFile);
    // What others made since a text was opened, an edit never deletes.
    let opened = planned.merged.as_ref().filter(|merged| merged.since == Since::Opened);
    let remote = opened.into_iter().flat_map(|merged| &merged.merge.remote);
    let made = remote.filter(|it| matches!(it, RemoteChange::Made { .. })).count();
    let stays = kept.count().saturating_sub(made);
    let what = match stays {
        0 => return,
        1 => "1 slot that the file does not mention stays".to_owned(),
        stays => format!("{stays} slots that the file does not mention stay"),
    };
    ui.say(&StyledLine::new(
        Style::Faint,
        format!("{what}; --prune deletes what is not mentioned"),
    ));
}
