//! Page files and form files together: `links plan`, `links apply` and `links pull`.

mod confirm;
pub(crate) mod estimate;
pub(crate) mod files;
mod forms;
mod report;
mod session;

use std::path::PathBuf;
use std::rc::Rc;

use files::AccountFiles;
use links_sdk::account::PageRequest;
use report::{applied, shown};
use session::AccountSession;

use crate::apply::dry_run::{check_on_service, listed, unsent_requests};
use crate::apply::fail_on::FailOn;
use crate::apply::planned::ApplyArgs;
use crate::apply::run_progress::RunProgress;
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal;
use crate::output::dry_run::DryRun;
use crate::output::{CommandOutput, Style, StyledLine};

/// What the files of an account are applied with.
pub(crate) struct AccountRequest {
    /// Files and directories; the directory of the closest `links.lock` if there are none.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) apply_args: ApplyArgs,
    pub(crate) allowed: Allowed,
    /// True if the run waits for other runs on the same pages.
    pub(crate) wait: bool,
}

/// What cannot be undone and needs a flag of its own where no user can be asked.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Allowed {
    /// Create up to N pages and forms, which cannot be deleted again
    #[arg(long, value_name = "N", default_value_t, hide_default_value = true)]
    pub(crate) allow_create: usize,
    /// Change logins, which breaks every link to the page
    #[arg(long)]
    pub(crate) allow_rename: bool,
}

/// Reads the pages and forms of the files and shows what `links apply` would do.
pub(crate) async fn plan(
    context: &mut Context,
    request: AccountRequest,
    fail_on: FailOn,
) -> Result<CommandOutput, CommandError> {
    let (mut session, pages) = session(context, &request).await?;
    let (state, service) = (session.state(), session.service());
    let account = session.client.account();
    let run = account.apply_with(pages, &mut session);
    let planned = match state {
        Some(state) => Box::pin(run.journal(state, service, None).plan()).await,
        None => Box::pin(run.plan()).await,
    };
    planned?;
    fail_on.check_all(session.planned())?;
    Ok(shown(session, fail_on))
}

/// Plans, and shows the requests or asks the service whether it would accept them.
pub(crate) async fn dry_run(
    context: &mut Context,
    request: AccountRequest,
    how: DryRun,
) -> Result<CommandOutput, CommandError> {
    let (mut session, pages) = session(context, &request).await?;
    let account = session.client.account();
    Box::pin(account.apply_with(pages, &mut session).plan()).await?;
    if how == DryRun::Request {
        let mut shown = Vec::new();
        for planned in session.planned() {
            shown.extend(unsent_requests(planned).await?);
        }
        return Ok(listed(shown).exit(Exit::No));
    }
    for planned in session.planned() {
        check_on_service(planned, &session.context.ui).await?;
    }
    session.context.ui.say(&StyledLine::new(Style::Faint, "a dry run: nothing was changed"));
    Ok(shown(session, FailOn::Pending))
}

/// Makes the pages and forms match the files.
pub(crate) async fn apply(
    context: &mut Context,
    request: AccountRequest,
) -> Result<CommandOutput, CommandError> {
    let state = runs::directory(context)?;
    let (owner, command) = (context.owner(), journal::command(context, "apply"));
    let (mut session, pages) = session(context, &request).await?;
    let service = session.service();
    let running: Rc<RunProgress> = session.running.clone();
    let account = session.client.account();
    let run = account.apply_with(pages, &mut session).journal(state, service, owner);
    let run =
        run.command(Some(command)).wait(request.wait).allow_emptied(request.apply_args.allow_empty);
    let ended = tokio::select! {
        ended = Box::pin(run.run()) => Some(ended),
        () = running.second_interrupt() => None,
    };
    let suppressed = running.ended();
    drop(running);
    let Some(ended) = ended else {
        suppressed.into_iter().for_each(crate::signal::SuppressInterrupt::end_soon);
        return Err(session.interrupted());
    };
    applied(session, ended?)
}

/// Reads the files and the forms.
async fn session<'c>(
    context: &'c mut Context,
    request: &AccountRequest,
) -> Result<(AccountSession<'c>, Vec<PageRequest>), CommandError> {
    let files = AccountFiles::read(&request.paths, &request.apply_args.upload_root)?;
    if files.is_empty() {
        return Err(CommandError::new(Exit::Usage, "there is no page file and no form file")
            .with_hint("a page begins with `profile: LOGIN`, a form with `form: NAME`; `links pull LOGIN -O FILE` writes one"));
    }
    AccountSession::new(context, files, request).await
}
