//! Page files and form files together: plans and runs of `links plan` and `links apply`, of `links slots plan`, `apply` and `edit`, and of
//! `links undo`; and `links pull`.

pub(crate) mod absent_files;
mod confirm;
pub(crate) mod edit;
pub(crate) mod estimate;
pub(crate) mod file_filter;
pub(crate) mod files;
mod form_finder;
pub(crate) mod forms;
pub(crate) mod live_page;
mod notes;
pub(crate) mod page_files;
mod pages_run;
pub(crate) mod pull;
mod report;
pub(crate) mod request;
pub(crate) mod saved_plan;
pub(crate) mod shadow_run;
mod state;
pub(crate) mod summary;
mod totals;
pub(crate) mod unchanged;

use clap::Args;
use confirm::Irreversible;
use links_pages::apply::{Applied, PageRequest, Run, RunSettings};
use pages_run::PagesRun;
use report::{applied, plan_exit, plan_lines, refusals, shown, stopped_at_once};
use request::RunSource;
use saved_plan::SavedPlan;
use unchanged::Memo;

use crate::apply::apply_args::RunOptions;
use crate::apply::dry_run::{check_on_service, unsent_requests};
use crate::apply::execute::RunFailure;
use crate::apply::fail_on::FailOn;
use crate::apply::runs;
use crate::context::prelude::*;
use crate::output::dry_run::DryRun;
use crate::settings::TokenOrigin;
use crate::ui::annotations::Annotate;

// Where a plan goes, and what its exit code depends on. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlanOutputs {
    /// Save the plan to this file, for `apply --plan`
    #[arg(long, value_name = "PLAN", value_hint = clap::ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    /// Validate new and changed slots with the service, without writing
    #[arg(long)]
    check: bool,
    /// Append the plan as Markdown to this file (`-`: print it), for a CI job summary or a pull request comment
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, hide_short_help = true)]
    pub(crate) summary: Option<PathBuf>,
    /// Exit with 3 on `pending` changes, `remote` changes, or `any`; the last two need a links.lock
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_short_help = true)]
    fail_on: FailOn,
    /// Annotate errors, planned changes and changes made on the page at their lines in the files, for a CI service
    #[arg(long, value_name = "FORMAT", hide_short_help = true)]
    pub(crate) annotate: Option<Annotate>,
}

impl PlanOutputs {
    /// Returns whether the plan is only shown, and ends with its own changes alone.
    pub(crate) fn is_shown(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the files that are written.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.out.iter().cloned().chain(summary::file(self.summary.as_ref()))
    }
}

/// Reads the pages and forms of the files and shows what `apply` would do.
pub(crate) async fn plan(
    context: &mut Context,
    source: RunSource,
    mut options: RunOptions,
    outputs: PlanOutputs,
) -> Result<CommandOutput> {
    let PlanOutputs { out, check, summary, fail_on, annotate } = outputs;
    if out.as_deref() == Some(Path::new("-")) {
        let message = "a plan cannot be saved to standard output";
        return Err(CommandError::usage(message).with_hint("pass the name of a file: --out PLAN"));
    }
    summary::check(summary.as_deref(), context.settings.output)?;
    // A slot that was created on the page is one of those that stay.
    options.flags.full |= fail_on != FailOn::Pending;
    let mut session = Box::pin(planned(context, source, options)).await?;
    if session.state.is_unplanned() {
        session.check_planned()?;
    }
    fail_on.check(session.state.planned())?;
    if check {
        for note in checked(&session).await? {
            session.context.ui.say(&note);
        }
    }
    let failed = session.check_planned();
    let options = &session.state.options;
    if let (Some(path), Err(_)) = (&out, &failed) {
        let text =
            format!("plan not saved to {}: it must cover every file that you pass", path.display());
        session.context.ui.tell(Style::Changed, text);
    } else if let Some(path) = &out {
        SavedPlan::new(&session.state, path).write(path)?;
        let command = if options.is_one_page { "links slots apply" } else { "links apply" };
        let mut text =
            format!("plan saved to {0}; apply it with `{command} --plan {0}`", path.display());
        for root in &options.flags.upload_root {
            text.extend([" --upload-root ", &root.display().to_string()]);
        }
        session.context.ui.tell(Style::Faint, text);
    }
    let errors = failed.as_ref().err().map_or(0, |failure| failure.others().len().max(1));
    let account = match &session.context.settings.token {
        TokenOrigin::Account(name, _) if crate::ui::is_part() => Some(name),
        _ => None,
    };
    let described = summary
        .map(|path| (path, summary::described(&plan_lines(&session.state), account, errors)));
    if let Some(annotate) = annotate {
        notes::annotate(annotate, &session.state);
        if let Err(failure) = &failed {
            annotate.failure(failure);
        }
    }
    let PagesRun { context, state, .. } = session;
    if let Some(memo) = Memo::of(context, &state) {
        memo.store();
    }
    let mut output = shown(&context.ui, state, fail_on);
    if let (Err(_), Some(body)) = (&failed, output.body.own_mut()) {
        body["meta"]["failed"] = errors.into();
    }
    if let Some((path, part)) = described {
        output = summary::put(&path, &[part], output)?;
    }
    Ok(context.with_failure(output, failed.err()))
}

/// Reads the forms and the pages, and plans.
async fn planned(
    context: &mut Context,
    source: RunSource,
    options: RunOptions,
) -> Result<PagesRun<'_>> {
    let settings = RunSettings { read: options.read.clone(), ..runs::settings(context) };
    let (mut session, pages) = PagesRun::new(context, source, options).await?;
    session.open_to_read(pages, settings).await?;
    session.state.locks().check_user(session.context, &session.state.client).await?;
    if !session.state.is_edit
        && let Err(failure) = session.check_logins().await
    {
        session.state.failures.push(failure);
    }
    Ok(session)
}

/// Asks the service whether it would accept the plans. Returns notes about what was checked.
async fn checked(session: &PagesRun<'_>) -> Result<Vec<StyledLine>> {
    for form in session.state.changed_forms() {
        form.check(&session.state.client).await?;
    }
    let mut notes = Vec::new();
    for planned in session.state.planned().filter(|planned| planned.page.exists()) {
        notes.extend(check_on_service(&session.state.client, planned).await?);
    }
    Ok(notes)
}

/// Plans, and shows the requests or asks the service whether it would accept them.
async fn dry_run(
    context: &mut Context,
    source: RunSource,
    options: RunOptions,
    how: DryRun,
) -> Result<CommandOutput> {
    let mut session = Box::pin(planned(context, source, options)).await?;
    session.check_planned()?;
    if how != DryRun::Request {
        let notes = checked(&session).await?;
        let mut output = shown(&session.context.ui, session.state, FailOn::Pending);
        if let Some(lines) = output.view.lines_mut() {
            lines.extend(notes);
            lines.push(StyledLine::faint("dry run: nothing was changed"));
        }
        return Ok(output);
    }
    refusals(&session.state).for_each(|line| session.context.ui.say(&line));
    let mut shown = Vec::new();
    for form in session.state.changed_forms() {
        shown.push(form.unsent_request(&session.state.client).await?);
    }
    for planned in session.state.planned() {
        shown.extend(unsent_requests(&session.state.client, planned).await?);
    }
    let (data, commands): (Vec<Value>, Vec<String>) = shown.into_iter().unzip();
    let text = commands.into_iter().map(|line| line + "\n").collect();
    let exit = plan_exit(&session.state, FailOn::Pending);
    Ok(CommandOutput::own(data, View::Document(text)).exit(exit))
}

/// Makes the pages and forms match the files, or shows in a dry run what would be written.
pub(crate) async fn apply(
    context: &mut Context,
    source: RunSource,
    options: RunOptions,
) -> Result<CommandOutput> {
    if let Some(how) = context.dry_run() {
        return Box::pin(dry_run(context, source, options, how)).await;
    }
    for note in source.saved.iter().flat_map(SavedPlan::notes) {
        context.ui.tell(Style::Changed, note);
    }
    let settings = RunSettings {
        state: Some(runs::directory(context)?),
        owner: context.owner(),
        command: options.command.clone(),
        wait: options.wait,
        allow_emptied: options.flags.allow_empty,
        adds: options.adds,
        read: options.read.clone(),
        ..runs::settings(context)
    };
    let (mut session, pages) = PagesRun::new(context, source, options).await?;
    let (running, client) = (session.running.clone(), session.state.client.clone());
    let run = Box::pin(run(&mut session, pages, settings));
    let Some(ended) = running.watch(&client, run).await else {
        return stopped_at_once(session.context, session.state);
    };
    let memo = Memo::of(session.context, &session.state);
    let output = applied(session.context, session.state, ended?)?;
    if let Some(memo) = memo {
        memo.store();
    }
    Ok(output)
}

/// Opens, confirms, executes and records a run. Returns a result for each page.
async fn run(
    session: &mut PagesRun<'_>,
    pages: Vec<PageRequest>,
    settings: RunSettings,
) -> Result<Vec<Result<Applied, RunFailure>>> {
    let run = Run::begin(&session.state.client, pages, settings).await;
    let run = run.map_err(|error| session.state.not_run(error))?;
    let mut open = session.open(&run).await?;
    session.check_planned()?;
    session.continue_operation(&mut open);
    session.state.locks().check_user(session.context, &session.state.client).await?;
    let mut open = session.end_unchanged(open).await;
    if !open.is_empty() || session.state.has_form_changes() {
        session.check_plans(&open)?;
        // What an edit writes besides slots was checked by its command.
        if !session.state.is_edit {
            session.check_logins().await?;
            session.check_languages(&open).await?;
        }
        session.confirm_lock_only(&open)?;
        session.state.is_shown = true;
        let plan = plan_lines(&session.state);
        for line in &plan {
            session.context.ui.say(line);
        }
        let found = Irreversible::of(&session.state, &open);
        let missing = found.missing_flags(&session.state, &open);
        if !missing.is_empty() {
            session.check_access().await?;
            found.confirm(&session.context.ui, plan, &missing)?;
        }
        session.prepare(&mut open, !missing.is_empty()).await?;
    }
    let open = session.create_pages(open).await;
    let ended = session.execute(open).await;
    session.record(&ended);
    Ok(ended)
}
