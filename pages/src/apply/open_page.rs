//! A page of a run from its first read to its first write: read, lock, read again where needed, settle, write down.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::create::failed;
use super::journal::Journal;
use super::known_page::OTHER_STATE;
use super::page_run::{PageRun, read_again};
use super::page_turns::PageTurn;
use super::run_settings::{RunMarks, RunSettings};
use super::{
    Applied, AppliedChanges, ApplyCause, ApplyError, DesiredPage, JournalEntries, LockError,
    PageLock, PageSnapshot, Plan, Proposal, RecordWrite, RecordedRun, RunCommand, RunHeader,
    RunState, Step, fingerprint,
};
use links_sdk::runs::{self, LockRetry, blocking, machine};
use links_sdk::types::Profile;
use links_sdk::{Client, NewProfile, Outcome, ProfileKey, SlotId};

/// A page of a run, from its first read to its first write.
#[derive(Debug)]
pub struct OpenPage {
    nth: usize,
    client: Client,
    settings: RunSettings,
    page: Arc<PageSnapshot>,
    is_new: bool,
    /// False for a page of a run that only plans.
    writes: bool,
    /// Turn of the run on the page, once it is locked.
    turn: Option<PageTurn>,
    /// The lock, if a journal is written. That the directory cannot be used does not matter if there is nothing to do.
    lock: Option<Result<PageLock, LockError>>,
    /// Journals of the runs of the page that have not ended, if they were read under the lock.
    logs: Option<Vec<JournalEntries>>,
    /// The journal, with the lock, of a run that is continued.
    journal: Option<Journal>,
    /// The journal of an interrupted run of the same command with another content: it is done if nothing is left to write.
    continued: Option<Box<Journal>>,
    created: BTreeMap<usize, SlotId>,
    /// Changes of an interrupted run that were found when it was settled, or the creation of the page.
    settled: AppliedChanges,
    proposal: Option<Proposal>,
    /// Set if something that took time came after the plan: the page is read again before it is written.
    took_time: bool,
}

impl OpenPage {
    pub(super) fn new(
        nth: usize,
        client: Client,
        settings: RunSettings,
        page: PageSnapshot,
        writes: bool,
    ) -> Self {
        Self {
            nth,
            client,
            settings,
            is_new: !page.exists(),
            page: Arc::new(page),
            writes,
            turn: None,
            lock: None,
            logs: None,
            journal: None,
            continued: None,
            created: BTreeMap::new(),
            settled: AppliedChanges::default(),
            proposal: None,
            took_time: false,
        }
    }

    /// Locks the page, which was read after `marks` were taken. It is read again unless nothing can have changed in between.
    pub(super) async fn lock(&mut self, marks: &RunMarks) -> Result<(), ApplyCause> {
        let (client, id, waits) = (&self.client, self.page.id, self.settings.wait);
        let runs = self.settings.store(client, id);
        let held = async {
            let page = (client.base_url().to_string() + machine(), id);
            let turn = PageTurn::take(page, waits || runs.is_none()).await?;
            let lock = match &runs {
                Some(runs) => match runs.lock_when_free(waits).await {
                    Err(error @ LockError::Taken(_)) => return Err(error),
                    lock => Some(lock),
                },
                None => None,
            };
            Ok((turn, lock))
        };
        let (turn, lock) = until_deadline(client, waits, held).await?;
        let mut is_changed = !turn.is_first_since(marks.turns);
        if let (Some(Ok(lock)), Some(of_page)) = (&lock, runs.clone()) {
            let (unended, now) = blocking(move || (of_page.unended(), of_page.mark())).await;
            let logs = self.logs.insert(logs(unended)?);
            is_changed |= lock.was_awaited
                || logs.iter().any(JournalEntries::is_unsettled)
                || marks.journals.get(&id).unwrap_or(&None) != &now;
        }
        (self.turn, self.lock) = (Some(turn), lock);
        if is_changed {
            self.page = Arc::new(PageSnapshot::read(client, &ProfileKey::Id(id)).await?);
        }
        // A page that is empty although the last run left slots on it is read once more, in the other way.
        if let Some(runs) = runs.filter(|_| self.page.slots.is_empty()) {
            let runs = logs(blocking(move || runs.list()).await)?;
            let known = runs.last().map_or(0, |log| log.slots);
            if known > 0 {
                self.page = Arc::new(self.page.with_new_slots(client).await?);
                if self.page.slots.is_empty() && !self.settings.allow_emptied {
                    return Err(ApplyCause::Emptied(known));
                }
            }
        }
        Ok(())
    }

    /// Returns the index of the page in the run.
    pub fn nth(&self) -> usize {
        self.nth
    }

    /// Returns the page as it was read, or a page that does not exist yet ([`PageSnapshot::exists`]).
    pub fn snapshot(&self) -> &Arc<PageSnapshot> {
        &self.page
    }

    /// Returns whether the page did not exist when the run started.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Reads the remaining data that the desired content is compared with, and resolves an interrupted run by finding out whether its last
    /// request was executed. Returns the journal of that run, and whether it is continued. A run that only plans returns the run that would
    /// be continued, or whose last request may have been executed.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{DesiredPage, PageRequest, Run, RunSettings};
    ///
    /// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
    /// let mut page = Run::begin(&client, vec![request], RunSettings::new()).await?.open(0).await?;
    /// assert!(page.settle(&DesiredPage::default()).await?.is_none());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page or a journal cannot be read, or it is unclear what the interrupted run did.
    pub async fn settle(
        &mut self,
        desired: &DesiredPage,
    ) -> Result<Option<(JournalEntries, bool)>, ApplyError> {
        let settled = self.settle_run(desired).await;
        settled.map_err(|cause| self.failed(cause))
    }

    async fn settle_run(
        &mut self,
        desired: &DesiredPage,
    ) -> Result<Option<(JournalEntries, bool)>, ApplyCause> {
        // Nothing is known of a page that does not exist.
        if !self.page.exists() {
            return Ok(None);
        }
        if desired.fields.contains_key("languageCode") {
            Arc::make_mut(&mut self.page).read_language(&self.client).await?;
        }
        let Some(runs) = self.settings.store(&self.client, self.page.id) else { return Ok(None) };
        let logs = match self.logs.take() {
            Some(logs) => logs,
            None => {
                let runs = runs.clone();
                logs(blocking(move || runs.unended()).await)?
            }
        };
        let Some(mut log) = unfinished(&logs).cloned() else { return Ok(None) };
        let is_resumed = log.opening.is_of(desired);
        let call = &self.settings.command.call;
        let is_of_call = call.is_some() && log.opening.command.call == *call;
        if self.writes {
            let lock = self.lock.take().ok_or_else(|| not_prepared("the page is not locked"))??;
            let (of_page, run) = (runs.clone(), log.run.clone());
            let resumed = blocking(move || of_page.resume(Some(lock), &run)).await;
            let path = runs.journal(&log.run);
            let mut journal = resumed.map_err(|why| ApplyCause::BadJournal { path, why })?;
            if let Some(turn) = self.turn.as_mut().filter(|_| journal.log.is_unsettled()) {
                let page = Arc::make_mut(&mut self.page);
                // The settlement may send the last create once more.
                turn.lock(&self.client).await?;
                let settled = journal.settle(&self.client, page, desired).await;
                turn.unlock(&self.client).await;
                self.settled = journal.log.done.since(&log.done);
                settled?;
                log = journal.log.clone();
            }
            if is_resumed {
                self.journal = Some(journal);
            } else if is_of_call {
                self.lock = journal.lock.take().map(Ok);
                self.continued = Some(Box::new(journal));
            } else {
                // What the other run has done is not a part of this one.
                self.settled = AppliedChanges::default();
                self.lock = journal.replace().map(Ok);
            }
        } else {
            log.done.created = log.created_on(&self.page.slots);
        }
        if is_resumed {
            self.created.clone_from(&log.done.created);
        }
        // A run that only plans leaves that of another file alone.
        let is_told = is_resumed || self.writes || log.is_unsettled();
        Ok(is_told.then_some((log, is_resumed || is_of_call)))
    }

    /// Returns the slots that an interrupted run created, by the index of their item.
    pub fn created(&self) -> BTreeMap<usize, SlotId> {
        self.created.clone()
    }

    /// Records the run on this page under another command than the settings.
    pub fn record_as(&mut self, command: RunCommand) {
        self.settings.command = command;
    }

    /// Returns the name of the call of the program that started the interrupted run, if that run is continued and its journal has the name.
    pub fn resumed_call(&self) -> Option<&str> {
        self.journal.as_ref()?.log.opening.command.call.as_deref()
    }

    /// Records the run on this page as part of another call of the program.
    pub fn record_as_part_of(&mut self, call: &str) {
        self.settings.command.call = Some(call.to_owned());
    }

    /// Returns whether an interrupted run is continued.
    pub fn is_resumed(&self) -> bool {
        self.journal.is_some()
    }

    /// Sets the plan. It must be made from the page as it was read.
    ///
    /// # Errors
    ///
    /// When the plan was made from another state of the page, or there is something to write and the page could not be locked.
    pub fn propose(&mut self, proposal: Proposal) -> Result<(), ApplyError> {
        if self.turn.is_some() {
            self.check_plan(&proposal).map_err(|cause| self.failed(cause))?;
            // The user is not asked in vain.
            if !proposal.plan.is_empty()
                && let Some(Err(error)) = self.lock.take_if(|lock| lock.is_err())
            {
                return Err(self.failed(error.into()));
            }
        }
        self.proposal = Some(proposal);
        Ok(())
    }

    /// Checks that the plan was made for the page as it was read under the lock.
    fn check_plan(&self, proposal: &Proposal) -> Result<(), ApplyCause> {
        self.check_fields(proposal)?;
        let is_of_it = proposal.plan.page == fingerprint(&self.page.slots);
        if is_of_it {
            Ok(())
        } else {
            Err(ApplyCause::Changed(vec![OTHER_STATE.to_owned()], Outcome::NotExecuted))
        }
    }

    /// Checks the profile fields of the plan, which the fingerprint of the slots does not cover.
    fn check_fields(&self, proposal: &Proposal) -> Result<(), ApplyCause> {
        let found = proposal.plan.fields.conflicts(&self.page.fields());
        if found.is_empty() {
            Ok(())
        } else {
            Err(ApplyCause::Changed(found, Outcome::NotExecuted))
        }
    }

    /// Sets the plan after a question to a user, an upload, or another step that took time. Its values may differ. The page is read again
    /// before it is written.
    pub fn revise(&mut self, proposal: Proposal) {
        self.proposal = Some(proposal);
        self.took_time = true;
    }

    /// Returns the plan.
    pub fn plan(&self) -> Option<&Arc<Plan>> {
        self.proposal.as_ref().map(|proposal| &proposal.plan)
    }

    /// Returns the plan with the content and the options that it was made for.
    pub fn proposal(&self) -> Option<&Proposal> {
        self.proposal.as_ref()
    }

    /// Returns whether the page would be created or written.
    pub fn has_changes(&self) -> bool {
        !self.page.exists() || self.plan().is_some_and(|plan| !plan.is_empty())
    }

    /// Returns whether all deletes of the plan were already confirmed in an interrupted run.
    pub fn is_confirmed(&self) -> bool {
        let (Some(journal), Some(plan)) = (&self.journal, self.plan()) else { return false };
        let planned = journal.log.plans.iter().flat_map(|it| &it.plan.deletes);
        let confirmed: BTreeSet<SlotId> = planned.map(|delete| delete.id).collect();
        plan.deletes.iter().all(|delete| confirmed.contains(&delete.id))
    }

    /// Creates the page if it does not exist, then reads and locks it. You must settle and plan it again, because the service decides the
    /// content of a new page.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageRequest, Run, RunSettings};
    ///
    /// let request = PageRequest { keys: vec!["terrace".parse()?], path: None, may_create: true };
    /// let mut page = Run::begin(&client, vec![request], RunSettings::new()).await?.open(0).await?;
    /// assert!(!page.snapshot().exists());
    /// page.create().await?;
    /// assert_eq!(page.snapshot().login, "terrace");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page is not created, or cannot be read or locked. [`ApplyError::done`] shows which.
    pub async fn create(&mut self) -> Result<(), ApplyError> {
        if self.page.exists() {
            return Ok(());
        }
        self.check_writes()?;
        let login = self.page.login.clone();
        // A journal that cannot be written is no reason to stop: the run of the page needs one that can be.
        let write = self.settings.single_write(&self.client, &login, None);
        let changed = [("login", login.clone())].into_iter().collect();
        let record = RecordWrite::creating("createProfile", changed);
        let create = self.client.profiles().create(NewProfile::with_login(login));
        let shown = |page: &Profile| serde_json::to_value(page).ok();
        let created = write.write_record(record, create, shown).await;
        write.close(created.is_ok());
        let created = created.map_err(|error| failed(Step::CreatePage, error))?;
        self.settled.is_page_created = true;
        let marks = self.settings.marks(&self.client, &[Some(created.id)]).await;
        let page = PageSnapshot::read(&self.client, &ProfileKey::Id(created.id)).await;
        self.page = Arc::new(page.map_err(|error| self.failed(error.into()))?);
        self.lock(&marks).await.map_err(|cause| self.failed(cause))?;
        (self.proposal, self.took_time) = (None, false);
        Ok(())
    }

    fn check_writes(&self) -> Result<(), ApplyCause> {
        if self.writes { Ok(()) } else { Err(not_prepared("a run that only plans cannot write")) }
    }

    /// Writes the plan down, after reading the page again where that is needed. Breaks with the result where nothing is to be written.
    pub(super) async fn begin(mut self) -> Result<ControlFlow<Applied, PageRun>, ApplyError> {
        self.check_writes()?;
        let (Some(mut turn), Some(proposal)) = (self.turn.take(), self.proposal.take()) else {
            return Err(ApplyCause::Stopped.into());
        };
        if proposal.plan.is_empty() && !self.is_new {
            let Self { page, journal, continued, settled: done, .. } = self;
            let (plan, slots) = (proposal.plan, page.slots.len());
            let run = match journal.or(continued.map(|it| *it)) {
                Some(mut journal) => {
                    let committed = blocking(move || {
                        journal.commit(slots);
                        journal.log.run
                    });
                    Some(committed.await)
                }
                None => None,
            };
            return Ok(ControlFlow::Break(Applied { page, plan, done, run }));
        }
        let is_fresh = self.page.read_time.is_some_and(|time| time.is_fresh(&self.client));
        // A page that was created a moment ago is as it was planned.
        if self.took_time || !self.is_new && !is_fresh {
            if proposal.plan.is_compared_when_written() {
                // The first request compares the page with what was read here, not with what the plan is based on.
                self.check_fields(&proposal).map_err(|cause| self.failed(cause))?;
                Arc::make_mut(&mut self.page).read_time = None;
            } else if let Err(cause) = self.read_again(&proposal).await {
                return Err(self.failed(cause));
            }
        }
        let journal = match self.begin_locked(&mut turn, &proposal).await {
            Ok(journal) => journal,
            Err(cause) => {
                turn.unlock(&self.client).await;
                return Err(self.failed(cause));
            }
        };
        let Self { nth, client, page, settled, settings, .. } = self;
        let mut run = PageRun::new(nth, &client, page, proposal, journal, settled, turn);
        run.adds = settings.adds;
        Ok(ControlFlow::Continue(run))
    }

    /// Locks the page for other machines, and records the plan. Where there are other machines, the page is read once more.
    async fn begin_locked(
        &mut self,
        turn: &mut PageTurn,
        proposal: &Proposal,
    ) -> Result<Option<Journal>, ApplyCause> {
        let (client, waits, mut retry) = (&self.client, self.settings.wait, LockRetry::default());
        let locked = async {
            loop {
                match turn.lock(client).await {
                    Err(LockError::Elsewhere) if waits => retry.pause().await,
                    locked => return locked,
                }
            }
        };
        if until_deadline(client, waits, locked).await? {
            self.read_again(proposal).await?;
        }
        self.record(proposal).await
    }

    /// Reads the page once more, and checks the plan, which may be a new one.
    async fn read_again(&mut self, proposal: &Proposal) -> Result<(), ApplyCause> {
        self.page = Arc::new(read_again(&self.client, &self.page, proposal, Step::Check).await?);
        self.check_plan(proposal)
    }

    /// Records the plan in the journal before any of it is executed.
    ///
    /// Refuses a run that is not settled, or whose page is not locked although it has a journal: an earlier step has failed.
    async fn record(&mut self, proposal: &Proposal) -> Result<Option<Journal>, ApplyCause> {
        if self.logs.as_deref().is_some_and(|logs| unfinished(logs).is_some()) {
            return Err(not_prepared("an interrupted run is still unresolved"));
        }
        let (plan, page, settings) = (proposal.plan.clone(), self.page.clone(), &self.settings);
        let sync = proposal.options.sync.clone();
        let runs = settings.store(&self.client, page.id);
        let journal = match (self.journal.take(), self.lock.take().transpose()?, runs) {
            (Some(mut journal), ..) => {
                blocking(move || journal.plan(&plan, &page, sync.as_ref()).map(|()| journal)).await
            }
            (None, Some(lock), Some(runs)) => {
                let continued = self.continued.take();
                let service = settings.service_of(&self.client);
                let opening = RunHeader {
                    path: settings.path.clone(),
                    owner: settings.owner.clone(),
                    command: settings.command.clone(),
                    ..RunHeader::new(service, &page, &proposal.file, &proposal.options)
                };
                let types = proposal.options.types.clone();
                let opened = move || {
                    drop(continued.map(|journal| journal.replace()));
                    let write = |journal: &mut Journal| journal.plan(&plan, &page, sync.as_ref());
                    runs.open(Some(lock), opening, Some(&page.slots), &types, write)
                };
                blocking(opened).await
            }
            (None, None, Some(_)) => return Err(not_prepared("the page is not locked")),
            (None, _, None) => return Ok(None),
        };
        journal.map(Some).map_err(ApplyCause::Journal)
    }

    /// Returns whether an interrupted run was found to have written something, or a request of it was sent again.
    pub(crate) fn has_settled(&self) -> bool {
        !self.settled.is_nothing()
    }

    pub(super) fn failed(&self, cause: ApplyCause) -> ApplyError {
        let run = self.journal.as_ref().map(|journal| journal.log.run.clone());
        ApplyError::new(cause, self.settled.clone(), run)
    }
}

/// Waits for another run on the page, until the deadline of the client's calls. Without one, a run that was told to wait does so for ever.
async fn until_deadline<T>(
    client: &Client,
    waits: bool,
    held: impl Future<Output = Result<T, LockError>>,
) -> Result<T, LockError> {
    let clock = runs::clock(client);
    let deadline = runs::deadline(client, waits.then_some(Duration::MAX));
    let until = clock.monotonic().saturating_add(deadline);
    tokio::select! {
        biased;
        held = held => held,
        () = clock.until(until) => Err(LockError::Taken(None)),
    }
}

/// Returns the journals of runs. Fails if the journal of an open run cannot be used.
fn logs(runs: io::Result<Vec<RecordedRun>>) -> Result<Vec<JournalEntries>, ApplyCause> {
    let recorded = runs.map_err(ApplyCause::Journals)?;
    let in_use = recorded.into_iter().filter(|it| it.log.is_ok() || it.is_open());
    in_use.map(|it| it.log.map_err(|why| ApplyCause::BadJournal { path: it.path, why })).collect()
}

fn not_prepared(why: &str) -> ApplyCause {
    ApplyCause::Journals(io::Error::other(why))
}

fn unfinished(logs: &[JournalEntries]) -> Option<&JournalEntries> {
    logs.iter().rev().find(|log| log.state == RunState::Unfinished)
}
