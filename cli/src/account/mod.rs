//! Page files and form files together: `links plan`, `links apply` and `links pull`.

mod confirm;
pub(crate) mod estimate;
pub(crate) mod files;
pub(crate) mod forms;
pub(crate) mod live_page;
mod notes;
pub(crate) mod pull;
mod report;
mod request;
mod saved_account;
mod session;
#[cfg(feature = "sandbox")]
pub(crate) mod shadow_run;
mod state;
pub(crate) mod summary;

use std::path::PathBuf;
use std::rc::Rc;

use files::AccountFiles;
use links_sdk::account::PageRequest;
use links_sdk::apply::RunSettings;
use report::{applied, plan_lines, shown};
pub(crate) use request::{AccountRequest, Allowed, FilesArgs};
use saved_account::SavedAccount;
use session::AccountSession;

use crate::apply::dry_run::{check_on_service, listed, requests_of_new_page, unsent_requests};
use crate::apply::fail_on::FailOn;
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
    /// File that the plan is appended to, in Markdown.
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
    let (mut session, pages) = session(context, &request).await?;
    plan_pages(&mut session, pages).await?;
    fail_on.check_all(session.state.planned())?;
    if let Some(path) = &out {
        SavedAccount::of(&session.state, path).write(path)?;
        let text = format!("plan written to {0}: links apply --plan {0}", path.display());
        session.context.ui.say(&StyledLine::new(Style::Faint, text));
    }
    if let Some(path) = &summary {
        summary::append(path, &plan_lines(&session.state)).map_err(|error| {
            CommandError::usage(format!("cannot write {}: {error}", path.display()))
        })?;
    }
    if let Some(annotate) = annotate {
        notes::annotate(annotate, &session.state);
    }
    Ok(shown(session.state, fail_on))
}

/// Reads the pages and plans, with what interrupted runs have done.
async fn plan_pages(
    session: &mut AccountSession<'_>,
    pages: Vec<PageRequest>,
) -> Result<(), CommandError> {
    let settings = runs::settings(session.context);
    let account = session.state.client.account();
    Box::pin(account.apply_with(pages, session).settings(settings).plan()).await?;
    Ok(())
}

/// Plans, and shows the requests or asks the service whether it would accept them.
pub(crate) async fn dry_run(
    context: &mut Context,
    request: AccountRequest,
    how: DryRun,
) -> Result<CommandOutput, CommandError> {
    let (mut session, pages) = session(context, &request).await?;
    let account = session.state.client.account();
    Box::pin(account.apply_with(pages, &mut session).plan()).await?;
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
        return Ok(listed(shown).exit(Exit::No));
    }
    for form in session.state.forms.iter().filter(|form| !form.plan.is_empty()) {
        form.check(&session.state.client).await?;
    }
    for planned in session.state.planned().filter(|planned| planned.page.exists()) {
        check_on_service(planned, &session.context.ui).await?;
    }
    session.context.ui.say(&StyledLine::new(Style::Faint, "a dry run: nothing was changed"));
    Ok(shown(session.state, FailOn::Pending))
}

/// Makes the pages and forms match the files.
pub(crate) async fn apply(
    context: &mut Context,
    request: AccountRequest,
) -> Result<CommandOutput, CommandError> {
    let settings = runs::write_settings(context, journal::command(context, "apply"))?
        .wait(request.wait)
        .allow_emptied(request.apply_args.allow_empty);
    let (saved, files) = read(&request)?;
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
    let (mut session, pages) = AccountSession::new(context, files, saved, &request).await?;
    let running: Rc<RunProgress> = session.running.clone();
    let account = session.state.client.account();
    let run = account.apply_with(pages, &mut session).settings(settings);
    let ended = tokio::select! {
        // A Ctrl-C that came before the end counts.
        biased;
        () = running.second_interrupt() => None,
        ended = Box::pin(run.run()) => Some(ended),
    };
    let suppressed = running.ended();
    drop(running);
    let Some(ended) = ended else {
        suppressed.into_iter().for_each(crate::signal::SuppressInterrupt::end_soon);
        return Err(session.interrupted());
    };
    let ended = ended?;
    applied(session.context, session.state, ended)
}

/// Reads the files and the forms.
async fn session<'c>(
    context: &'c mut Context,
    request: &AccountRequest,
) -> Result<(AccountSession<'c>, Vec<PageRequest>), CommandError> {
    let (saved, files) = read(request)?;
    AccountSession::new(context, files, saved, request).await
}

/// Reads the files, or the saved plan with the files that it was made from.
fn read(request: &AccountRequest) -> Result<(Option<SavedAccount>, AccountFiles), CommandError> {
    let roots = &request.apply_args.upload_root;
    let (saved, files) = match &request.plan {
        Some(plan) => {
            let (saved, files) = SavedAccount::read(plan, roots)?;
            (Some(saved), files)
        }
        None => (None, AccountFiles::read(&request.paths, roots)?),
    };
    if files.is_empty() {
        return Err(CommandError::new(Exit::Usage, "there is no page file and no form file")
            .with_hint("a page begins with `profile: LOGIN`, a form with `form: NAME`; `links pull LOGIN -O FILE` writes one"));
    }
    Ok((saved, files))
}
