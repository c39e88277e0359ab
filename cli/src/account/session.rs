//! A run over the files of an account: plans, confirms, uploads, writes forms, and reports progress. The SDK keeps the order of the pages.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use links_sdk::account::PageRequest;
use links_sdk::apply::{
    AccountDelegate, AppliedChanges, Confirmation, DesiredPage, JournalEntries, PageSnapshot,
    PageToConfirm, Proposal, Step,
};
use links_sdk::{ProfileKey, SlotId};

use super::absent_files::AbsentFile;
use super::confirm::{Consent, confirm};
use super::estimate;
use super::files::AccountFiles;
use super::forms::PlannedForm;
use super::request::AccountRequest;
use super::saved_account::SavedAccount;
use super::state::{AccountState, PageState};
use crate::apply::apply_args::ApplyArgs;
use crate::apply::execute::{interrupted_page_note, not_planned, not_recorded_note, step_message};
use crate::apply::known_forms::KnownForms;
use crate::apply::lock_only;
use crate::apply::locked;
use crate::apply::plan::{plan, resolve};
use crate::apply::planned::{PlannedPage, refused};
use crate::apply::run_failure::RunFailure;
use crate::apply::run_progress::RunProgress;
use crate::apply::runs;
use crate::apply::sync::SyncRecord;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Style, StyledLine};
use crate::page_file::{At, PageFile};
use crate::suggest::nearest;
use crate::ui::Progress;

/// Delegate of a run over the files of an account.
pub(super) struct AccountSession<'c> {
    pub(super) context: &'c mut Context,
    pub(super) state: AccountState,
    pub(super) apply_args: ApplyArgs,
    consent: Consent,
    known: KnownForms,
    saved: Option<SavedAccount>,
    pub(super) running: Rc<RunProgress>,
    /// Progress of the reading, where several pages are read.
    reading: Option<Progress>,
}

impl<'c> AccountSession<'c> {
    pub(super) async fn new(
        context: &'c mut Context,
        files: AccountFiles,
        saved: Option<SavedAccount>,
        request: &AccountRequest,
    ) -> Result<(Self, Vec<PageRequest>), CommandError> {
        let client = context.client().await?;
        if let Some(words) = files.left_out_words() {
            context.ui.say(&StyledLine::new(Style::Faint, words));
        }
        let absent = AbsentFile::below(context, &files.directories)?;
        let AccountFiles { pages, forms, .. } = files;
        estimate::announce(&context.ui, pages.len(), pages.len() + 2);
        let mut apply_args = request.apply_args.clone();
        // All pages of a plan were planned with the same options.
        if let Some(page) = saved.as_ref().and_then(|saved| saved.page(0)) {
            page.allow(&mut apply_args, false)?;
        }
        let mut known = KnownForms::of(apply_args.locked);
        let forms =
            PlannedForm::all(context, &client, forms, &mut known, apply_args.locked).await?;
        if let Some(saved) = &saved {
            saved.check_forms(&forms)?;
        }
        let (mut states, mut requests) = (Vec::new(), Vec::new());
        for (path, file) in pages {
            let record =
                if apply_args.is_unrecorded { None } else { SyncRecord::of(context, &path)? };
            if apply_args.locked {
                locked::check(&file, record.as_deref())?;
            }
            requests.push(page_request(record.as_deref(), &path, &file, apply_args.locked));
            states.push(PageState {
                path,
                file: Some(file),
                record,
                inputs: None,
                planned: None,
                is_new: false,
                meant: None,
                done: AppliedChanges::default(),
            });
        }
        let consent = Consent { allowed: request.allowed, yes: apply_args.yes };
        let state = AccountState {
            client,
            pages: states,
            forms,
            absent,
            written_forms: BTreeMap::new(),
            is_shown: false,
        };
        let count = state.pages.len();
        let reading = (count > 1).then(|| context.ui.progress(count));
        if let Some(reading) = &reading {
            reading.now("reading the pages");
        }
        let running = Rc::default();
        let session = Self { context, state, apply_args, consent, known, saved, running, reading };
        Ok((session, requests))
    }

    /// Ends the progress display of the reading.
    pub(super) fn has_read(&mut self) {
        self.reading = None;
    }

    /// Refuses a `links.lock` of another user.
    pub(super) async fn check_lock_user(&self) -> Result<(), CommandError> {
        self.state.locks(self.context)?.check_user(self.context, &self.state.client).await
    }

    /// Asks about what only the lock says.
    fn confirm_lock_only(&self, pages: &[PageToConfirm]) -> Result<(), CommandError> {
        let new = pages.iter().filter(|page| !page.is_confirmed);
        let planned = new.filter_map(|page| self.state.pages[page.nth].planned.as_ref());
        let forms = self.state.forms.iter().filter(|form| !form.plan.is_empty());
        let lines = planned.flat_map(PlannedPage::lock_only_lines);
        let lines: Vec<_> = lines.chain(forms.flat_map(PlannedForm::lock_only_lines)).collect();
        lock_only::confirm(&self.context.ui, &lines, self.apply_args.trust_lock)
    }

    /// Refuses languages that the service does not have, before anything is written. The languages are the same for all pages, so that those
    /// of any page of the run are read.
    async fn check_languages(&self, pages: &[PageToConfirm]) -> Result<(), CommandError> {
        let code = |page: &PageToConfirm| {
            let planned = self.state.pages[page.nth].planned.as_ref()?;
            let code = planned.plan.fields.changed.get("languageCode")?.as_str()?.to_owned();
            Some((planned.file.document.clone(), code))
        };
        let written: Vec<_> = pages.iter().filter_map(code).collect();
        let known = self.state.planned().map(|planned| planned.page.id).find(|id| *id != 0);
        let (Some(id), false) = (known, written.is_empty()) else { return Ok(()) };
        let options = self.state.client.profile(id).settings().await?.options;
        let failures: Vec<CommandError> = written
            .into_iter()
            .filter(|(_, code)| options.languages.iter().all(|known| known.code != *code))
            .map(|(document, code)| {
                let codes: Vec<&str> =
                    options.languages.iter().map(|it| it.code.as_str()).collect();
                let message = format!("the service has no language {code}");
                let problem = document.locate(&["languageCode"], At::Value, message);
                document.bad(vec![problem.help(format!("it has {}", codes.join(", ")))]).into()
            })
            .collect();
        if failures.is_empty() {
            return Ok(());
        }
        let message = format!("{} languages are unknown; nothing was written", failures.len());
        Err(CommandError::of_several(failures, &message))
    }

    /// Refuses logins that cannot be taken, before anything is written. For a page that would be created, notes the page of the account that may
    /// have been meant.
    pub(super) async fn check_logins(&mut self) -> Result<(), CommandError> {
        let (mut failures, mut new) = (Vec::new(), Vec::new());
        for (nth, planned) in self.state.pages.iter().enumerate() {
            let Some(planned) = &planned.planned else { continue };
            let is_new = !planned.page.exists();
            let renamed = planned.plan.fields.changed.get("login").and_then(|it| it.as_str());
            let wanted = match renamed {
                _ if is_new => planned.page.login.as_str(),
                Some(login) => login,
                None => continue,
            };
            let mut check = self.state.client.profiles().check_login(wanted);
            if is_new {
                new.push(nth);
            } else {
                check = check.for_profile(planned.page.id.to_string());
            }
            let answer = check.await?;
            if !answer.available {
                let field = if planned.file.page.login.is_some() { "login" } else { "profile" };
                let message = format!("the login {wanted} cannot be taken: {}", answer.message);
                let problem = planned.file.document.locate(&[field], At::Value, message);
                failures.push(planned.file.document.bad(vec![problem]).into());
            }
        }
        if !failures.is_empty() {
            let message = format!("{} logins cannot be taken; nothing was written", failures.len());
            return Err(CommandError::of_several(failures, &message));
        }
        if new.is_empty() {
            return Ok(());
        }
        let known = self.state.client.profiles().list().await?.items;
        let has_file = |id| self.state.planned().any(|planned| planned.page.id == id);
        let others: Vec<String> =
            known.into_iter().filter(|it| !has_file(it.id)).map(|it| it.login).collect();
        for nth in new {
            let page = &mut self.state.pages[nth];
            let login = page.planned.as_ref().map(|planned| planned.page.login.as_str());
            page.meant = login.and_then(|login| nearest(login, &others));
        }
        Ok(())
    }

    /// Creates and changes the forms, and puts the ids of new ones into the plans.
    async fn write_forms(&mut self) -> Result<bool, CommandError> {
        for form in &self.state.forms {
            if form.plan.is_empty() {
                continue;
            }
            let id = form.write(self.context, &self.state.client).await.map_err(|failure| {
                let names: Vec<&str> =
                    self.state.written_forms.keys().map(String::as_str).collect();
                if names.is_empty() {
                    return failure;
                }
                failure.partial(&format!("forms written: {}", names.join(", ")))
            })?;
            form.store(self.context, &id);
            self.known.add(&form.plan.name, Some(id.to_string()));
            self.state.written_forms.insert(form.plan.name.clone(), id.into_string());
        }
        Ok(!self.state.written_forms.is_empty())
    }
}

impl AccountDelegate for AccountSession<'_> {
    type Error = RunFailure;

    async fn resolve(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, RunFailure> {
        let state = &mut self.state.pages[nth];
        let Some(file) = state.file.take() else {
            return Err(CommandError::internal("a file is read twice").into());
        };
        let (client, record) = (self.state.client.clone(), state.record.take());
        state.is_new = !page.exists();
        if let Some(reading) = &self.reading {
            reading.step();
            reading.now(&format!("{} is read", page.login));
        }
        let inputs =
            resolve(self.context, client, file, page, record, &self.apply_args, &mut self.known);
        let inputs = inputs.await?;
        let desired = inputs.file.page.content.clone();
        state.inputs = Some(inputs);
        Ok(desired)
    }

    async fn plan(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, RunFailure> {
        let state = &mut self.state.pages[nth];
        let (is_first, is_new) = (state.inputs.is_some(), state.is_new);
        state.done.is_page_created |= is_new && page.exists();
        let inputs = match (state.inputs.take(), state.planned.take()) {
            (Some(inputs), _) => inputs,
            // The page was created since.
            (None, Some(planned)) => planned.into_inputs(),
            (None, None) => return Err(CommandError::internal("a page is planned twice").into()),
        };
        // A new page keeps what the service put there.
        let mut apply_args = self.apply_args.clone();
        apply_args.prune &= !is_new;
        let planned =
            plan(self.context, inputs, page.clone(), &apply_args, created.clone()).await?;
        // A page that was created has another plan.
        let saved = self.saved.as_ref().and_then(|saved| saved.page(nth));
        if let Some(saved) = saved.filter(|_| is_first) {
            saved.check(&planned, is_resumed)?;
        }
        let proposal = planned.proposal();
        self.state.pages[nth].planned = Some(planned);
        Ok(proposal)
    }

    fn has_more_to_do(&self) -> bool {
        self.state.forms.iter().any(|form| !form.plan.is_empty())
    }

    async fn confirm(&mut self, pages: &[PageToConfirm]) -> Result<Vec<Confirmation>, RunFailure> {
        self.has_read();
        for page in pages.iter().filter(|page| !page.is_confirmed) {
            let planned = self.state.pages[page.nth].planned.as_ref();
            if let Some(refusal) = planned.and_then(|planned| planned.refusal) {
                return Err(refused(refusal).into());
            }
        }
        if !self.apply_args.locked {
            self.state.locks(self.context)?.check_writable()?;
        }
        self.check_lock_user().await?;
        self.check_logins().await?;
        self.check_languages(pages).await?;
        self.confirm_lock_only(pages)?;
        self.state.is_shown = true;
        let asked = confirm(self.context, &self.state, pages, self.consent).await?;
        let mut is_later = asked;
        for page in pages {
            if let Some(planned) = &mut self.state.pages[page.nth].planned {
                is_later |= planned.upload(self.context).await?;
            }
        }
        is_later |= self.write_forms().await?;
        let confirmed = pages.iter().map(|page| {
            let Some(planned) = &mut self.state.pages[page.nth].planned else {
                return Confirmation::AsPlanned;
            };
            let refers = planned.put_forms(&self.state.written_forms);
            if is_later || refers {
                Confirmation::Later(Box::new(planned.proposal()))
            } else {
                Confirmation::AsPlanned
            }
        });
        Ok(confirmed.collect())
    }

    fn refuse(&mut self, failures: Vec<(usize, RunFailure)>) -> RunFailure {
        let failures = failures
            .into_iter()
            .map(|(nth, failure)| self.state.page_error(self.context, nth, failure));
        not_planned(failures.collect(), &self.state.client).into()
    }

    fn interrupted(&mut self, _: usize, log: &JournalEntries, is_resumed: bool) {
        self.context.ui.say(&interrupted_page_note(log, is_resumed));
    }

    fn step(&mut self, nth: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.state.pages[nth].done = done.clone();
        let writing = self.state.planned().filter(|planned| !planned.plan.is_empty());
        let steps = writing.map(|planned| planned.plan.request_count() - 1).sum();
        let login = self.state.pages[nth].planned.as_ref().map(|it| it.page.login.as_str());
        let message = format!("{}: {}", login.unwrap_or_default(), step_message(step));
        self.running.step(&self.context.ui, steps, &message)
    }

    fn not_recorded(&mut self, nth: usize, error: &std::io::Error) {
        let path = self.state.pages[nth].path.display();
        let text = format!("{path}: {}", not_recorded_note(error));
        self.context.ui.say(&StyledLine::new(Style::Changed, text));
    }
}

/// Returns the request for the page of a file, which is created where neither the record of the last sync nor `locked` forbids it.
pub(super) fn page_request(
    record: Option<&SyncRecord>,
    path: &Path,
    file: &PageFile,
    locked: bool,
) -> PageRequest {
    let known = record.and_then(|record| record.known_page(file));
    let recorded = known.map(ProfileKey::Id);
    let may_create =
        recorded.is_none() && matches!(file.page.profile, ProfileKey::Login(_)) && !locked;
    let mut keys: Vec<ProfileKey> = recorded.into_iter().collect();
    if keys.is_empty() {
        keys.push(file.page.profile.clone());
        keys.extend(file.page.login.as_deref().and_then(|it| it.parse().ok()));
    }
    PageRequest { keys, path: Some(runs::recorded_path(path)), may_create }
}
