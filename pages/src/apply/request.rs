//! Request to make a page match what is desired.

use std::collections::BTreeSet;
use std::fmt;
use std::future::IntoFuture;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{
    Applied, ApplyCause, ApplyError, DeleteLimits, DesiredPage, ItemRefusal, NotRestored, OpenPage,
    PageRequest, PageSnapshot, Plan, PlanOptions, Proposal, Run, RunSettings, SlotTypes, Step,
    Undo, execute, guard,
};
use links_sdk::{CallFuture, Error, Outcome, ProfileHandle};

type Confirm = Box<dyn FnMut(&Plan, &PageSnapshot) -> bool + Send>;

/// Request to make a page match the desired content. From [`Apply::new`].
#[must_use = "nothing is sent unless you `.await` it"]
pub struct Apply {
    page: ProfileHandle,
    settings: RunSettings,
    desired: Arc<DesiredPage>,
    options: PlanOptions,
    limits: DeleteLimits,
    on_step: Box<dyn FnMut(Step) -> ControlFlow<()> + Send>,
    confirm: Option<Confirm>,
    /// The undo that the content is from, and the page that it was made for.
    pub(crate) of_undo: Option<(Undo, PageSnapshot)>,
}

/// A plan for a page that is not executed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedPage {
    /// The page as it is.
    pub page: Arc<PageSnapshot>,
    /// The plan, with the content and the options that it was made for.
    pub proposal: Proposal,
}

impl Apply {
    /// Returns the request that makes a page match `desired`. It updates, creates, moves and, on request, deletes slots, in as few requests
    /// as possible.
    ///
    /// The page is read, and only differences are written. Changes of other clients are never overwritten: if a slot to change or delete
    /// was edited in the meantime, the run stops. With [`RunSettings::journal`], the next run for the same page continues an interrupted
    /// run, and two processes exclude each other.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use std::ops::ControlFlow;
    ///
    /// use links_pages::apply::{Apply, DesiredPage, RunSettings};
    ///
    /// let state = tempfile::tempdir()?;
    /// let desired: DesiredPage = serde_json::from_str(
    ///     r#"{"slots": [{"type": "text", "data": {"title": "Closed today"}}, {"type": "divider"}]}"#,
    /// )?;
    /// let cafe = client.profile("cafe");
    /// let planned = Apply::new(&cafe, desired.clone()).plan().await?;
    /// assert!(!planned.proposal.plan.is_empty());
    /// assert!(Apply::new(&cafe, desired.clone()).check().await?.is_empty());
    ///
    /// let on_step = |step| {
    ///     println!("{step:?}");
    ///     ControlFlow::Continue(())
    /// };
    /// let settings = RunSettings::new().journal(state.path());
    /// let applied = Apply::new(&cafe, desired.clone()).settings(settings.clone()).on_step(on_step).await?;
    /// assert_eq!(applied.done.created.len(), 1);
    /// assert!(Apply::new(&cafe, desired).settings(settings).await?.done.is_nothing());
    /// # Ok(()) });
    /// ```
    pub fn new(page: &ProfileHandle, desired: DesiredPage) -> Self {
        Self {
            page: page.clone(),
            settings: RunSettings::new(),
            desired: Arc::new(desired),
            options: PlanOptions::default(),
            limits: DeleteLimits::default(),
            on_step: Box::new(|_| ControlFlow::Continue(())),
            confirm: None,
            of_undo: None,
        }
    }

    /// Sets the journal of the run, and how it handles other runs.
    pub fn settings(mut self, settings: RunSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Makes the page match the desired content.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Apply, DesiredPage};
    ///
    /// let desired: DesiredPage = serde_json::from_str(r#"{"slots": [{"type": "divider"}]}"#)?;
    /// match Apply::new(&client.profile("cafe"), desired).run().await {
    ///     Ok(applied) => println!("{:?}", applied.done),
    ///     Err(error) => println!("{error}: {:?}, {:?}", error.outcome(), error.done()),
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The first failure. [`ApplyError::outcome`] returns whether anything was written before it, and [`ApplyError::done`] returns the
    /// changes.
    pub async fn run(mut self) -> Result<Applied, ApplyError> {
        let (mut page, proposal) = self.open(true).await?;
        page.propose(proposal.clone())?;
        if !page.is_confirmed() {
            let guarded = guard(&proposal.plan, page.snapshot().slots.len(), &self.limits);
            guarded.map_err(|refusal| page.failed(refusal.into()))?;
        }
        if let Some(confirm) = &mut self.confirm
            && !proposal.plan.is_empty()
        {
            if !confirm(&proposal.plan, page.snapshot()) {
                return Err(page.failed(ApplyCause::Declined));
            }
            page.revise(proposal);
        }
        let on_step = &mut self.on_step;
        let ended = execute(vec![page], false, &mut |_, step, _| on_step(step)).await;
        ended.into_iter().next().map_or_else(|| Err(ApplyCause::Stopped.into()), |page| page.result)
    }

    /// Reads the page and plans the changes. Nothing is locked and nothing is written.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Apply, DesiredPage};
    ///
    /// let desired: DesiredPage = serde_json::from_str(r#"{"slots": [{"type": "divider"}]}"#)?;
    /// let planned = Apply::new(&client.profile("cafe"), desired).plan().await?;
    /// println!("{} requests", planned.proposal.plan.request_count());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page cannot be read, or no plan can be made.
    pub async fn plan(mut self) -> Result<PlannedPage, ApplyError> {
        let (page, proposal) = self.open(false).await?;
        Ok(PlannedPage { page: page.snapshot().clone(), proposal })
    }

    /// Plans the changes, and sends every create and update as a dry run. Nothing is written. Returns the items that the service would
    /// refuse.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Apply, DesiredPage};
    ///
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "button", "data": {"titel": "Menu"}}]}"#)?;
    /// let refused = Apply::new(&client.profile("cafe"), desired).check().await?;
    /// assert_eq!(refused[0].index, 0);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When no plan can be made, or a dry run fails for a reason other than refused fields.
    pub async fn check(mut self) -> Result<Vec<ItemRefusal>, ApplyError> {
        let (page, Proposal { plan, .. }) = self.open(false).await?;
        Ok(plan.check(&self.page.client, page.snapshot().id, &BTreeSet::new()).await?)
    }

    /// Reads the page, locks it if the run `writes`, and plans the changes. An undo is refused if the page has changed since it was made.
    async fn open(&mut self, writes: bool) -> Result<(OpenPage, Proposal), ApplyError> {
        let refused = |why| Error::invalid("getProfile", why);
        let keys = vec![self.page.key.clone().map_err(refused)?];
        let pages = vec![PageRequest { keys, path: None, may_create: false }];
        let mut settings = self.settings.clone();
        settings.allow_emptied |= self.limits.allow_empty;
        let client = &self.page.client;
        let run = if writes {
            Run::begin(client, pages, settings).await?
        } else {
            Run::plan(client, pages, settings).await?
        };
        let mut page = run.open(0).await?;
        page.settle(&self.desired).await?;
        let options = PlanOptions { created: page.created(), ..self.options.clone() };
        let now = page.snapshot();
        let proposal = match self.of_undo.take() {
            None => Proposal::new(now, self.desired.clone(), options),
            Some((undo, seen)) => match undo.wanted(&seen, now, &options.created) {
                Some(wanted) => Proposal::of_wanted(now, wanted, options),
                None => {
                    let why = "the undo is based on an earlier state".to_owned();
                    Err(ApplyCause::Changed(vec![why], Outcome::NotExecuted).into())
                }
            },
        };
        let proposal = proposal.map_err(|ApplyError(error)| page.failed(error.cause))?;
        Ok((page, proposal))
    }

    /// Returns the future of the run, so that you can spawn it or poll it with others. `.await` is the same.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{Apply, DesiredPage};
    ///
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "text", "data": {"title": "Closed today"}}]}"#)?;
    /// let run = tokio::spawn(Apply::new(&client.profile("cafe"), desired).send());
    /// assert_eq!(run.await??.done.created.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn send(self) -> CallFuture<Applied, ApplyError> {
        Box::pin(self.run())
    }

    /// Returns what an [undo](Self::undo) cannot restore.
    pub fn not_restored(&self) -> &[NotRestored] {
        self.of_undo.as_ref().map_or(&[], |(undo, _)| undo.not_restored.as_slice())
    }

    /// Deletes slots that are not in the desired content. Read-only and unsupported slots are kept.
    pub fn prune(mut self, prune: bool) -> Self {
        self.options.prune = prune;
        self
    }

    /// Deletes unsupported slots that are not in the desired content.
    pub fn prune_unsupported(mut self, prune: bool) -> Self {
        self.options.prune_unsupported = prune;
        self
    }

    /// Sets the slot types of the service. With them, values that the service computes do not count as edits.
    pub fn types(mut self, types: SlotTypes) -> Self {
        self.options.types = types;
        self
    }

    /// Confirms up to this number of deletes. Without it, more than 20 deletes, or more than 30 % of a page with at least 10 slots, are
    /// refused.
    pub fn max_deletes(mut self, deletes: usize) -> Self {
        self.limits.max_deletes = Some(deletes);
        self
    }

    /// Allows desired content without slots, and a page that has lost all its slots.
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.limits.allow_empty = allow;
        self
    }

    /// Sets a callback that is called before each step. If it returns a break, the run stops there with [`ApplyCause::Stopped`].
    pub fn on_step(mut self, hear: impl FnMut(Step) -> ControlFlow<()> + Send + 'static) -> Self {
        self.on_step = Box::new(hear);
        self
    }

    /// Sets a callback that confirms the plan before anything is written. The page is read again afterwards, because users may take their
    /// time.
    pub fn confirm(
        mut self,
        confirm: impl FnMut(&Plan, &PageSnapshot) -> bool + Send + 'static,
    ) -> Self {
        self.confirm = Some(Box::new(confirm));
        self
    }
}

impl fmt::Debug for Apply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apply").field("key", &self.page.key).finish_non_exhaustive()
    }
}

impl IntoFuture for Apply {
    type Output = Result<Applied, ApplyError>;
    type IntoFuture = CallFuture<Applied, ApplyError>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
