//! A run over page files and form files: open, check, confirm, prepare, execute, record. The commands call these steps in this order, and
//! plan with the first of them alone.

use std::ops::ControlFlow;
use std::rc::Rc;

use links_pages::apply::{
    Applied, AppliedChanges, ApplyCause, ApplyError, OpenPage, PageRequest, Run, RunSettings, Step,
    execute,
};
use links_sdk::runs::all_forms;

use super::absent_files::AbsentFile;
use super::edit::SlotsEdit;
use super::estimate;
use super::files::{AccountFiles, left_out_words};
use super::forms::PlannedForm;
use super::request::RunSource;
use super::saved_plan::SavedPage;
use super::state::{AccountState, PageState};
use crate::apply::apply_args::{RunOptions, refused};
use crate::apply::execute::{RunFailure, failed, interrupted_note, step_message};
use crate::apply::lock_only;
use crate::apply::locked;
use crate::apply::plan::{plan, resolve};
use crate::apply::planned::{PlannedPage, RecordedFile};
use crate::apply::preflight::check_write_access;
use crate::apply::run_progress::RunProgress;
use crate::apply::runs;
use crate::apply::sync::SyncRecord;
use crate::context::prelude::*;
use crate::ui::{PartUpdate, Progress, update};
use links_pages::account::KnownForms;
use links_pages::page_file::At;
use links_pages::suggest::nearest;

/// A run over page files and form files.
pub(super) struct PagesRun<'c> {
    pub(super) context: &'c mut Context,
    pub(super) state: AccountState,
    /// What the pages that are not opened yet are made from.
    inputs: BTreeMap<usize, PageInput>,
    known: KnownForms,
    pub(super) running: Rc<RunProgress>,
    /// Progress of the reading, where several pages are read.
    reading: Option<Progress>,
    /// Results of the pages that have ended: nothing was to be written, or they were left out, or not created.
    ended: BTreeMap<usize, Result<Applied, RunFailure>>,
    /// True if the steps are neither shown nor stopped.
    pub(super) is_silent: bool,
}

/// What a page of a run is made from.
enum PageInput {
    /// A file, with the only plan that may be carried out.
    File(Box<RecordedFile>, Option<Box<SavedPage>>),
    Edit(Rc<SlotsEdit>),
}

impl<'c> PagesRun<'c> {
    /// Reads the forms, and what is recorded of the files. Also returns the requests for the pages.
    pub(super) async fn new(
        context: &'c mut Context,
        source: RunSource,
        options: RunOptions,
    ) -> Result<(Self, Vec<PageRequest>)> {
        let RunSource { mut files, saved, mut opened, edit, form_edits } = source;
        let client = match context.client().await {
            Ok(client) => client,
            Err(failure) => {
                // What is wrong with the files is known without the service.
                return Err(match &files.all_usable()?.pages[..] {
                    [(_, file)] if options.is_one_page => file_diagnostics_or(file, failure),
                    _ => failure,
                });
            }
        };
        if let Some(words) = left_out_words(&files.skipped) {
            context.ui.tell(Style::Faint, words);
        }
        let absent = AbsentFile::below(context, &files.directories)?;
        let mut failures = std::mem::take(&mut files.failures);
        let AccountFiles { pages, forms, skipped, .. } = files;
        let count = pages.len() + edit.as_ref().map_or(0, |it| it.pages.len());
        estimate::announce(&context.ui, count, count + 2);
        let mut known = KnownForms::new(options.locked);
        let overwrites = options.sync.overwrite || options.sync.exact;
        let (mut forms, unplanned) =
            PlannedForm::all(context, &client, forms, &mut known, overwrites).await?;
        failures.extend(unplanned.into_iter().map(|(_, failure)| failure));
        if let Some(saved) = &saved {
            saved.check_forms(&forms)?;
        }
        let is_reviewed = saved.is_some() || opened.is_some() || !context.settings.confirms_all;
        let mut saved = saved.into_iter().flat_map(|saved| saved.pages);
        let (mut states, mut requests, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
        for (path, file) in pages {
            let record = match opened.take() {
                Some(text) => Some(SyncRecord::opened(text)),
                None if options.is_unrecorded || path.as_os_str() == "-" => None,
                None => SyncRecord::of(context, &path)?,
            };
            if options.locked {
                locked::check(&file, record.as_deref())?;
            }
            if let Some(names) = file.left_out_words() {
                let text = format!(
                    "ignoring {names}: `slots` commands only write slots; to write the whole file, run `links apply`"
                );
                context.ui.tell(Style::Faint, text);
            }
            requests.push(page_request(record.as_deref(), &path, &file, &options));
            let file = Box::new(RecordedFile { file, record });
            inputs.push(PageInput::File(file, saved.next().map(Box::new)));
            states.push(PageState { path, ..PageState::default() });
        }
        let is_edit = edit.is_some() || !form_edits.is_empty();
        forms.extend(form_edits);
        let is_asked = context.ui.is_interactive() && !options.flags.yes;
        let asks_first = is_asked && (is_edit || !is_reviewed);
        if let Some(edit) = edit {
            for key in &edit.pages {
                let keys = vec![key.clone()];
                requests.push(PageRequest { keys, path: None, may_create: false });
                inputs.push(PageInput::Edit(edit.clone()));
                states.push(PageState { path: key.to_string().into(), ..PageState::default() });
            }
        }
        let reading = (count > 1).then(|| context.ui.progress(count));
        if let Some(reading) = &reading {
            reading.now("reading pages");
        }
        let state = AccountState {
            client,
            options,
            pages: states,
            forms,
            absent,
            skipped,
            written_forms: BTreeMap::new(),
            failures,
            is_edit,
            asks_first,
            is_shown: false,
        };
        let inputs = inputs.into_iter().enumerate().collect();
        let (running, ended) = (Rc::default(), BTreeMap::new());
        let run = Self { context, state, inputs, known, running, reading, ended, is_silent: false };
        Ok((run, requests))
    }

    /// Reads and plans the pages for a run that writes nothing. Pages that are gone or were renamed count among those that cannot be planned.
    pub(super) async fn open_to_read(
        &mut self,
        pages: Vec<PageRequest>,
        settings: RunSettings,
    ) -> Result<Vec<OpenPage>> {
        let run = Run::plan(&self.state.client, pages, settings).await;
        let run = run.map_err(|error| self.state.not_run(error))?;
        let open = self.open(&run).await?;
        for (nth, result) in std::mem::take(&mut self.ended) {
            let failure = result.err().map(|it| self.state.page_error(self.context, nth, it));
            self.state.failures.extend(failure);
        }
        Ok(open)
    }

    /// Reads and plans the pages, and locks them if the run writes. Writes nothing, except that the last request of an interrupted run is sent
    /// again if its outcome is unknown. Collects the failures of pages that cannot be planned, so that the others still are.
    ///
    /// # Errors
    ///
    /// When a page fails for a reason that would be that of the others, too.
    pub(super) async fn open(&mut self, run: &Run) -> Result<Vec<OpenPage>> {
        let mut open = BTreeMap::new();
        for nth in run.order() {
            let Some(input) = self.inputs.remove(&nth) else { continue };
            match self.open_page(run, nth, input).await {
                Ok(page) => drop(open.insert(nth, page)),
                Err(failure) if self.state.pages[nth].left_out.is_some() => {
                    self.ended.insert(nth, Err(failure));
                }
                Err(failure) => {
                    let failure = self.state.page_error(self.context, nth, failure);
                    if failure.exit().is_general() {
                        return Err(failure);
                    }
                    self.state.failures.push(failure);
                }
            }
        }
        self.reading = None;
        Ok(open.into_values().collect())
    }

    /// Refuses files, forms and pages that cannot be planned.
    pub(super) fn check_planned(&mut self) -> Result<()> {
        let failures = std::mem::take(&mut self.state.failures);
        CommandError::if_any(failures, "pages cannot be planned; nothing was written")
    }

    async fn open_page(
        &mut self,
        run: &Run,
        nth: usize,
        input: PageInput,
    ) -> Result<OpenPage, RunFailure> {
        let mut page = run.open(nth).await.map_err(|error| match &input {
            PageInput::File(file, _) => self.not_opened(nth, error, file).into(),
            PageInput::Edit(_) => RunFailure::from(error),
        })?;
        self.state.pages[nth].is_new = page.is_new();
        update(PartUpdate::PageRead);
        if let Some(reading) = &self.reading {
            reading.step();
            reading.now(&format!("read {}", page.snapshot().login));
        }
        let AccountState { client, options, .. } = &self.state;
        let planned = match input {
            PageInput::File(mut file, saved) => {
                let (snapshot, known) = (page.snapshot(), &mut self.known);
                let profiles = &options.profiles;
                let resolved =
                    resolve(self.context, client, &mut file, snapshot, profiles, known).await;
                let is_renamed = |it: &SyncRecord| it.is_renamed(&file.file, snapshot);
                if resolved.is_err() && file.record.as_deref().is_some_and(is_renamed) {
                    let why = format!("its page was renamed to {}", snapshot.login);
                    self.state.pages[nth].left_out = Some(why);
                }
                resolved?;
                let planned = self.plan(&mut page, *file).await;
                match saved {
                    Some(saved) => saved.check(planned, page.is_resumed())?,
                    None => planned?,
                }
            }
            PageInput::Edit(edit) => {
                let (planned, note) = edit.plan(self.context, &mut page).await?;
                self.tell_of_interrupted(&planned.page.login, note);
                self.state.pages[nth].planned.insert(planned)
            }
        };
        let proposal = planned.proposal();
        self.context.plan_first.plan(&*proposal.plan)?;
        page.propose(proposal)?;
        Ok(page)
    }

    /// Returns the error of a page that could not be read, with the page that may be meant.
    fn not_opened(
        &mut self,
        nth: usize,
        error: ApplyError,
        RecordedFile { file, record }: &RecordedFile,
    ) -> CommandError {
        let mut error = failed(error, None, self.state.resume(false));
        if error.exit() == Exit::NotFound {
            let meant = || {
                let key = file.page.profile.to_string();
                let meant = nearest(&key, self.context.known_logins()).filter(|it| *it != key)?;
                Some(format!("page `{key}` not found; did you mean `{meant}`?"))
            };
            let gone = record.as_deref().and_then(SyncRecord::gone_hint);
            self.state.pages[nth].left_out =
                gone.as_ref().map(|_| "its page no longer exists".to_owned());
            error = error.hinted(gone.or_else(meant));
        }
        if self.state.options.is_one_page { file_diagnostics_or(file, error) } else { error }
    }

    /// Settles what an interrupted run left open on a page, and plans.
    async fn plan(
        &mut self,
        page: &mut OpenPage,
        file: RecordedFile,
    ) -> Result<&PlannedPage, RunFailure> {
        let nth = page.nth();
        let settled = page.settle(&file.file.page.content).await?;
        let note = settled.map(|(log, is_resumed)| interrupted_note(&log, is_resumed, None));
        self.tell_of_interrupted(&page.snapshot().login, note);
        let planned = plan(self.context, file, page, &self.state.options, &self.known).await?;
        Ok(self.state.pages[nth].planned.insert(planned))
    }

    fn tell_of_interrupted(&self, login: &str, note: Option<String>) {
        if let Some(note) = note {
            let text = format!("{}{note}", self.state.named(login));
            self.context.ui.tell(Style::Faint, text);
        }
    }

    /// Makes the run a part of the operation whose interrupted runs it continues, if there is one.
    pub(super) fn continue_operation(&self, pages: &mut [OpenPage]) {
        for call in pages.iter().filter_map(OpenPage::resumed_call) {
            self.context.continue_call(call);
        }
        let call = self.context.call();
        for page in pages {
            page.record_as_part_of(&call);
        }
    }

    /// Ends the pages on which nothing is to be written, so that nobody waits for them. Returns the others.
    pub(super) async fn end_unchanged(&mut self, pages: Vec<OpenPage>) -> Vec<OpenPage> {
        let (changed, unchanged) = pages.into_iter().partition(OpenPage::has_changes);
        for page in execute(unchanged, false, &mut |_, _, _| ControlFlow::Continue(())).await {
            self.ended.insert(page.nth, page.result.map_err(RunFailure::from));
        }
        changed
    }

    /// Refuses plans that a guard stops, and locks that cannot be written.
    pub(super) fn check_plans(&self, pages: &[OpenPage]) -> Result<()> {
        let mut new = self.state.unconfirmed(pages);
        if let Some(refusal) = new.find_map(|planned| planned.refusal) {
            return Err(refused(refusal));
        }
        if !self.state.options.locked {
            self.state.locks().check_writable()?;
        }
        Ok(())
    }

    /// Asks about what only the lock says.
    pub(super) fn confirm_lock_only(&self, pages: &[OpenPage]) -> Result<()> {
        let forms = self.state.changed_forms();
        let lines = self.state.unconfirmed(pages).flat_map(PlannedPage::lock_only_lines);
        let lines: Vec<_> = lines.chain(forms.flat_map(PlannedForm::lock_only_lines)).collect();
        lock_only::confirm(&self.context.ui, &lines, self.state.options.flags.trust_lock)
    }

    /// Refuses languages that the service does not have, before anything is written. The languages are the same for all pages, so that those
    /// of any page of the run are read.
    pub(super) async fn check_languages(&self, pages: &[OpenPage]) -> Result<()> {
        let planned = pages.iter().filter_map(|page| self.state.pages[page.nth()].planned.as_ref());
        let written = planned.filter_map(|planned| {
            let code = planned.plan().fields.changed.get("languageCode")?.as_str()?;
            Some((&planned.file.document, code))
        });
        let written: Vec<_> = written.collect();
        let known = self.state.planned().map(|planned| planned.page.id).find(|id| *id != 0);
        let (Some(id), false) = (known, written.is_empty()) else { return Ok(()) };
        let languages = self.state.client.profile(id).settings().await?.options.languages;
        let codes: Vec<&str> = languages.iter().map(|it| it.code.as_str()).collect();
        let mut failures = Vec::new();
        for (document, code) in written.into_iter().filter(|(_, code)| !codes.contains(code)) {
            let message = format!("unknown language `{code}`");
            let problem = document.locate(&["languageCode"], At::Value, message);
            let help = format!("use one of: {}", codes.join(", "));
            failures.push(document.bad(vec![problem.help(help)]).into());
        }
        CommandError::if_any(failures, "languages are unknown; nothing was written")
    }

    /// Refuses logins that cannot be taken, before anything is written. For a page that would be created, notes the page of the account that may
    /// have been meant.
    pub(super) async fn check_logins(&mut self) -> Result<()> {
        let (mut failures, mut new) = (Vec::new(), Vec::new());
        for (nth, planned) in self.state.pages.iter().enumerate() {
            let Some(planned) = &planned.planned else { continue };
            let is_new = !planned.page.exists();
            let wanted = match planned.plan().fields.changed.get("login") {
                _ if is_new => &planned.page.login,
                Some(Value::String(login)) => login,
                _ => continue,
            };
            let client = &self.state.client;
            let check = if is_new {
                new.push((nth, wanted.clone()));
                client.profiles().check_login(wanted)
            } else {
                client.profile(planned.page.id).check_login(wanted)
            };
            let answer = check.await?;
            if !answer.available {
                let field = if planned.file.page.login.is_some() { "login" } else { "profile" };
                let message = format!("the login `{wanted}` is not available: {}", answer.message);
                failures.push(planned.file.document.refuse([(field, &*message)]).into());
            }
        }
        CommandError::if_any(failures, "logins are not available; nothing was written")?;
        if new.is_empty() {
            return Ok(());
        }
        let known = self.state.client.profiles().list().await?.items;
        let has_file = |id| self.state.planned().any(|planned| planned.page.id == id);
        let others: Vec<String> =
            known.into_iter().filter(|it| !has_file(it.id)).map(|it| it.login).collect();
        for (nth, login) in new {
            self.state.pages[nth].meant = nearest(&login, &others);
        }
        Ok(())
    }

    /// Refuses a read-only token before a user is asked.
    pub(super) async fn check_access(&mut self) -> Result<()> {
        if self.context.ui.is_interactive() {
            check_write_access(self.context.me(&self.state.client).await?)?;
        }
        Ok(())
    }

    /// Uploads the images, and creates and changes the forms, which gives the plans their values. `asked` tells whether a user was asked.
    pub(super) async fn prepare(&mut self, pages: &mut [OpenPage], asked: bool) -> Result<()> {
        let mut is_later = asked;
        for page in &*pages {
            if let Some(planned) = &mut self.state.pages[page.nth()].planned {
                is_later |= planned.upload(self.context, &self.state.client).await?;
            }
        }
        let written = self.write_forms().await;
        let names: Vec<&str> = self.state.written_forms.keys().map(String::as_str).collect();
        is_later |= !names.is_empty();
        written.map_err(|failure| match &names[..] {
            [] => failure,
            names => failure.partial(&format!("wrote form {}", names.join(", form "))),
        })?;
        for page in pages {
            if let Some(planned) = &mut self.state.pages[page.nth()].planned {
                let refers = planned.put_forms(&self.state.written_forms);
                if is_later || refers {
                    page.revise(planned.proposal());
                }
            }
        }
        Ok(())
    }

    /// Creates and changes the forms, and puts the ids of new ones into the plans.
    async fn write_forms(&mut self) -> Result<()> {
        if self.state.forms.iter().any(|form| form.plan.id.is_none()) {
            // Another client may have created it since, also while a user was asked, and forms cannot be deleted.
            let before = self.known.account(&self.state.client).await?;
            let now = all_forms(&self.state.client).await?;
            self.state.forms.iter().try_for_each(|form| form.check_new(before, &now))?;
        }
        let mut differing = Vec::new();
        for form in self.state.forms.iter().filter(|form| !form.plan.is_empty()) {
            let (client, is_locked) = (&self.state.client, self.state.options.locked);
            let (name, id, checked) = form.write(self.context, client, is_locked).await?;
            differing.extend(checked.err());
            // Two forms without files may have one title.
            let is_taken = self.state.written_forms.contains_key(&name);
            let name = if is_taken { id.clone() } else { name };
            self.known.add(&name, Some(id.as_str().into()));
            self.state.written_forms.insert(name, id);
        }
        CommandError::if_any(differing, "forms differ from what was sent")
    }

    /// Records the syncs of the pages, also of what was written to those that failed, and of the forms that have no changes: the others were
    /// recorded when they were written.
    pub(super) fn record(&mut self, ended: &[Result<Applied, RunFailure>]) {
        let (context, state) = (&*self.context, &mut self.state);
        for form in state.forms.iter().filter(|it| it.plan.is_empty() && !state.options.locked) {
            form.store(context, None);
        }
        for (nth, result) in ended.iter().enumerate() {
            let page = &mut state.pages[nth];
            let failure = match result {
                Ok(applied) => {
                    page.record(context, applied);
                    continue;
                }
                Err(failure) => failure,
            };
            if let Some(known) = failure.of_run().and_then(ApplyError::page)
                && let Err(error) = page.record_sent(context, known)
            {
                let text = format!("cannot record what was written: {error}");
                context.ui.tell(Style::Changed, state.named(&known.login) + &text);
            }
        }
    }

    /// Creates the pages that are missing. Returns those that exist now.
    pub(super) async fn create_pages(&mut self, pages: Vec<OpenPage>) -> Vec<OpenPage> {
        let mut ready = Vec::new();
        for mut page in pages {
            match self.create(&mut page).await {
                Ok(()) => ready.push(page),
                Err(failure) => drop(self.ended.insert(page.nth(), Err(failure))),
            }
        }
        ready
    }

    /// Executes all plans. Returns a result for each page of the run.
    pub(super) async fn execute(
        &mut self,
        pages: Vec<OpenPage>,
    ) -> Vec<Result<Applied, RunFailure>> {
        let mut results = std::mem::take(&mut self.ended);
        // A slot that is deleted on another page may have been meant for one that failed, or that is left out.
        let is_incomplete = results.values().any(Result::is_err);
        let on_step = &mut |nth, step, done: &_| self.step(nth, step, done);
        for page in execute(pages, is_incomplete, on_step).await {
            if let Some(error) = page.not_recorded {
                let path = self.state.pages[page.nth].path.display().to_string();
                let text = format!(
                    "{}the journal is incomplete: {error}; check the page for changes",
                    self.state.named(&path)
                );
                self.context.ui.tell(Style::Changed, text);
            }
            results.insert(page.nth, page.result.map_err(RunFailure::from));
        }
        let results: Vec<_> = results.into_values().collect();
        if results.iter().any(|it| it.as_ref().is_err_and(RunFailure::is_stopped)) {
            self.running.end_soon();
        }
        results
    }

    /// Creates a page that does not exist, and plans again: the service decides what a new page holds.
    async fn create(&mut self, page: &mut OpenPage) -> Result<(), RunFailure> {
        let nth = page.nth();
        if page.snapshot().exists() {
            return Ok(());
        }
        if self.step(nth, Step::CreatePage, &AppliedChanges::default()).is_break() {
            return Err(ApplyError::from(ApplyCause::Stopped).into());
        }
        page.create().await?;
        let state = &mut self.state.pages[nth];
        state.done.is_page_created = true;
        if let Some(PlannedPage { file, record, .. }) = state.planned.take() {
            let proposal = self.plan(page, RecordedFile { file, record }).await?.proposal();
            page.propose(proposal)?;
        }
        Ok(())
    }

    fn step(&mut self, nth: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.state.pages[nth].done = done.clone();
        if self.is_silent {
            return ControlFlow::Continue(());
        }
        let writing = self.state.planned().filter(|planned| !planned.plan().is_empty());
        let steps = writing.map(|planned| planned.plan().request_count() - 1).sum();
        let login = self.state.pages[nth].planned.as_ref().map(|it| it.page.login.as_str());
        let login = self.state.named(login.unwrap_or_default());
        self.running.step(&self.context.ui, steps, &format!("{login}{}", step_message(step)))
    }
}

/// Returns the known problems of a file, or else the failure that kept it from being checked further.
pub(super) fn file_diagnostics_or(file: &PageFile, failure: CommandError) -> CommandError {
    match file.missing.as_slice() {
        [] => failure,
        known => file.document.bad(known.to_vec()).into(),
    }
}

/// Returns the request for the page of a file. A command for one page does not create it; others do where neither the record of the last sync
/// nor `locked` forbids it.
pub(super) fn page_request(
    record: Option<&SyncRecord>,
    path: &Path,
    file: &PageFile,
    options: &RunOptions,
) -> PageRequest {
    if options.is_one_page {
        let recorded = record.and_then(|record| record.page_key(file));
        let keys = vec![recorded.unwrap_or_else(|| file.page.profile.clone())];
        return PageRequest { keys, path: options.path.clone(), may_create: false };
    }
    let path = Some(runs::recorded_path(path));
    if let Some(id) = record.and_then(|record| record.known_page(file)) {
        return PageRequest { keys: vec![ProfileKey::Id(id)], path, may_create: false };
    }
    let mut keys = vec![file.page.profile.clone()];
    keys.extend(file.page.login.as_deref().and_then(|it| it.parse().ok()));
    let may_create = matches!(keys[0], ProfileKey::Login(_)) && !options.locked;
    PageRequest { keys, path, may_create }
}
