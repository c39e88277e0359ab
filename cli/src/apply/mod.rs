//! Apply engine: updates a page to match a page file, after settling interrupted runs, asking for confirmation and opening the journal.

pub(crate) mod confirm;
pub(crate) mod dry_run;
pub(crate) mod execute;
pub(crate) mod existing_file;
pub(crate) mod export;
pub(crate) mod fail_on;
pub(crate) mod image;
pub(crate) mod known_forms;
mod local_images;
pub(crate) mod locked;
pub(crate) mod page_host;
pub(crate) mod plan;
mod plan_target;
pub(crate) mod planned;
pub(crate) mod preflight;
pub(crate) mod problems;
pub(crate) mod report;
pub(crate) mod run_progress;
pub(crate) mod run_table;
pub(crate) mod runs;
pub(crate) mod saved_plan;
pub(crate) mod schema_line;
pub(crate) mod sync;
pub(crate) mod unfinished_runs;
pub(crate) mod uploads;
pub(crate) mod write_log;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use confirm::{confirm_plan, report_kept_slots};
use dry_run::{check_on_service, requests};
use execute::{failed, interrupted, step_message};
use fail_on::FailOn;
use known_forms::KnownForms;
use links_sdk::apply::{
    Applied, AppliedChanges, ApplyCause, ApplyDelegate, ApplyError, Confirmation, DesiredPage,
    ItemRefusal, JournalEntries, PageSnapshot, Proposal, Step,
};
use links_sdk::{Client, ProfileKey};
use plan::{plan, resolve};
use planned::{ApplyArgs, PlanInputs, PlannedPage, refused};
use preflight::{check_fields, check_fingerprint};
use report::{report, shown, summary, written};
use run_progress::RunProgress;
use saved_plan::{ApplySource, SavedPlan};
use sync::SyncRecord;

use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal;
use crate::output::dry_run::DryRun;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::page_file::PageFile;

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

/// Delegate of a run of the SDK: plans, asks for confirmation and reports progress; the SDK does everything else.
struct ApplySession<'c> {
    context: &'c mut Context,
    client: Client,
    /// Page file; `None` once it was read together with its page.
    file: Option<PageFile>,
    read: Option<PlanInputs>,
    record: Option<Box<SyncRecord>>,
    saved: Option<Box<SavedPlan>>,
    apply_args: ApplyArgs,
    ask: bool,
    /// Fingerprint of the page that the file was made for, if the file is for that page only.
    made_for: Option<String>,
    /// Latest plan.
    planned: Option<PlannedPage>,
    running: Rc<RunProgress>,
    done: AppliedChanges,
    not_recorded: Option<String>,
}

/// Reason why a run failed.
enum ApplyFailure {
    /// Error of this program's own steps: planning, or a confirmation that was not given.
    Here(CommandError),
    Run(ApplyError),
}

impl From<CommandError> for ApplyFailure {
    fn from(failure: CommandError) -> Self {
        Self::Here(failure)
    }
}

impl From<ApplyError> for ApplyFailure {
    fn from(error: ApplyError) -> Self {
        Self::Run(error)
    }
}

impl ApplyFailure {
    /// Returns the error to report. `file` is the page file if it was not read together with its page.
    fn into_error(
        self,
        planned: Option<&PlannedPage>,
        file: Option<&PageFile>,
        resume: &str,
    ) -> CommandError {
        match self {
            Self::Here(failure) => failure,
            Self::Run(error) => {
                let failure = failed(error, planned, resume);
                match file {
                    Some(file) => file_diagnostics_or(file, failure),
                    None => failure,
                }
            }
        }
    }
}

/// Updates a page to match a file.
pub(crate) async fn apply(
    context: &mut Context,
    request: ApplyRequest,
) -> Result<CommandOutput, CommandError> {
    context.writer(request.dry_run).await?;
    if let Some(how) = context.dry_run() {
        return dry_run_only(context, request, how).await;
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
    let (state, service) = (runs::directory(context)?, runs::service(context).unwrap_or_default());
    let owner = context.owner();
    let command = match &apply_args.origin {
        Some(origin) => origin.command.clone(),
        None => journal::command(context, "slots apply"),
    };
    let allow_emptied = apply_args.allow_empty;
    let (mut applying, key) = ApplySession::new(context, source, apply_args, ask).await?;
    applying.made_for = seen;
    let running = applying.running.clone();
    let page = applying.client.profile(key);
    let applied = page.apply_with(&mut applying).journal(state).service(service).path(path);
    let applied =
        applied.owner(owner).command(Some(command)).wait(wait).allow_emptied(allow_emptied);
    let ended = tokio::select! {
        ended = Box::pin(applied.run()) => Some(ended),
        () = running.second_interrupt() => None,
    };
    let ApplySession { context, file, record, planned, done, apply_args, not_recorded, .. } =
        applying;
    let suppressed = running.ended();
    drop(running);
    if let Some(text) = not_recorded {
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    let is_stopped = match &ended {
        None => true,
        Some(Err(ApplyFailure::Run(error))) => matches!(error.cause(), ApplyCause::Stopped),
        Some(_) => false,
    };
    if let Some(suppressed) = suppressed.filter(|_| is_stopped) {
        suppressed.end_soon();
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
            let is_of_run = matches!(failure, ApplyFailure::Run(_));
            let refused = match &failure {
                ApplyFailure::Run(error) => refused_items(error),
                ApplyFailure::Here(_) => Vec::new(),
            };
            let error = failure.into_error(planned.as_ref(), file.as_ref(), resume);
            let error = with_record(error, record.as_deref());
            if let Some(planned) = planned.filter(|_| is_of_run && error.is_validation()) {
                context.forget_slot_types();
                planned.forget_images(context, &refused);
            }
            Err(error)
        }
        (None, _) => {
            let more = "; the last request may still have been carried out";
            Err(interrupted(&done, more, resume))
        }
    }
}

/// Adds where the page is recorded to the error of a page that is not there. `record` is that of a page that was not read.
fn with_record(error: CommandError, record: Option<&SyncRecord>) -> CommandError {
    match record.and_then(SyncRecord::gone_hint).filter(|_| error.exit() == Exit::NotFound) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// Returns what the service refused of the items of a file.
pub(crate) fn refused_items(error: &ApplyError) -> Vec<ItemRefusal> {
    match error.cause() {
        ApplyCause::Call { items, .. } => items.clone(),
        _ => Vec::new(),
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
    let mut report = report(&planned, &done, run.as_deref());
    // A plan with changes was shown before they were made.
    if let (Some(merged), View::Lines(lines)) = (&planned.merged, &mut report.view)
        && planned.plan.is_empty()
    {
        lines.splice(0..0, sync::lines(&merged.merge, merged.since));
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
    more: BTreeMap<usize, i64>,
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
    let (state, service) = (runs::directory(context).ok(), runs::service(context));
    let (mut applying, key) = ApplySession::new(context, source, apply_args.clone(), false).await?;
    let mut page = applying.client.profile(key).apply_with(&mut applying);
    if let Some(state) = state {
        page = page.journal(state).service(service.unwrap_or_default());
    }
    let ended = page.plan().await;
    match (ended, applying.planned) {
        (Ok(_), Some(planned)) => Ok(planned),
        (Ok(_), None) => Err(CommandError::internal("no plan was made")),
        (Err(failure), planned) => {
            let error = failure.into_error(planned.as_ref(), applying.file.as_ref(), "");
            Err(with_record(error, applying.record.as_deref()))
        }
    }
}

impl<'c> ApplySession<'c> {
    async fn new(
        context: &'c mut Context,
        ApplySource { file, saved, path, opened }: ApplySource,
        apply_args: ApplyArgs,
        ask: bool,
    ) -> Result<(Self, ProfileKey), CommandError> {
        let client =
            context.client().await.map_err(|failure| file_diagnostics_or(&file, failure))?;
        let record = match (opened, path.as_deref()) {
            (Some(text), _) => Some(SyncRecord::opened(context, text)),
            (None, Some(path)) => SyncRecord::of(context, path)?,
            (None, None) => None,
        };
        if apply_args.locked {
            locked::check(&file, record.as_deref())?;
        }
        let recorded = record.as_deref().and_then(|record| record.page_key(&file));
        if let Some(note) = left_out_note(&file) {
            context.ui.say(&note);
        }
        let key = recorded.unwrap_or_else(|| file.page.profile.clone());
        let (read, planned, not_recorded) = (None, None, None);
        let (running, done) = (Rc::default(), AppliedChanges::default());
        let file = Some(file);
        let applying = Self {
            context,
            client,
            file,
            read,
            record,
            saved,
            apply_args,
            ask,
            made_for: None,
            planned,
            running,
            done,
            not_recorded,
        };
        Ok((applying, key))
    }

    /// Returns the refusal of a guard as an error, unless the same run was confirmed before.
    fn refuse(&self, is_confirmed: bool) -> Result<(), CommandError> {
        match self.planned.as_ref().and_then(|it| it.refusal) {
            Some(refusal) if !is_confirmed => Err(refused(refusal)),
            _ => Ok(()),
        }
    }
}

/// Returns the note about the fields of a file that a command for slots leaves out, if there are any.
fn left_out_note(file: &PageFile) -> Option<StyledLine> {
    let names = file.left_out_words()?;
    let text = format!("only slots are written; left out: {names}");
    Some(StyledLine::new(Style::Faint, text))
}

/// Returns the known problems of a file, or else the failure that kept it from being checked further.
fn file_diagnostics_or(file: &PageFile, failure: CommandError) -> CommandError {
    match file.missing.as_slice() {
        [] => failure,
        known => file.document.bad(known.to_vec()).into(),
    }
}

impl ApplyDelegate for ApplySession<'_> {
    type Error = ApplyFailure;

    async fn resolve(
        &mut self,
        page: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, ApplyFailure> {
        let Some(file) = self.file.take() else {
            return Err(CommandError::internal("a file is read twice").into());
        };
        let client = self.client.clone();
        let record = self.record.take();
        let mut forms = KnownForms::of(self.apply_args.locked);
        let read =
            resolve(self.context, client, file, page, record, &self.apply_args, &mut forms).await?;
        let desired = read.file.page.content.clone();
        self.read = Some(read);
        Ok(desired)
    }

    async fn plan(
        &mut self,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, i64>,
        is_resumed: bool,
    ) -> Result<Proposal, ApplyFailure> {
        let Some(read) = self.read.take() else {
            return Err(CommandError::internal("a page is planned twice").into());
        };
        let planned =
            plan(self.context, read, page.clone(), &self.apply_args, created.clone()).await?;
        // A resumed run has changed the page itself.
        if let Some(saved) = self.saved.as_ref().filter(|_| !is_resumed) {
            saved.check(&planned)?;
        }
        if !is_resumed {
            check_fingerprint(self.made_for.as_deref(), &planned)?;
            if let Some(origin) = &self.apply_args.origin {
                check_fields(&origin.seen_fields, page)?;
            }
        }
        let proposal = planned.proposal();
        self.planned = Some(planned);
        Ok(proposal)
    }

    async fn confirm(
        &mut self,
        _: &PageSnapshot,
        is_confirmed: bool,
    ) -> Result<Confirmation, ApplyFailure> {
        self.refuse(is_confirmed)?;
        let Some(planned) = &mut self.planned else { return Ok(Confirmation::AsPlanned) };
        let stays_here = planned.new_images().next().is_none();
        let is_harmless = planned.plan.deletes.is_empty() && !self.ask;
        let is_confirmed = self.apply_args.yes || (stays_here && (is_harmless || is_confirmed));
        let asked = confirm_plan(&self.context.ui, planned, is_confirmed).await?;
        let uploaded = planned.upload(self.context).await?;
        Ok(if asked || uploaded {
            Confirmation::Later(Box::new(planned.proposal()))
        } else {
            Confirmation::AsPlanned
        })
    }

    fn interrupted(&mut self, log: &JournalEntries, is_resumed: bool) {
        let (time, done) = (runs::time(log.opening().time), written(log.done()));
        let what = if is_resumed { "continues" } else { "was for another file and is discarded" };
        let text = format!("the interrupted run of {time} {what} ({done} so far)");
        self.context.ui.say(&StyledLine::new(Style::Faint, text));
    }

    fn step(&mut self, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.done = done.clone();
        let steps = self.planned.as_ref().map_or(0, |it| it.plan.request_count() - 1);
        self.running.step(&self.context.ui, steps, &step_message(step))
    }

    fn not_recorded(&mut self, error: &std::io::Error) {
        self.not_recorded = Some(format!(
            "the journal is incomplete: {error}; check the page for what was changed"
        ));
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
    check_on_service(&planned, &context.ui).await?;
    context.ui.say(&StyledLine::new(Style::Faint, "a dry run: nothing was changed"));
    Ok(shown(planned, FailOn::Pending))
}
