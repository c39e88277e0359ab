//! Page files and form files together: `links plan`, `links apply` and `links pull`.

pub(crate) mod absent_files;
mod confirm;
pub(crate) mod estimate;
pub(crate) mod files;
mod form_finder;
pub(crate) mod forms;
pub(crate) mod live_page;
mod notes;
pub(crate) mod one_page;
mod pages_run;
pub(crate) mod pull;
mod report;
mod request;
mod rows;
mod saved_account;
#[cfg(feature = "sandbox")]
pub(crate) mod shadow_run;
mod state;
pub(crate) mod summary;

use std::path::PathBuf;
use std::rc::Rc;

use absent_files::AbsentFile;
use confirm::{Consent, confirm};
use files::AccountFiles;
use links_pages::apply::{Applied, PageRequest, Run, RunSettings};
use pages_run::{PageInput, PagesRun};
use report::{applied, plan_lines, shown};
pub(crate) use request::{AccountRequest, Allowed, FilesArgs};
use saved_account::SavedAccount;

use crate::apply::dry_run::{
    check_on_service, listed, nothing_changed, requests_of_new_page, unsent_requests, with_notes,
};
use crate::apply::execute::AT_ONCE;
use crate::apply::fail_on::FailOn;
use crate::apply::run_failure::RunFailure;
use crate::apply::run_progress::RunProgress;
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal;
use crate::output::dry_run::DryRun;
use crate::output::{CommandOutput, Style, StyledLine};
use crate::ui::annotations::Annotate;

/// Where a plan goes, and what its exit code depends on.
#[derive(Debug)]
pub(crate) struct PlanOutputs {
    pub(crate) fail_on: FailOn,
    /// File for `links apply --plan`.
    pub(crate) out: Option<PathBuf>,
    /// File that the plan is appended to, in Markdown; `-` for standard output.
    pub(crate) summary: Option<PathBuf>,
    pub(crate) annotate: Option<Annotate>,
}

/// Reads the pages and forms of the files and shows what `links apply` would do.
pub(crate) async fn plan(
    context: &mut Context,
    request: AccountRequest,
    outputs: PlanOutputs,
) -> Result<CommandOutput, CommandError> {
    let PlanOutputs { fail_on, out, summary, annotate } = outputs;
    summary::check(summary.as_deref(), context.settings.output)?;
    let settings = runs::settings(context);
    let mut session = Box::pin(planned(context, &request, settings)).await?;
    session.check_logins().await?;
    fail_on.check_all(session.state.planned())?;
    if let Some(path) = &out {
        SavedAccount::of(&session.state, &session.apply_args, path).write(path)?;
        let text = format!("plan written to {0}: links apply --plan {0}", path.display());
        session.context.ui.say(&StyledLine::new(Style::Faint, text));
    }
    let markdown = summary.as_ref().map(|_| summary::described(&plan_lines(&session.state)));
    if let Some(annotate) = annotate {
        notes::annotate(annotate, &session.state);
    }
    let output = shown(session.state, fail_on);
    match (summary, markdown) {
        (Some(path), Some(markdown)) => summary::put(&path, markdown, output),
        _ => Ok(output),
    }
}

/// Reads the files, the forms and the pages, and plans.
async fn planned<'c>(
    context: &'c mut Context,
    request: &AccountRequest,
    settings: RunSettings,
) -> Result<PagesRun<'c>, CommandError> {
    let (saved, files) = read(context, request)?;
    let (mut session, pages, sources) =
        PagesRun::of_files(context, files, saved, request.apply_args.clone()).await?;
    let run = Run::plan(&session.state.client, pages, settings).await;
    let run = run.map_err(|error| session.state.not_run(error))?;
    session.open(&run, sources).await?;
    session.check_lock_user().await?;
    Ok(session)
}

/// Plans, and shows the requests or asks the service whether it would accept them.
pub(crate) async fn dry_run(
    context: &mut Context,
    request: AccountRequest,
    how: DryRun,
) -> Result<CommandOutput, CommandError> {
    let mut session = Box::pin(planned(context, &request, RunSettings::new())).await?;
    session.check_logins().await?;
    if how == DryRun::Request {
        let mut shown = Vec::new();
        for form in session.state.forms.iter().filter(|form| !form.plan.is_empty()) {
            shown.push(form.unsent_request(&session.state.client).await?);
        }
        for planned in session.state.planned() {
            if planned.page.exists() {
                shown.extend(unsent_requests(planned).await?);
            } else {
                shown.extend(requests_of_new_page(planned).await?);
            }
        }
        let exit = if shown.is_empty() { Exit::Ok } else { Exit::No };
        return Ok(listed(shown).exit(exit));
    }
    for form in session.state.forms.iter().filter(|form| !form.plan.is_empty()) {
        form.check(&session.state.client).await?;
    }
    let mut notes = Vec::new();
    for planned in session.state.planned().filter(|planned| planned.page.exists()) {
        notes.extend(check_on_service(planned).await?);
    }
    notes.push(nothing_changed());
    Ok(with_notes(shown(session.state, FailOn::Pending), notes))
}

/// Makes the pages and forms match the files.
pub(crate) async fn apply(
    context: &mut Context,
    request: AccountRequest,
) -> Result<CommandOutput, CommandError> {
    let settings = runs::write_settings(context, journal::command(context, "apply"))?
        .wait(request.wait)
        .allow_emptied(request.apply_args.allow_empty);
    let (saved, files) = read(context, &request)?;
    apply_files(context, request, settings, saved, files).await
}

/// Makes the page of a text match it. The request names no paths.
#[cfg(feature = "sandbox")]
pub(crate) async fn apply_text(
    context: &mut Context,
    request: AccountRequest,
    files: AccountFiles,
) -> Result<CommandOutput, CommandError> {
    let settings = runs::write_settings(context, journal::command(context, "apply"))?;
    apply_files(context, request, settings, None, files).await
}

async fn apply_files(
    context: &mut Context,
    request: AccountRequest,
    settings: RunSettings,
    saved: Option<SavedAccount>,
    files: AccountFiles,
) -> Result<CommandOutput, CommandError> {
    let AccountRequest { apply_args, allowed, .. } = request;
    let consent = Consent { allowed, yes: apply_args.yes, asks: false };
    let (mut session, pages, sources) =
        PagesRun::of_files(context, files, saved, apply_args).await?;
    let running: Rc<RunProgress> = session.running.clone();
    let run = Box::pin(run(&mut session, pages, sources, settings, consent));
    let Some(ended) = running.watch(run).await else {
        return Err(session.state.interrupted(AT_ONCE, Vec::new()));
    };
    let ended = ended?;
    applied(session.context, session.state, ended)
}

/// Opens, confirms and executes a run. Returns a result for each page.
async fn run(
    session: &mut PagesRun<'_>,
    pages: Vec<PageRequest>,
    sources: Vec<PageInput>,
    settings: RunSettings,
    consent: Consent,
) -> Result<Vec<Result<Applied, RunFailure>>, CommandError> {
    let run = Run::begin(&session.state.client, pages, settings).await;
    let run = run.map_err(|error| session.state.not_run(error))?;
    let open = session.open(&run, sources).await?;
    session.check_lock_user().await?;
    let mut open = session.end_unchanged(open).await;
    if session.has_changes(&open) {
        session.check_plans(&open)?;
        session.check_fields(&open).await?;
        session.confirm_lock_only(&open)?;
        session.state.is_shown = true;
        for line in plan_lines(&session.state) {
            session.context.ui.say(&line);
        }
        let asked = confirm(session.context, &session.state, &open, consent).await?;
        session.prepare(&mut open, asked).await?;
    }
    Ok(session.execute(open).await)
}

/// Reads the files, or the saved plan with the files that it was made from.
fn read(
    context: &Context,
    request: &AccountRequest,
) -> Result<(Option<SavedAccount>, AccountFiles), CommandError> {
    let roots = &request.apply_args.upload_root;
    let (saved, files) = match &request.plan {
        Some(plan) => {
            let (saved, files) = SavedAccount::read(plan, roots)?;
            (Some(saved), files)
        }
        None => (None, AccountFiles::read(&request.paths, roots)?),
    };
    if files.is_empty() {
        let failure = CommandError::new(Exit::Usage, "there is no page file and no form file");
        let absent = AbsentFile::below(context, &files.directories)?;
        let words = absent.first().map(AbsentFile::words);
        return Err(failure.with_hint(words.unwrap_or_else(|| {
            "a page begins with `profile: LOGIN`, a form with `form: NAME`; `links pull LOGIN -O FILE` writes one".to_owned()
        })));
    }
    Ok((saved, files))
}
