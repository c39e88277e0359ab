//! A run over one page or several, which its caller drives from the first read to the verification.
//!
//! Everything that adds comes before everything that removes, across the pages: a slot that moves from one page to another is never on
//! neither of them. A page without room for its new slots first deletes others; it is written after the additions of all other pages.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::page_run::{EndedPage, OnStep, PageRun};
use super::run_settings::{RunMarks, RunSettings};
use super::{AppliedChanges, ApplyCause, ApplyError, OpenPage, PageSnapshot, Step};
use crate::profile_key::{id_in, names};
use links_sdk::{Client, Error, ProfileId, ProfileKey};

/// A page of a run.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Keys of the page. The first one that exists is used. A page that is created gets the last one as its login.
    pub keys: Vec<ProfileKey>,
    /// Path of the file for the run, recorded in the journal.
    pub path: Option<String>,
    /// Set to create the page if it does not exist.
    pub may_create: bool,
}

/// A run over existing pages. From [`Run::begin`] and [`Run::plan`].
///
/// You open each page, decide its content, propose a plan, and execute the plans. Nothing is written before [`OpenPage::create`] and
/// [`execute`]. In between, you can ask a user, upload files, or give up.
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
    /// IDs of the pages, as far as they are known before the pages are read.
    found: Vec<Option<ProfileId>>,
    /// Set if all pages of the account were listed: a page without an ID is not there.
    is_listed: bool,
    /// What other runs had done before the pages were read; `None` if the run only plans.
    marks: Option<RunMarks>,
}

impl Run {
    /// Starts a run that writes pages, and finds the pages. Nothing is locked yet. For an example of a whole run, see [`Run`].
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
        let run = Run::plan(client, pages, settings).await?;
        let marks = match &run.settings.read.marks {
            Some(marks) => marks.clone(),
            None => run.settings.marks(client, &run.found).await,
        };
        Ok(Self { marks: Some(marks), ..run })
    }

    /// Starts a run that only plans, and finds its pages. Nothing is locked. Changes of interrupted runs are taken into account.
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
    /// The errors of [`Run::begin`].
    pub async fn plan(
        client: &Client,
        requests: Vec<PageRequest>,
        settings: RunSettings,
    ) -> Result<Self, ApplyError> {
        // One page alone is found when it is read.
        let mut found: Vec<Option<ProfileId>> =
            requests.iter().map(|request| request.keys.first().and_then(id_in)).collect();
        let mut is_listed = requests.len() > 1 && found.contains(&None);
        if is_listed {
            let pages = client.profiles().list().await?;
            // If the list is incomplete, a page that it lacks may exist: it is looked for by its keys.
            is_listed = usize::try_from(pages.total).map_or(true, |total| total <= pages.len());
            let by_key = |key: &ProfileKey| {
                let page = || pages.iter().find(|page| names(key, page.id, &page.login));
                id_in(key).or_else(|| page().map(|page| page.id))
            };
            found = requests.iter().map(|request| request.keys.iter().find_map(by_key)).collect();
        }
        let mut seen = BTreeMap::new();
        for (nth, id) in found.iter().enumerate() {
            if let Some(id) = *id
                && let Some(first) = seen.insert(id, nth)
            {
                return Err(ApplyCause::SamePage { id, pages: [first, nth] }.into());
            }
        }
        Ok(Self { client: client.clone(), requests, settings, found, is_listed, marks: None })
    }

    /// Returns the indices of the pages in the order in which you must open them. Two runs that lock the same pages then lock them in the
    /// same order.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.requests.len()).collect();
        if self.marks.is_some() {
            order.sort_by_key(|nth| self.found[*nth]);
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
        let request = &self.requests[nth];
        let mut settings = self.settings.clone();
        if request.path.is_some() {
            settings.path.clone_from(&request.path);
        }
        let login = || request.keys.last().map(ProfileKey::to_string).unwrap_or_default();
        let page = self.read(nth).await?.unwrap_or_else(|| PageSnapshot::not_yet(login()));
        let writes = self.marks.is_some();
        let mut page = OpenPage::new(nth, self.client.clone(), settings, page, writes);
        if let Some(marks) = self.marks.as_ref().filter(|_| !page.is_new()) {
            page.lock(marks).await?;
        }
        Ok(page)
    }

    /// Reads a page; `None` if it has to be created.
    async fn read(&self, nth: usize) -> Result<Option<PageSnapshot>, Error> {
        let (client, request) = (&self.client, &self.requests[nth]);
        let page = async |key: &ProfileKey| match self.settings.read.page(key) {
            Some(page) => Ok(page),
            None => PageSnapshot::read(client, key).await,
        };
        if let Some(id) = self.found[nth] {
            return page(&ProfileKey::Id(id)).await.map(Some);
        }
        let mut missing = None;
        for key in request.keys.iter().filter(|_| !(self.is_listed && request.may_create)) {
            match page(key).await {
                Err(error) if error.is_not_found() => missing = Some(error),
                page => return page.map(Some),
            }
        }
        match missing {
            Some(error) if !request.may_create => Err(error),
            _ => Ok(None),
        }
    }
}

/// Executes the plans of pages: records them, then adds on every page, removes on every page, and verifies every page. A page that fails
/// does not stop the others. `is_incomplete` returns whether a page of the run could not be created. Then nothing is deleted, because a
/// slot that is deleted on another page may have been meant for the missing page.
///
/// `on_step` is called before each step, with the index of the page, the step, and the changes made on the page so far. If it returns a
/// break, the run stops there.
///
/// Returns the result of each page, in the order of the indices.
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
        let nth = page.nth();
        let result = match page.begin().await {
            Ok(ControlFlow::Continue(run)) => {
                open.push((run, Ok(())));
                continue;
            }
            Ok(ControlFlow::Break(unchanged)) => Ok(unchanged),
            Err(error) => Err(error),
        };
        is_incomplete |= result.is_err();
        ended.push(EndedPage { nth, result, not_recorded: None });
    }
    write(&mut open, is_incomplete, on_step).await;
    for (run, written) in open {
        ended.push(run.finish(written, on_step).await);
    }
    ended.sort_by_key(|page| page.nth);
    ended
}

/// Adds on the pages that have room, then on those on which slots have to make room first, then removes on every page.
async fn write(
    open: &mut [(PageRun, Result<(), ApplyCause>)],
    mut is_incomplete: bool,
    on_step: &mut impl OnStep,
) {
    let mut is_stopped = false;
    for (fullness, is_last) in [(Some(false), false), (Some(true), false), (None, true)] {
        // What is deleted on one page may be a slot that was to appear on another.
        if is_last && open.iter().any(|(run, state)| state.is_ok() && run.has_removals()) {
            for (run, state) in open.iter_mut() {
                if state.is_ok() && !is_stopped {
                    *state = run.see_created(on_step).await;
                    is_stopped |= matches!(state, Err(ApplyCause::Stopped));
                    is_incomplete |= state.is_err();
                }
            }
        }
        for (run, state) in open.iter_mut() {
            let is_full = run.proposal.plan.make_room > 0;
            if state.is_err() || fullness.is_some_and(|it| it != is_full) {
                continue;
            }
            *state = if is_stopped {
                Err(ApplyCause::Stopped)
            } else if is_incomplete && if is_last { run.has_removals() } else { is_full } {
                Err(ApplyCause::Withheld)
            } else {
                run.write(is_last, on_step).await
            };
            if let Err(cause) = &*state {
                run.close_untouched(cause).await;
            }
            is_stopped |= matches!(state, Err(ApplyCause::Stopped));
            // What is deleted on another page may be a slot that was to appear on this one, also in the place of another.
            let plan = &run.proposal.plan;
            let is_changed = !plan.creates.is_empty() || !plan.updates.is_empty();
            is_incomplete |= state.is_err() && !is_last && is_changed;
        }
    }
}
