//! A run over one page: plans, asks for confirmation and reports progress. The SDK keeps the order of the steps.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use links_sdk::apply::{
    AppliedChanges, ApplyDelegate, Confirmation, DesiredPage, JournalEntries, PageSnapshot,
    Proposal, Step,
};
use links_sdk::{Client, ProfileKey, SlotId};

use super::apply_args::ApplyArgs;
use super::confirm::confirm_plan;
use super::execute::{interrupted_note, not_recorded_note, step_message};
use super::known_forms::KnownForms;
use super::lock_only;
use super::locked;
use super::plan::{plan, resolve};
use super::planned::{PlanInputs, PlannedPage, refused};
use super::preflight::{check_fields, check_fingerprint};
use super::run_failure::RunFailure;
use super::run_progress::RunProgress;
use super::saved_plan::{ApplySource, SavedPlan};
use super::sync::SyncRecord;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Style, StyledLine};
use crate::page_file::PageFile;

/// Delegate of a run of the SDK: plans, asks for confirmation and reports progress; the SDK does everything else.
pub(super) struct ApplySession<'c> {
    pub(super) context: &'c mut Context,
    pub(super) client: Client,
    /// Page file; `None` once it was read together with its page.
    pub(super) file: Option<PageFile>,
    read: Option<PlanInputs>,
    pub(super) record: Option<Box<SyncRecord>>,
    saved: Option<Box<SavedPlan>>,
    pub(super) apply_args: ApplyArgs,
    ask: bool,
    /// Fingerprint of the page that the file was made for, if the file is for that page only.
    pub(super) made_for: Option<String>,
    /// Latest plan.
    pub(super) planned: Option<PlannedPage>,
    pub(super) running: Rc<RunProgress>,
    pub(super) done: AppliedChanges,
    pub(super) not_recorded: Option<String>,
}

impl<'c> ApplySession<'c> {
    pub(super) async fn new(
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

/// Returns the error of a run to report. `file` is the page file if it was not read together with its page.
pub(super) fn session_error(
    failure: RunFailure,
    planned: Option<&PlannedPage>,
    file: Option<&PageFile>,
    resume: &str,
) -> CommandError {
    let is_of_run = matches!(failure, RunFailure::Run(_));
    let error = failure.into_error(planned, resume);
    match file.filter(|_| is_of_run) {
        Some(file) => file_diagnostics_or(file, error),
        None => error,
    }
}

/// Returns the known problems of a file, or else the failure that kept it from being checked further.
fn file_diagnostics_or(file: &PageFile, failure: CommandError) -> CommandError {
    match file.missing.as_slice() {
        [] => failure,
        known => file.document.bad(known.to_vec()).into(),
    }
}

impl ApplyDelegate for ApplySession<'_> {
    type Error = RunFailure;

    async fn resolve(&mut self, page: &Arc<PageSnapshot>) -> Result<Arc<DesiredPage>, RunFailure> {
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
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, RunFailure> {
        let Some(read) = self.read.take() else {
            return Err(CommandError::internal("a page is planned twice").into());
        };
        let mut planned =
            plan(self.context, read, page.clone(), &self.apply_args, created.clone()).await?;
        planned.locks().check_user(self.context, &self.client).await?;
        planned.sent = self.client.requests_sent();
        if let Some(saved) = &self.saved {
            saved.check(&planned, is_resumed)?;
        }
        if !is_resumed {
            check_fingerprint(self.made_for.as_deref(), &planned)?;
            if let Some(origin) = &self.apply_args.origin {
                check_fields(&origin.seen_fields, page)?;
            }
        }
        self.context.check_plan(&*planned.plan)?;
        let proposal = planned.proposal();
        self.planned = Some(planned);
        Ok(proposal)
    }

    async fn confirm(
        &mut self,
        _: &PageSnapshot,
        is_confirmed: bool,
    ) -> Result<Confirmation, RunFailure> {
        self.refuse(is_confirmed)?;
        let Some(planned) = &mut self.planned else { return Ok(Confirmation::AsPlanned) };
        if !self.apply_args.locked {
            planned.locks().check_writable()?;
        }
        if !is_confirmed {
            let trusted = self.apply_args.trust_lock;
            lock_only::confirm(&self.context.ui, &planned.lock_only_lines(), trusted)?;
        }
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
        let text = interrupted_note(log, is_resumed);
        self.context.ui.say(&StyledLine::new(Style::Faint, text));
    }

    fn step(&mut self, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.done = done.clone();
        let steps = self.planned.as_ref().map_or(0, |it| it.plan.request_count() - 1);
        self.running.step(&self.context.ui, steps, &step_message(step))
    }

    fn not_recorded(&mut self, error: &std::io::Error) {
        self.not_recorded = Some(not_recorded_note(error));
    }
}
