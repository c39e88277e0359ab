//! A run from its first read to its first write: read, lock, read again where needed, settle, write down.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::create::{failed, list};
use super::journal::Journal;
use super::page_run::PageRun;
use super::page_snapshot::read_page;
use super::page_turns::PageTurn;
use super::run_settings::{RunMarks, RunSettings};
use super::{
    AppliedChanges, ApplyCause, ApplyError, DesiredPage, JournalEntries, JournalStore, LockError,
    PageLock, PageSnapshot, Plan, Proposal, RecordedRun, RunHeader, RunState, Step, fingerprint,
};
use links_sdk::SlotId;
use links_sdk::runs::ReadTime;
use links_sdk::runs::blocking;
use links_sdk::{Client, ProfileKey, runs};

/// Exclusive access of a run to its page.
#[derive(Debug)]
enum PageHold {
    /// No lock, because no journal is written.
    Nothing,
    /// No lock, because the directory cannot be used. That does not matter if there is nothing to do.
    Failed(LockError),
    Lock(PageLock),
    /// The journal, with its lock, of a run that is continued.
    Journal(Box<Journal>),
}

/// A run from its first read to its first write.
#[derive(Debug)]
pub(super) struct PreparedRun {
    client: Client,
    settings: RunSettings,
    runs: Option<JournalStore>,
    hold: PageHold,
    turn: PageTurn,
    pub(super) page: Arc<PageSnapshot>,
    /// Set if the file says which language the page has.
    with_language: bool,
    /// Journals of the runs of the page that have not ended, if they were read under the lock.
    logs: Option<Vec<JournalEntries>>,
    /// Changes of an interrupted run that were found when it was settled.
    pub(super) settled: AppliedChanges,
}

impl PreparedRun {
    /// Locks a page that was read after `marks` were taken. It is read again unless nothing can have changed in between.
    pub(super) async fn lock(
        client: &Client,
        mut page: PageSnapshot,
        marks: &RunMarks,
        settings: RunSettings,
    ) -> Result<Self, ApplyCause> {
        let id = page.id;
        let runs = settings.store(client, id);
        let held = async {
            let page = (client.base_url().as_str().to_owned(), id);
            let turn = PageTurn::take(page, settings.wait || runs.is_none()).await?;
            let lock = match &runs {
                Some(runs) => Some(runs.lock_when_free(settings.wait).await),
                None => None,
            };
            Ok((turn, lock))
        };
        let (turn, lock) =
            until_deadline(client, settings.wait, held).await.map_err(ApplyCause::Lock)?;
        let (mut hold, mut recorded) = (PageHold::Nothing, None);
        let mut is_changed = !turn.is_first_since(marks.turns);
        match (lock, &runs) {
            (Some(Ok(lock)), Some(runs)) => {
                let of_page = runs.clone();
                let (unended, now) = blocking(move || (of_page.unended(), of_page.mark())).await;
                let logs = recorded.insert(logs(unended)?);
                is_changed |= lock.was_awaited
                    || logs.iter().any(JournalEntries::is_in_doubt)
                    || marks.journals.as_ref().is_none_or(|marks| marks.are_past(id, &now));
                hold = PageHold::Lock(lock);
            }
            (Some(Err(error @ LockError::Taken(_))), _) => return Err(ApplyCause::Lock(error)),
            (Some(Err(error)), _) => hold = PageHold::Failed(error),
            _ => {}
        }
        if is_changed {
            page = read(client, &ProfileKey::Id(id)).await?;
        }
        let settled = AppliedChanges::default();
        let page = Arc::new(page);
        let (logs, with_language) = (recorded, false);
        let client = client.clone();
        let mut prepared =
            Self { client, settings, runs, hold, turn, page, with_language, logs, settled };
        prepared.recheck_empty().await?;
        Ok(prepared)
    }

    /// Reads a page that is empty although the last run left slots on it once more, in the other way. Fails if it is still empty and may
    /// not be.
    async fn recheck_empty(&mut self) -> Result<(), ApplyCause> {
        let Some(runs) = self.runs.as_ref().filter(|_| self.page.slots.is_empty()) else {
            return Ok(());
        };
        let runs = runs.clone();
        let known = logs(blocking(move || runs.list()).await)?.last().map_or(0, |log| log.slots);
        if known == 0 {
            return Ok(());
        }
        let page = Arc::make_mut(&mut self.page);
        page.read_slots_again(&self.client).await.map_err(ApplyCause::Read)?;
        if self.page.slots.is_empty() && !self.settings.allow_emptied {
            return Err(ApplyCause::Emptied(known));
        }
        Ok(())
    }

    /// Reads the language of the page, if the file says which it has.
    pub(super) async fn read_language(&mut self, desired: &DesiredPage) -> Result<(), ApplyCause> {
        self.with_language = needs_language(desired);
        if self.with_language {
            let read = Arc::make_mut(&mut self.page).read_language(&self.client).await;
            read.map_err(ApplyCause::Read)?;
        }
        Ok(())
    }

    /// Settles whether the last request of an interrupted run was executed. A run for the same page file is continued.
    pub(super) async fn settle(
        &mut self,
        desired: &DesiredPage,
    ) -> Result<Option<(JournalEntries, bool)>, ApplyCause> {
        let Some(runs) = self.runs.clone() else { return Ok(None) };
        let logs = match self.logs.take() {
            Some(logs) => logs,
            None => {
                let runs = runs.clone();
                logs(blocking(move || runs.unended()).await)?
            }
        };
        let Some(log) = unfinished(&logs) else { return Ok(None) };
        let (lock, of_page, run) = (self.locked()?, runs.clone(), log.run.clone());
        let resumed = blocking(move || of_page.resume(Some(lock), &run)).await;
        let path = runs.journal(&log.run);
        let mut journal = resumed.map_err(|why| ApplyCause::BadJournal { path, why })?;
        let before = journal.log.done.clone();
        let page = Arc::make_mut(&mut self.page);
        let settled = journal.settle(&self.client, page, desired).await;
        self.settled = journal.log.done.since(&before);
        settled?;
        let log = journal.log.clone();
        let is_resumed = log.opening.is_of(desired);
        self.hold = if is_resumed {
            PageHold::Journal(Box::new(journal))
        } else {
            journal.replace().map_or(PageHold::Nothing, PageHold::Lock)
        };
        Ok(Some((log, is_resumed)))
    }

    /// Takes the lock out of `hold`, for another use.
    fn locked(&mut self) -> Result<PageLock, ApplyCause> {
        let lock = match std::mem::replace(&mut self.hold, PageHold::Nothing) {
            PageHold::Lock(lock) => Some(lock),
            PageHold::Failed(error) => return Err(ApplyCause::Lock(error)),
            PageHold::Journal(journal) => journal.replace(),
            PageHold::Nothing => None,
        };
        lock.ok_or_else(|| not_prepared("the page is not locked"))
    }

    /// Fails early if the lock could not be taken, so that the user is not asked in vain.
    pub(super) fn check_lock(&mut self) -> Result<(), ApplyCause> {
        match std::mem::replace(&mut self.hold, PageHold::Nothing) {
            PageHold::Failed(error) => Err(ApplyCause::Lock(error)),
            hold => {
                self.hold = hold;
                Ok(())
            }
        }
    }

    fn log(&self) -> Option<&JournalEntries> {
        match &self.hold {
            PageHold::Journal(journal) => Some(&journal.log),
            _ => None,
        }
    }

    pub(super) fn created(&self) -> BTreeMap<usize, SlotId> {
        self.log().map(|log| log.done.created.clone()).unwrap_or_default()
    }

    /// Returns whether an interrupted run is continued.
    pub(super) fn is_resumed(&self) -> bool {
        matches!(self.hold, PageHold::Journal(_))
    }

    /// Returns whether an interrupted run was confirmed with all deletes of the plan.
    pub(super) fn is_confirmed(&self, plan: &Plan) -> bool {
        let is_covered =
            |log: &JournalEntries| plan.deletes.iter().all(|delete| log.has_confirmed(delete));
        self.log().is_some_and(is_covered)
    }

    /// Checks that the plan was made for the page as it was read under the lock.
    pub(super) fn check_plan(&self, proposal: &Proposal) -> Result<(), ApplyCause> {
        if proposal.plan.page == fingerprint(&self.page.slots) {
            return Ok(());
        }
        Err(ApplyCause::Changed(vec!["the plan was made for another state of it".to_owned()]))
    }

    /// Returns whether other clients had time to change the page since it was read.
    pub(super) fn is_outdated(&self, took_time: bool) -> bool {
        took_time || self.page.read_time.is_none_or(|time| !time.is_fresh(&self.client))
    }

    /// Reads the page once more, and checks the plan, which may be a new one.
    pub(super) async fn read_again(&mut self, proposal: &Proposal) -> Result<(), ApplyCause> {
        let fields = &proposal.plan.fields;
        if fields.is_empty() {
            let handle = self.client.profile(self.page.id);
            let mut page = self.page.with_slots(list(&handle, Step::Check).await?);
            page.read_time = Some(ReadTime::now(&self.client));
            self.page = Arc::new(page);
        } else {
            let page = read_page(&self.client, self.page.id, self.with_language).await;
            self.page = Arc::new(page.map_err(|error| failed(Step::Check, error))?);
            let found = fields.conflicts(&self.page.fields());
            if !found.is_empty() {
                return Err(ApplyCause::Changed(found));
            }
        }
        self.check_plan(proposal)
    }

    /// Ends a run that has nothing to do. Returns the page, and the name of the run if it is one that was continued.
    pub(super) async fn nothing_to_do(self) -> (Arc<PageSnapshot>, Option<String>) {
        let Self { page, hold, turn: _turn, .. } = self;
        let slots = page.slots.len();
        let run = match hold {
            PageHold::Journal(mut journal) => {
                let commit = move || {
                    journal.commit(slots);
                    journal.log.run.clone()
                };
                Some(blocking(commit).await)
            }
            _ => None,
        };
        (page, run)
    }

    /// Records the plan in the journal before any of it is executed.
    ///
    /// Refuses a run that is not settled, or whose page is not locked although it has a journal: an earlier step has failed.
    pub(super) async fn begin(self, proposal: Proposal) -> Result<PageRun, ApplyCause> {
        if self.logs.as_deref().is_some_and(|logs| unfinished(logs).is_some()) {
            return Err(not_prepared("an interrupted run was not settled"));
        }
        let Self { client, settings, runs, hold, turn, page, settled, .. } = self;
        let (plan, of_page) = (proposal.plan.clone(), page.clone());
        let journal = match (hold, runs) {
            (PageHold::Journal(mut journal), _) => {
                let planned = move || journal.plan(&plan, &of_page).map(|()| *journal);
                Some(blocking(planned).await)
            }
            (PageHold::Lock(lock), Some(runs)) => {
                let Proposal { file, options, .. } = &proposal;
                let opening = RunHeader::new(settings.service_of(&client), &page, file, options)
                    .with_path(settings.path)
                    .with_owner(settings.owner)
                    .with_command(settings.command);
                let types = options.types.clone();
                let opened = move || {
                    let write = |journal: &mut Journal| journal.plan(&plan, &of_page);
                    runs.open(Some(lock), opening, Some(&of_page.slots), &types, write)
                };
                Some(blocking(opened).await)
            }
            (PageHold::Failed(error), _) => return Err(ApplyCause::Lock(error)),
            (PageHold::Nothing, Some(_)) => return Err(not_prepared("the page is not locked")),
            _ => None,
        };
        let journal = journal.transpose().map_err(ApplyCause::Journal)?;
        Ok(PageRun::new(&client, page, proposal, journal, settled, turn))
    }

    pub(super) fn failed(&self, cause: ApplyCause) -> ApplyError {
        let run = self.log().map(|log| log.run.clone());
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

/// Returns the interrupted run of the same content, which a run would continue, with the slots that it created as far as the page shows them.
pub(super) async fn interrupted_before(
    client: &Client,
    settings: &RunSettings,
    page: &PageSnapshot,
    desired: &DesiredPage,
) -> Result<Option<JournalEntries>, ApplyCause> {
    let Some(runs) = settings.store(client, page.id) else { return Ok(None) };
    let logs = logs(blocking(move || runs.unended()).await)?;
    let same = unfinished(&logs).filter(|log| log.opening.is_of(desired));
    let mut log = same.cloned();
    if let Some(log) = &mut log {
        log.done.created = log.created_on(&page.slots);
    }
    Ok(log)
}

pub(super) fn needs_language(desired: &DesiredPage) -> bool {
    desired.fields.contains_key("languageCode")
}

pub(super) async fn read(client: &Client, key: &ProfileKey) -> Result<PageSnapshot, ApplyCause> {
    PageSnapshot::read(client, key).await.map_err(ApplyCause::Read)
}

/// Returns the journals of runs. Fails if the journal of an open run cannot be used.
fn logs(runs: io::Result<Vec<RecordedRun>>) -> Result<Vec<JournalEntries>, ApplyCause> {
    let recorded = runs.map_err(ApplyCause::Journals)?;
    let in_use = recorded.into_iter().filter(|it| it.log.is_ok() || it.is_open());
    in_use.map(|it| it.log.map_err(|why| ApplyCause::BadJournal { path: it.path, why })).collect()
}

pub(super) fn not_prepared(why: &str) -> ApplyCause {
    ApplyCause::Journals(io::Error::other(why))
}

fn unfinished(logs: &[JournalEntries]) -> Option<&JournalEntries> {
    logs.iter().rev().find(|log| log.state == RunState::Unfinished)
}
