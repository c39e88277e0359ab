//! Order of a run over one or more pages: read, lock, settle, plan, confirm, write down, add on every page, remove on every page, verify.
//!
//! Everything that adds comes before everything that removes, across the pages: a slot that moves from one page to another is never on
//! neither of them. A page without room for its new slots first deletes others; it is written after the additions of all other pages.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::account_delegate::{AccountDelegate, PageToConfirm, SinglePage};
use super::create::failed;
use super::delegate::{ApplyDelegate, Confirmation, Proposal};
use super::journal::Journal;
use super::page_creation::create_page as create_recorded;
use super::page_run::{PageRun, RunPart};
use super::page_task::{FoundPage, PageTask, find_pages};
use super::prepared_run::{PreparedRun, interrupted_before, needs_language, read};
use super::run_settings::RunMarks;
use super::{AppliedChanges, ApplyCause, ApplyError, DesiredPage, PageSnapshot, Plan, Step};
use crate::{Client, ProfileKey};

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

/// Plan for a page, not executed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedPage {
    /// The page as it is.
    pub page: Arc<PageSnapshot>,
    /// The plan, with the content and the options that it was made for.
    pub proposal: Proposal,
}

/// Results of the pages of a run, by the index of their tasks.
pub(crate) struct PageResults<E>(BTreeMap<usize, Result<Applied, E>>);

impl<E: From<ApplyError>> PageResults<E> {
    /// Returns the result of a page. The run was stopped before a page without one.
    pub(crate) fn take(&mut self, nth: usize) -> Result<Applied, E> {
        let stopped = || Err(ApplyError::from(ApplyCause::Stopped).into());
        self.0.remove(&nth).unwrap_or_else(stopped)
    }
}

/// Reads a page and plans. Nothing is locked and nothing is written.
pub(crate) async fn plan_one<D: ApplyDelegate>(
    client: &Client,
    task: &PageTask,
    delegate: &mut D,
) -> Result<PlannedPage, D::Error> {
    plan_page(client, task, &FoundPage::unlisted(task), 0, &mut SinglePage(delegate)).await
}

/// Reads the pages and plans. Nothing is locked and nothing is written.
pub(crate) async fn plan<D: AccountDelegate>(
    client: &Client,
    tasks: &[PageTask],
    delegate: &mut D,
) -> Result<Vec<PlannedPage>, D::Error> {
    let found = find_pages(client, tasks).await.map_err(ApplyError::from)?;
    let (mut planned, mut failures) = (Vec::new(), Vec::new());
    for (nth, task) in tasks.iter().enumerate() {
        match plan_page(client, task, &found[nth], nth, delegate).await {
            Ok(page) => planned.push(page),
            Err(error) => failures.push((nth, error)),
        }
    }
    if failures.is_empty() { Ok(planned) } else { Err(delegate.refuse(failures)) }
}

async fn plan_page<D: AccountDelegate>(
    client: &Client,
    task: &PageTask,
    found: &FoundPage,
    nth: usize,
    delegate: &mut D,
) -> Result<PlannedPage, D::Error> {
    let mut page = Arc::new(match found.page(client, task).await.map_err(ApplyError::from)? {
        Some(page) => page,
        None => PageSnapshot::not_yet(task.login()),
    });
    let desired = delegate.resolve(nth, &page).await?;
    if needs_language(&desired) {
        let read = Arc::make_mut(&mut page).read_language(client).await;
        read.map_err(|error| ApplyError::from(ApplyCause::Read(error)))?;
    }
    let interrupted = interrupted_before(&task.settings, &page, &desired).await;
    let interrupted = interrupted.map_err(ApplyError::from)?;
    if let Some(log) = &interrupted {
        delegate.interrupted(nth, log, true);
    }
    let created = interrupted.map(|log| log.done().created.clone()).unwrap_or_default();
    let proposal = delegate.plan(nth, &page, &created, false).await?;
    Ok(PlannedPage { page, proposal })
}

/// A page of a run before its first write.
enum Candidate<'a> {
    Live {
        run: Box<PreparedRun<'a>>,
        proposal: Proposal,
    },
    /// The page is created first.
    New {
        page: Arc<PageSnapshot>,
        desired: Arc<DesiredPage>,
        proposal: Proposal,
    },
}

impl Candidate<'_> {
    fn proposal(&self) -> &Proposal {
        match self {
            Self::Live { proposal, .. } | Self::New { proposal, .. } => proposal,
        }
    }
}

/// Makes the pages match what the delegate plans. Nothing is written before all pages were planned and confirmed. From then on a page that
/// fails does not stop the others.
pub(crate) async fn apply<D: AccountDelegate>(
    client: &Client,
    tasks: &[PageTask],
    delegate: &mut D,
) -> Result<PageResults<D::Error>, D::Error> {
    let marks = match tasks.first() {
        Some(task) => task.settings.marks().await,
        None => RunMarks::default(),
    };
    let found = find_pages(client, tasks).await.map_err(ApplyError::from)?;
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    // Two runs that lock the same pages do so in the same order.
    order.sort_by_key(|nth| found[*nth].id);
    let mut candidates = BTreeMap::new();
    let mut failures = Vec::new();
    for nth in order {
        match prepare(client, &tasks[nth], &found[nth], &marks, nth, delegate).await {
            Ok(candidate) => drop(candidates.insert(nth, candidate)),
            Err(error) => failures.push((nth, error)),
        }
    }
    if !failures.is_empty() {
        failures.sort_by_key(|(nth, _)| *nth);
        return Err(delegate.refuse(failures));
    }
    let mut results: BTreeMap<usize, Result<Applied, D::Error>> = BTreeMap::new();
    let mut to_write = Vec::new();
    for (nth, candidate) in candidates {
        match candidate {
            Candidate::Live { run, proposal } if proposal.plan.is_empty() => {
                let done = run.settled.clone();
                let (page, run) = run.nothing_to_do().await;
                let plan = proposal.plan;
                results.insert(nth, Ok(Applied { page, plan, done, run }));
            }
            candidate => to_write.push((nth, candidate)),
        }
    }
    if !to_write.is_empty() || delegate.has_more_to_do() {
        let mut runs = Vec::new();
        for (nth, begun) in confirm_and_begin(client, tasks, to_write, delegate).await? {
            match begun {
                Ok(run) => runs.push((nth, run)),
                Err(error) => drop(results.insert(nth, Err(error))),
            }
        }
        let is_incomplete = results.values().any(Result::is_err);
        let executed = execute(runs, is_incomplete, delegate).await;
        results.extend(executed.into_iter().map(|(nth, it)| (nth, it.map_err(D::Error::from))));
    }
    Ok(PageResults(results))
}

async fn prepare<'a, D: AccountDelegate>(
    client: &'a Client,
    task: &'a PageTask,
    found: &FoundPage,
    marks: &RunMarks,
    nth: usize,
    delegate: &mut D,
) -> Result<Candidate<'a>, D::Error> {
    let page = found.page(client, task).await.map_err(ApplyError::from)?;
    let Some(page) = page else {
        let page = Arc::new(PageSnapshot::not_yet(task.login()));
        let desired = delegate.resolve(nth, &page).await?;
        let proposal = delegate.plan(nth, &page, &BTreeMap::new(), false).await?;
        return Ok(Candidate::New { page, desired, proposal });
    };
    let run = PreparedRun::lock(client, page, marks, &task.settings).await;
    let mut run = run.map_err(ApplyError::from)?;
    let desired = delegate.resolve(nth, &run.page).await?;
    run.read_language(&desired).await.map_err(ApplyError::from)?;
    let settled = run.settle(&desired).await;
    if let Some((log, is_resumed)) = settled.map_err(|cause| run.failed(cause))? {
        delegate.interrupted(nth, &log, is_resumed);
    }
    let proposal = delegate.plan(nth, &run.page, &run.created(), run.is_resumed()).await?;
    run.check_plan(&proposal).map_err(|cause| run.failed(cause))?;
    if !proposal.plan.is_empty() {
        run.check_lock().map_err(ApplyError::from)?;
    }
    Ok(Candidate::Live { run: Box::new(run), proposal })
}

/// Has the plans confirmed, creates the pages that are missing, and writes the plans down.
async fn confirm_and_begin<'a, D: AccountDelegate>(
    client: &'a Client,
    tasks: &'a [PageTask],
    candidates: Vec<(usize, Candidate<'a>)>,
    delegate: &mut D,
) -> Result<Vec<(usize, Result<StartedRun, D::Error>)>, D::Error> {
    let pages: Vec<PageToConfirm> = candidates
        .iter()
        .map(|(nth, candidate)| match candidate {
            Candidate::Live { run, proposal } => PageToConfirm {
                nth: *nth,
                page: run.page.clone(),
                is_new: false,
                is_confirmed: run.is_confirmed(&proposal.plan),
            },
            Candidate::New { page, .. } => {
                PageToConfirm { nth: *nth, page: page.clone(), is_new: true, is_confirmed: false }
            }
        })
        .collect();
    let mut confirmed = delegate.confirm(&pages).await?.into_iter();
    let mut begun = Vec::new();
    for (nth, candidate) in candidates {
        let (proposal, took_time) = match confirmed.next() {
            Some(Confirmation::Later(new)) => (*new, true),
            _ => (candidate.proposal().clone(), false),
        };
        let run = match candidate {
            Candidate::Live { run, .. } => {
                begin(run, proposal, took_time).await.map_err(D::Error::from)
            }
            Candidate::New { desired, .. } => {
                create_page(client, &tasks[nth], nth, &desired, delegate).await
            }
        };
        begun.push((nth, run));
    }
    Ok(begun)
}

async fn begin(
    mut run: Box<PreparedRun<'_>>,
    proposal: Proposal,
    took_time: bool,
) -> Result<StartedRun, ApplyError> {
    if let Err(cause) = run.read_again(took_time, &proposal).await {
        return Err(run.failed(cause));
    }
    let settled = run.settled.clone();
    let run = run.begin(proposal).await?;
    Ok(StartedRun { run, settled })
}

/// Creates a page and begins its run. Its plan is made again, because the service decides what a new page holds.
async fn create_page<D: AccountDelegate>(
    client: &Client,
    task: &PageTask,
    nth: usize,
    desired: &DesiredPage,
    delegate: &mut D,
) -> Result<StartedRun, D::Error> {
    if delegate.step(nth, Step::CreatePage, &AppliedChanges::default()).is_break() {
        return Err(ApplyError::from(ApplyCause::Stopped).into());
    }
    let marks = task.settings.marks().await;
    let record = task.settings.record.as_ref();
    let created = create_recorded(client, task.login(), record).await;
    let created = created.map_err(|error| ApplyError::from(failed(Step::CreatePage, error)))?;
    let done = AppliedChanges { is_page_created: true, ..AppliedChanges::default() };
    let unfinished = |cause| ApplyError::new(cause, done.clone(), None);
    let page = read(client, &ProfileKey::Id(created.id)).await.map_err(unfinished)?;
    let run = PreparedRun::lock(client, page, &marks, &task.settings).await;
    let mut run = run.map_err(unfinished)?;
    run.read_language(desired).await.map_err(unfinished)?;
    run.settled = done.clone();
    let proposal = delegate.plan(nth, &run.page, &BTreeMap::new(), false).await?;
    run.check_plan(&proposal).map_err(unfinished)?;
    Ok(begin(Box::new(run), proposal, false).await?)
}

/// A run whose plan is in the journal.
struct StartedRun {
    run: PageRun,
    /// Changes that were made before: by an interrupted run whose last request was settled, or the creation of the page.
    settled: AppliedChanges,
}

/// Adds on every page, then removes on every page, then verifies every page. `is_incomplete` tells whether a page lacks new slots already.
async fn execute<D: AccountDelegate>(
    runs: Vec<(usize, StartedRun)>,
    is_incomplete: bool,
    delegate: &mut D,
) -> Vec<(usize, Result<Applied, ApplyError>)> {
    let mut open: Vec<(usize, StartedRun, Result<(), ApplyCause>)> =
        runs.into_iter().map(|(nth, run)| (nth, run, Ok(()))).collect();
    let mut is_incomplete = is_incomplete;
    let mut is_stopped = false;
    for round in [WriteRound::Add, WriteRound::AddToFullPages, WriteRound::Remove] {
        for (nth, started, state) in &mut open {
            let nth = *nth;
            if state.is_err() || !round.is_of(&started.run) {
                continue;
            }
            if is_stopped {
                started.run.close_unreached().await;
                *state = Err(ApplyCause::Stopped);
                continue;
            }
            if is_incomplete && round.removes(&started.run) {
                *state = Err(ApplyCause::Withheld);
                continue;
            }
            let StartedRun { run, settled } = started;
            let mut watch = watch(delegate, nth, settled);
            *state = match run.write(round.part(), &mut watch).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(ApplyCause::Stopped),
                Err(cause) => Err(cause),
            };
            is_stopped |= matches!(state, Err(ApplyCause::Stopped));
            // What is deleted on another page may be a slot that was to appear on this one.
            is_incomplete |=
                state.is_err() && round != WriteRound::Remove && started.run.has_creates();
        }
    }
    let mut results = Vec::new();
    for (nth, mut started, state) in open {
        let is_written = state.is_ok();
        let ended = match state {
            Ok(()) => {
                let StartedRun { run, settled } = &mut started;
                run.finish(&mut watch(delegate, nth, settled)).await
            }
            Err(cause) => Err(cause),
        };
        let StartedRun { run: PageRun { done, journal, proposal, .. }, settled } = started;
        let run = journal.as_ref().map(|journal| journal.log().run().to_owned());
        if let Some(error) = journal.as_ref().and_then(Journal::write_error) {
            delegate.not_recorded(nth, error);
        }
        let cause = match ended {
            Ok(Some(page)) => {
                let page = Arc::new(page);
                let done = settled.and(done);
                results.push((nth, Ok(Applied { page, plan: proposal.plan, done, run })));
                continue;
            }
            Ok(None) => ApplyCause::Stopped,
            Err(cause) => cause,
        };
        let is_read = !matches!(cause, ApplyCause::Stopped | ApplyCause::Call { .. });
        let error = ApplyError::new(cause, settled.and(done), run).ended(is_written && is_read);
        results.push((nth, Err(error)));
    }
    results
}

/// Returns the observer of the steps of a page, which is told the changes that were made before, too.
fn watch<D: AccountDelegate>(
    delegate: &mut D,
    nth: usize,
    settled: &AppliedChanges,
) -> impl FnMut(Step, &AppliedChanges) -> ControlFlow<()> {
    move |step, done| delegate.step(nth, step, &settled.clone().and(done.clone()))
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

    fn part(self) -> RunPart {
        match self {
            Self::Add | Self::AddToFullPages => RunPart::Additions,
            Self::Remove => RunPart::Removals,
        }
    }
}
