//! A run over one page or several, which its caller drives from the first read to the verification.
//!
//! Everything that adds comes before everything that removes, across the pages: a slot that moves from one page to another is never on
//! neither of them. A page without room for its new slots first deletes others; it is written after the additions of all other pages.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::create::failed;
use super::journal::Journal;
use super::page_request::{FoundPage, PageRequest, find_pages};
use super::page_run::PageRun;
use super::prepared_run::{PreparedRun, interrupted_before, needs_language, not_prepared, read};
use super::run_settings::{RunMarks, RunSettings};
use super::{
    AppliedChanges, ApplyCause, ApplyError, DesiredPage, JournalEntries, PageSnapshot, Plan,
    Proposal, RecordWrite, Step,
};
use links_sdk::types::Profile;
use links_sdk::{Client, NewProfile, ProfileKey, SlotId};

/// A run over pages that were found. From [`Run::begin`] and [`Run::plan`].
///
/// Its caller opens each page, says what it should have, proposes a plan, and has the plans executed. Nothing is written before
/// [`OpenPage::create`] and [`execute`]. In between the caller may ask a user, upload files, or give up.
///
/// ```
/// # links_test_support::example::run(async |client| {
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use links_pages::apply::{DesiredPage, PageRequest, PlanOptions, Proposal, Run, RunSettings, execute};
///
/// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
/// let run = Run::begin(&client, vec![request], RunSettings::new()).await?;
/// let mut page = run.open(0).await?;
/// // Reverse whatever slots the page has.
/// let mut reversed = DesiredPage::from_page(&page.snapshot().slots, &Default::default());
/// reversed.slots.reverse();
/// let reversed = Arc::new(reversed);
/// page.settle(&reversed).await?;
/// let before = page.snapshot().slots[0].id;
/// page.propose(Proposal::new(page.snapshot(), reversed, PlanOptions::default())?)?;
/// let ended = execute(vec![page], false, &mut |_, _, _| ControlFlow::Continue(())).await;
/// for page in ended {
///     assert_eq!(page.result?.page.slots.last().map(|slot| slot.id), Some(before));
/// }
/// # Ok(()) });
/// ```
#[derive(Debug)]
pub struct Run {
    client: Client,
    requests: Vec<PageRequest>,
    settings: RunSettings,
    found: Vec<FoundPage>,
    /// What other runs had done before the pages were read; `None` if the run only plans.
    marks: Option<RunMarks>,
}

/// A page of a run, from its first read to its first write.
#[derive(Debug)]
pub struct OpenPage {
    nth: usize,
    client: Client,
    request: PageRequest,
    settings: RunSettings,
    state: OpenState,
    is_new: bool,
    /// False for a page of a run that only plans.
    writes: bool,
    proposal: Option<Proposal>,
    /// Set if something that took time came after the plan: the page is read again before it is written.
    took_time: bool,
}

#[derive(Debug)]
enum OpenState {
    /// Read, and not locked. One that does not exist is created before it is written.
    Seen(Arc<PageSnapshot>, BTreeMap<usize, SlotId>),
    /// Read and locked.
    Locked(Box<PreparedRun>),
}

/// Result of a run on a page: the page matches the desired content.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Applied {
    /// The page as it is now.
    pub page: Arc<PageSnapshot>,
    /// The plan.
    pub plan: Arc<Plan>,
    /// Changes that were made, including those of a request of an interrupted run of which only this run has learnt that it was executed.
    pub done: AppliedChanges,
    /// Name of the run in the journals, if it was recorded.
    pub run: Option<String>,
}

/// End of a run on a page.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndedPage {
    /// Index of the page in the run.
    pub nth: usize,
    /// The page as it is now, or why it is not as it should be.
    pub result: Result<Applied, ApplyError>,
    /// Why a change that was made is not in the journal. The page shows it.
    pub not_recorded: Option<io::Error>,
}

impl Run {
    /// Begins a run that writes pages: finds them. Nothing is locked yet. An example of a whole run is at [`Run`].
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageRequest, Run, RunSettings};
    ///
    /// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
    /// let run = Run::begin(&client, vec![request], RunSettings::new()).await?;
    /// assert_eq!(run.order(), [0]);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the pages of the account cannot be listed, or two requests are for the same page.
    pub async fn begin(
        client: &Client,
        pages: Vec<PageRequest>,
        settings: RunSettings,
    ) -> Result<Self, ApplyError> {
        let marks = settings.marks(client).await;
        Run::find(client, pages, settings, Some(marks)).await
    }

    /// Begins a run that only plans: finds its pages. Nothing is locked, and what interrupted runs have done is taken into account.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageRequest, Run, RunSettings};
    ///
    /// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
    /// let run = Run::plan(&client, vec![request], RunSettings::new()).await?;
    /// assert!(run.open(0).await?.snapshot().exists());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Run::begin`].
    pub async fn plan(
        client: &Client,
        pages: Vec<PageRequest>,
        settings: RunSettings,
    ) -> Result<Self, ApplyError> {
        Run::find(client, pages, settings, None).await
    }

    async fn find(
        client: &Client,
        requests: Vec<PageRequest>,
        settings: RunSettings,
        marks: Option<RunMarks>,
    ) -> Result<Self, ApplyError> {
        let found = find_pages(client, &requests).await?;
        Ok(Self { client: client.clone(), requests, settings, found, marks })
    }

    /// Returns the indices of the pages in the order in which they have to be opened: two runs that lock the same pages do so in the same order.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.requests.len()).collect();
        if self.marks.is_some() {
            order.sort_by_key(|nth| self.found[*nth].id);
        }
        order
    }

    /// Reads a page, and locks it if the run writes.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageRequest, Run, RunSettings};
    ///
    /// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
    /// let page = Run::begin(&client, vec![request], RunSettings::new()).await?.open(0).await?;
    /// println!("{} slots", page.snapshot().slots.len());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page cannot be read or locked, or has unexpectedly lost all of its slots.
    ///
    /// # Panics
    ///
    /// When the run has no page with this index.
    pub async fn open(&self, nth: usize) -> Result<OpenPage, ApplyError> {
        let (client, request) = (self.client.clone(), self.requests[nth].clone());
        let settings = match &request.path {
            Some(path) => self.settings.clone().path(Some(path.clone())),
            None => self.settings.clone(),
        };
        let page = self.found[nth].page(&client, &request).await?;
        let is_new = page.is_none();
        let state = match (page, &self.marks) {
            (Some(page), Some(marks)) => OpenState::Locked(Box::new(
                PreparedRun::lock(&client, page, marks, settings.clone()).await?,
            )),
            (page, _) => {
                let page = page.unwrap_or_else(|| PageSnapshot::not_yet(request.login()));
                OpenState::Seen(Arc::new(page), BTreeMap::new())
            }
        };
        Ok(OpenPage {
            nth,
            client,
            request,
            settings,
            state,
            is_new,
            writes: self.marks.is_some(),
            proposal: None,
            took_time: false,
        })
    }
}

impl OpenPage {
    /// Returns the index of the page in the run.
    pub fn nth(&self) -> usize {
        self.nth
    }

    /// Returns the page as it was read, or one that does not exist yet ([`PageSnapshot::exists`]).
    pub fn snapshot(&self) -> &Arc<PageSnapshot> {
        match &self.state {
            OpenState::Seen(page, _) => page,
            OpenState::Locked(run) => &run.page,
        }
    }

    /// Returns whether the page did not exist when the run began.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Reads what else the desired content is compared with, and settles an interrupted run: whether its last request was executed. Returns the
    /// journal of that run, and whether it is continued. A run that only plans returns the run that would be continued.
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
    /// When the page or a journal cannot be read, or it is unclear what the interrupted run has done.
    pub async fn settle(
        &mut self,
        desired: &DesiredPage,
    ) -> Result<Option<(JournalEntries, bool)>, ApplyError> {
        match &mut self.state {
            // Nothing is known of a page that does not exist.
            OpenState::Seen(page, _) if !page.exists() => Ok(None),
            OpenState::Seen(page, created) => {
                if needs_language(desired) {
                    let read = Arc::make_mut(page).read_language(&self.client).await;
                    read.map_err(ApplyCause::Read)?;
                }
                let log = interrupted_before(&self.client, &self.settings, page, desired).await?;
                *created = log.as_ref().map(|log| log.done.created.clone()).unwrap_or_default();
                Ok(log.map(|log| (log, true)))
            }
            OpenState::Locked(run) => {
                let read = run.read_language(desired).await;
                read.map_err(|cause| run.failed(cause))?;
                let settled = run.settle(desired).await;
                settled.map_err(|cause| run.failed(cause))
            }
        }
    }

    /// Returns the slots that an interrupted run made, by the index of their item.
    pub fn created(&self) -> BTreeMap<usize, SlotId> {
        match &self.state {
            OpenState::Seen(_, created) => created.clone(),
            OpenState::Locked(run) => run.created(),
        }
    }

    /// Returns whether an interrupted run is continued.
    pub fn is_resumed(&self) -> bool {
        matches!(&self.state, OpenState::Locked(run) if run.is_resumed())
    }

    /// Sets the plan, which has to be made of the page as it was read.
    ///
    /// # Errors
    ///
    /// When it was made of another state of the page, or the page could not be locked and there is something to write.
    pub fn propose(&mut self, proposal: Proposal) -> Result<(), ApplyError> {
        if let OpenState::Locked(run) = &mut self.state {
            run.check_plan(&proposal).map_err(|cause| run.failed(cause))?;
            if !proposal.plan.is_empty() {
                let checked = run.check_lock();
                checked.map_err(|cause| run.failed(cause))?;
            }
        }
        self.proposal = Some(proposal);
        Ok(())
    }

    /// Sets the plan after something that took time: a question to a user, an upload. Its values may be others. The page is read again before
    /// it is written.
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
        !self.snapshot().exists() || self.plan().is_some_and(|plan| !plan.is_empty())
    }

    /// Returns whether an interrupted run was confirmed with all of the deletes of the plan.
    pub fn is_confirmed(&self) -> bool {
        match (&self.state, &self.proposal) {
            (OpenState::Locked(run), Some(proposal)) => run.is_confirmed(&proposal.plan),
            _ => false,
        }
    }

    /// Creates the page, if it does not exist, and reads and locks it. It has to be settled and planned again, because the
    /// service decides what a new page holds.
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
    /// When the page is not created, or cannot be read or locked. [`ApplyError::done`] tells which.
    pub async fn create(&mut self) -> Result<(), ApplyError> {
        if self.snapshot().exists() {
            return Ok(());
        }
        self.check_writes()?;
        let marks = self.settings.marks(&self.client).await;
        let login = self.request.login();
        // A journal that cannot be written is no reason to stop: the run of the page needs one that can be.
        let write = self.settings.page_creation(&self.client, &login);
        let changed = [("login", login.clone())].into_iter().collect();
        let record = RecordWrite::creating("createProfile", changed);
        let create = self.client.profiles().create(NewProfile::with_login(login));
        let shown = |page: &Profile| serde_json::to_value(page).ok();
        let created = write.write_record(record, create, shown).await;
        write.close(created.is_ok());
        let created = created.map_err(|error| failed(Step::CreatePage, error))?;
        let done = AppliedChanges { is_page_created: true, ..AppliedChanges::default() };
        let unfinished = |cause| ApplyError::new(cause, done.clone(), None);
        let page = read(&self.client, &ProfileKey::Id(created.id)).await.map_err(unfinished)?;
        let run = PreparedRun::lock(&self.client, page, &marks, self.settings.clone()).await;
        let mut run = run.map_err(unfinished)?;
        run.settled = done.clone();
        self.state = OpenState::Locked(Box::new(run));
        (self.proposal, self.took_time) = (None, false);
        Ok(())
    }
}

/// Observer of the steps, with the index of the page.
trait OnStep: FnMut(usize, Step, &AppliedChanges) -> ControlFlow<()> {}

impl<F: FnMut(usize, Step, &AppliedChanges) -> ControlFlow<()>> OnStep for F {}

/// Executes the plans of pages: writes them down, adds on every page, removes on every page, verifies every page. A page that fails does not
/// stop the others. `is_incomplete` tells whether a page of the run could not be created: what is deleted on another page may be a slot that was
/// to appear on it, so that nothing is deleted then.
///
/// `on_step` is told the index of the page, each step before it is taken, and the changes made on the page so far. A break ends the run there.
///
/// Returns the end of each page, in the order of their indices.
///
/// ```
/// # links_test_support::example::run(async |client| {
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use links_pages::apply::{DesiredPage, PageRequest, PlanOptions, Proposal, Run, RunSettings, execute};
///
/// let request = PageRequest { keys: vec!["cafe".parse()?], path: None, may_create: false };
/// let mut page = Run::begin(&client, vec![request], RunSettings::new()).await?.open(0).await?;
/// let same = Arc::new(DesiredPage::from_page(&page.snapshot().slots, &Default::default()));
/// page.propose(Proposal::new(page.snapshot(), same, PlanOptions::default())?)?;
/// let ended = execute(vec![page], false, &mut |_, _, _| ControlFlow::Continue(())).await;
/// assert!(ended[0].result.as_ref().is_ok_and(|applied| applied.done.is_nothing()));
/// # Ok(()) });
/// ```
pub async fn execute(
    pages: Vec<OpenPage>,
    mut is_incomplete: bool,
    on_step: &mut impl FnMut(usize, Step, &AppliedChanges) -> ControlFlow<()>,
) -> Vec<EndedPage> {
    let (mut ended, mut open) = (Vec::new(), Vec::new());
    for page in pages {
        let nth = page.nth;
        let result = match page.begin().await {
            Ok(Begun::Run(run)) => {
                open.push((nth, *run, Ok(())));
                continue;
            }
            Ok(Begun::Unchanged(applied)) => Ok(applied),
            Err(error) => Err(error),
        };
        is_incomplete |= result.is_err();
        ended.push(EndedPage { nth, result, not_recorded: None });
    }
    write(&mut open, is_incomplete, on_step).await;
    for (nth, run, written) in open {
        ended.push(finish(run, nth, written, on_step).await);
    }
    ended.sort_by_key(|page| page.nth);
    ended
}

enum Begun {
    Run(Box<PageRun>),
    /// Nothing is to be written.
    Unchanged(Applied),
}

impl OpenPage {
    fn check_writes(&self) -> Result<(), ApplyCause> {
        if self.writes { Ok(()) } else { Err(not_prepared("a run that only plans writes nothing")) }
    }

    /// Writes the plan down, after reading the page again where that is needed.
    async fn begin(self) -> Result<Begun, ApplyError> {
        self.check_writes()?;
        let (OpenState::Locked(mut run), Some(proposal)) = (self.state, self.proposal) else {
            return Err(ApplyCause::Stopped.into());
        };
        if proposal.plan.is_empty() && !self.is_new {
            let settled = run.settled.clone();
            let (page, run) = run.nothing_to_do().await;
            return Ok(Begun::Unchanged(Applied { page, plan: proposal.plan, done: settled, run }));
        }
        // A page that was created a moment ago is as it was planned.
        if (self.took_time || !self.is_new)
            && run.is_outdated(self.took_time)
            && let Err(cause) = run.read_again(&proposal).await
        {
            return Err(run.failed(cause));
        }
        Ok(Begun::Run(Box::new(run.begin(proposal).await?)))
    }
}

/// Adds on every page, then removes on every page.
async fn write(
    open: &mut [(usize, PageRun, Result<(), ApplyCause>)],
    mut is_incomplete: bool,
    on_step: &mut impl OnStep,
) {
    let mut is_stopped = false;
    for round in [WriteRound::Add, WriteRound::AddToFullPages, WriteRound::Remove] {
        for (nth, run, state) in open.iter_mut() {
            if state.is_err() || !round.is_of(run) {
                continue;
            }
            if is_stopped {
                run.close_unreached().await;
                *state = Err(ApplyCause::Stopped);
                continue;
            }
            if is_incomplete && round.removes(run) {
                *state = Err(ApplyCause::Withheld);
                continue;
            }
            let mut watch = watch(on_step, *nth, run.settled.clone());
            *state = match run.write(round == WriteRound::Remove, &mut watch).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(ApplyCause::Stopped),
                Err(cause) => Err(cause),
            };
            is_stopped |= matches!(state, Err(ApplyCause::Stopped));
            // What is deleted on another page may be a slot that was to appear on this one.
            is_incomplete |= state.is_err() && round != WriteRound::Remove && run.has_creates();
        }
    }
}

/// Verifies a page that was written, and ends its run.
async fn finish(
    mut run: PageRun,
    nth: usize,
    written: Result<(), ApplyCause>,
    on_step: &mut impl OnStep,
) -> EndedPage {
    let is_written = written.is_ok();
    let ended = match written {
        Ok(()) => run.finish(&mut watch(on_step, nth, run.settled.clone())).await,
        Err(cause) => Err(cause),
    };
    let PageRun { settled, done, journal, proposal, .. } = run;
    let name = journal.as_ref().map(|journal| journal.log.run.clone());
    let not_recorded = journal.and_then(Journal::into_write_error);
    let done = settled.and(done);
    let cause = match ended {
        Ok(Some(page)) => {
            let page = Arc::new(page);
            let applied = Applied { page, plan: proposal.plan, done, run: name };
            return EndedPage { nth, result: Ok(applied), not_recorded };
        }
        Ok(None) => ApplyCause::Stopped,
        Err(cause) => cause,
    };
    let is_read = !matches!(cause, ApplyCause::Stopped | ApplyCause::Call { .. });
    let error = ApplyError::new(cause, done, name).ended(is_written && is_read);
    EndedPage { nth, result: Err(error), not_recorded }
}

/// Returns the observer of the steps of a page, which is told the changes that were made before, too.
fn watch(
    on_step: &mut impl OnStep,
    nth: usize,
    settled: AppliedChanges,
) -> impl FnMut(Step, &AppliedChanges) -> ControlFlow<()> {
    move |step, done| on_step(nth, step, &settled.clone().and(done.clone()))
}

/// Part of the writes of all pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteRound {
    /// Additions on pages that have room for them.
    Add,
    /// Additions on pages on which slots have to make room.
    AddToFullPages,
    /// Logins and deletes.
    Remove,
}

impl WriteRound {
    fn is_of(self, run: &PageRun) -> bool {
        match self {
            Self::Add => !run.makes_room(),
            Self::AddToFullPages => run.makes_room(),
            Self::Remove => true,
        }
    }

    /// Returns whether something of a page goes.
    fn removes(self, run: &PageRun) -> bool {
        match self {
            Self::Add => false,
            Self::AddToFullPages => true,
            Self::Remove => run.has_removals(),
        }
    }
}
