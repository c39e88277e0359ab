//! Request to make a page match what is desired.

use std::collections::BTreeSet;
use std::future::IntoFuture;
use std::ops::ControlFlow;

use super::account_delegate::SinglePage;
use super::delegate::{ApplyDelegate, DefaultDelegate};
use super::flow::{self, Applied, PlannedPage};
use super::page_task::PageTask;
use super::run_settings::RunSettings;
use super::{
    ApplyCause, ApplyError, DesiredPage, ItemRefusal, PageSnapshot, Plan, SlotTypes, Step,
};
use crate::{CallFuture, Client, Error, ProfileHandle, ProfileKey};

/// Request to make a page match what is desired. From [`ProfileHandle::apply`] and [`ProfileHandle::apply_with`].
#[derive(Debug)]
#[must_use = "nothing is sent before it is awaited"]
pub struct Apply<D = DefaultDelegate> {
    client: Client,
    key: Result<ProfileKey, String>,
    settings: RunSettings,
    /// Set if the desired content may be empty, and with it the page.
    allow_empty: bool,
    delegate: D,
}

/// Plan with the refusals that the service gives to its dry run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The plan.
    pub planned: PlannedPage,
    /// Items that the service would refuse.
    pub refused: Vec<ItemRefusal>,
}

impl ProfileHandle {
    /// Makes the page match `desired`: slots are updated, created, moved and, on request, deleted, in as few requests as that takes.
    ///
    /// The page is read, and only what differs is written. Changes of other clients are never overwritten: if a slot that is to be changed
    /// or deleted was edited meanwhile, the run ends. With [`RunSettings::journal`] a run that was interrupted is continued by the next one
    /// for the same page, and two processes exclude each other.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use std::ops::ControlFlow;
    ///
    /// use links_sdk::apply::{DesiredPage, RunSettings};
    ///
    /// let state = tempfile::tempdir()?;
    /// let desired: DesiredPage = serde_json::from_str(
    ///     r#"{"slots": [{"type": "text", "data": {"title": "Closed today"}}, {"type": "divider"}]}"#,
    /// )?;
    /// let cafe = client.profile("cafe");
    /// let planned = cafe.apply(desired.clone()).plan().await?;
    /// assert!(!planned.proposal.plan.is_empty());
    /// assert!(cafe.apply(desired.clone()).check().await?.refused.is_empty());
    ///
    /// let on_step = |step| {
    ///     println!("{step:?}");
    ///     ControlFlow::Continue(())
    /// };
    /// let settings = RunSettings::new().journal(state.path());
    /// let applied = cafe.apply(desired.clone()).settings(settings.clone()).on_step(on_step).await?;
    /// assert_eq!(applied.done.created.len(), 1);
    /// assert!(cafe.apply(desired).settings(settings).await?.done.is_nothing());
    /// # Ok(()) });
    /// ```
    pub fn apply(&self, desired: DesiredPage) -> Apply {
        self.apply_with(DefaultDelegate::new(desired))
    }

    /// Makes the page match what a delegate plans, confirms and observes.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use std::collections::BTreeMap;
    /// use std::sync::Arc;
    ///
    /// use links_sdk::SlotId;
    /// use links_sdk::apply::{ApplyDelegate, ApplyError, DesiredPage, PageSnapshot, Plan, PlanOptions, Proposal};
    ///
    /// /// Reverses whatever slots the page has.
    /// #[derive(Default)]
    /// struct Reversed(Arc<DesiredPage>);
    ///
    /// impl ApplyDelegate for Reversed {
    ///     type Error = Box<dyn std::error::Error>;
    ///
    ///     async fn resolve(&mut self, page: &Arc<PageSnapshot>) -> Result<Arc<DesiredPage>, Self::Error> {
    ///         let slots: Vec<_> = page.unchanged_slots().into_iter().rev().collect();
    ///         self.0 = Arc::new(DesiredPage::from(slots));
    ///         Ok(self.0.clone())
    ///     }
    ///
    ///     async fn plan(
    ///         &mut self,
    ///         page: &Arc<PageSnapshot>,
    ///         created: &BTreeMap<usize, SlotId>,
    ///         _: bool,
    ///     ) -> Result<Proposal, Self::Error> {
    ///         let options = PlanOptions { created: created.clone(), ..PlanOptions::default() };
    ///         let plan = Arc::new(Plan::of_page(page, &self.0, &options)?);
    ///         Ok(Proposal { file: self.0.clone(), desired: self.0.clone(), options, plan })
    ///     }
    /// }
    ///
    /// let before = client.profile("cafe").slots().list().await?;
    /// let applied = client.profile("cafe").apply_with(Reversed::default()).run().await?;
    /// assert_eq!(applied.page.slots.last(), before.first());
    /// # Ok(()) });
    /// ```
    pub fn apply_with<D: ApplyDelegate>(&self, delegate: D) -> Apply<D> {
        let (client, key) = (self.client.clone(), self.key.clone());
        Apply { client, key, settings: RunSettings::new(), allow_empty: false, delegate }
    }
}

impl<D: ApplyDelegate> Apply<D> {
    /// Sets the journal of the run, and what it does about other runs.
    pub fn settings(mut self, settings: RunSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Makes the page match what its delegate plans.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::apply::DesiredPage;
    ///
    /// let desired: DesiredPage = serde_json::from_str(r#"{"slots": [{"type": "divider"}]}"#)?;
    /// match client.profile("cafe").apply(desired).run().await {
    ///     Ok(applied) => println!("{:?}", applied.done),
    ///     Err(error) => println!("{error}: {:?}, {:?}", error.outcome(), error.done()),
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The first failure. [`ApplyError::outcome`] tells whether anything was written before it, and [`ApplyError::done`] lists the changes.
    pub async fn run(mut self) -> Result<Applied, D::Error> {
        let task = self.task()?;
        let mut delegate = SinglePage(&mut self.delegate);
        flow::apply(&self.client, &[task], &mut delegate).await?.take(0)
    }

    /// Reads the page and plans. Nothing is locked and nothing is written.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::apply::DesiredPage;
    ///
    /// let desired: DesiredPage = serde_json::from_str(r#"{"slots": [{"type": "divider"}]}"#)?;
    /// let planned = client.profile("cafe").apply(desired).plan().await?;
    /// println!("{} requests", planned.proposal.plan.request_count());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the page cannot be read, or no plan can be made.
    pub async fn plan(mut self) -> Result<PlannedPage, D::Error> {
        let task = self.task()?;
        flow::plan_one(&self.client, &task, &mut self.delegate).await
    }

    /// Plans, and sends every create and update as a dry run. Nothing is written.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::apply::DesiredPage;
    ///
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "button", "data": {"titel": "Menu"}}]}"#)?;
    /// let checked = client.profile("cafe").apply(desired).check().await?;
    /// assert_eq!(checked.refused[0].index, 0);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When no plan can be made, or a dry run fails for another reason than a refusal.
    pub async fn check(self) -> Result<Checked, D::Error> {
        let client = self.client.clone();
        let planned = self.plan().await?;
        let refused = planned.proposal.plan.check(&client, planned.page.id, &BTreeSet::new()).await;
        let refused = refused.map_err(|error| ApplyError::from(ApplyCause::Read(error)))?;
        Ok(Checked { planned, refused })
    }

    fn task(&self) -> Result<PageTask, ApplyError> {
        let refused = |why| ApplyCause::Read(Error::invalid("getProfile", why));
        let keys = vec![self.key.clone().map_err(refused)?];
        let mut settings = self.settings.clone().of(&self.client);
        settings.allow_emptied |= self.allow_empty;
        Ok(PageTask { keys, settings, may_create: false })
    }
}

impl Apply {
    /// Returns the future of the run, to spawn it or to poll it beside others. `.await` is the same.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::apply::DesiredPage;
    ///
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "text", "data": {"title": "Closed today"}}]}"#)?;
    /// let run = tokio::spawn(client.profile("cafe").apply(desired).send());
    /// assert_eq!(run.await??.done.created.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn send(self) -> CallFuture<Applied, ApplyError> {
        CallFuture::new(self.run())
    }

    /// Deletes the slots that are not mentioned. Read-only and unsupported ones stay.
    pub fn prune(mut self, prune: bool) -> Self {
        self.delegate.options.prune = prune;
        self
    }

    /// Deletes the unsupported slots that are not mentioned.
    pub fn prune_unsupported(mut self, prune: bool) -> Self {
        self.delegate.options.prune_unsupported = prune;
        self
    }

    /// Sets the slot types of the service: with them, values that the service computes do not count as edits.
    pub fn types(mut self, types: SlotTypes) -> Self {
        self.delegate.options.types = types;
        self
    }

    /// Confirms up to this many deletes. Without it more than 20, or 30 % of a page of at least 10 slots, are refused.
    pub fn max_deletes(mut self, deletes: usize) -> Self {
        self.delegate.limits.max_deletes = Some(deletes);
        self
    }

    /// Allows desired content without slots, and a page that has lost all of its slots.
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.delegate.limits.allow_empty = allow;
        self.allow_empty = allow;
        self
    }

    /// Sets a callback for each step before it is taken; a break ends the run there, with [`ApplyCause::Stopped`].
    pub fn on_step(mut self, hear: impl FnMut(Step) -> ControlFlow<()> + Send + 'static) -> Self {
        self.delegate.on_step = Some(Box::new(hear));
        self
    }

    /// Sets a callback that confirms the plan before anything is written. The page is read again afterwards, because users take their time.
    pub fn confirm(
        mut self,
        confirm: impl FnMut(&Plan, &PageSnapshot) -> bool + Send + 'static,
    ) -> Self {
        self.delegate.confirm = Some(Box::new(confirm));
        self
    }
}

impl IntoFuture for Apply {
    type Output = Result<Applied, ApplyError>;
    type IntoFuture = CallFuture<Applied, ApplyError>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}
