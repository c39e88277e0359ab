//! Decisions that a run leaves to the program.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{
    AppliedChanges, ApplyCause, ApplyError, DeleteLimits, DesiredPage, JournalEntries,
    PageSnapshot, Plan, PlanOptions, Step, guard,
};
use crate::ids::SlotId;

/// Plan with the content and the options that it was made for. Shared between the run and its delegate, because a page can be large.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// What the file asks for. An interrupted run is recognized by it.
    pub file: Arc<DesiredPage>,
    /// Desired content of the page: that of the file, or what a merge made of it.
    pub desired: Arc<DesiredPage>,
    /// Options of the plan.
    pub options: PlanOptions,
    /// The plan, made from the page that was given.
    pub plan: Arc<Plan>,
}

/// Result of a confirmation.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Confirmation {
    /// The user was not asked, and nothing took time.
    AsPlanned,
    /// The user was asked, or files were uploaded: the page is read again. The values of the plan may have changed.
    Later(Box<Proposal>),
}

/// Planning, confirmation and reports of a run, as the program provides them. The run itself keeps the order: it reads and locks the page,
/// settles what an interrupted run left open, has the plan made and confirmed, and executes it.
#[expect(
    async_fn_in_trait,
    reason = "whether a run can move between threads is up to its delegate"
)]
pub trait ApplyDelegate {
    /// Error of the run.
    type Error: From<ApplyError>;

    /// Returns the desired content of the page. Called once, for the page as it was first read.
    async fn resolve(&mut self, page: &Arc<PageSnapshot>) -> Result<Arc<DesiredPage>, Self::Error>;

    /// Plans for the page as it is. `created` are the slots that an interrupted run made, by the index of their item; `is_resumed` tells
    /// whether such a run is continued.
    async fn plan(
        &mut self,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, Self::Error>;

    /// Confirms a plan that is not empty. `is_confirmed` tells whether an interrupted run was confirmed with all of its deletes.
    async fn confirm(
        &mut self,
        page: &PageSnapshot,
        is_confirmed: bool,
    ) -> Result<Confirmation, Self::Error> {
        let _ = (page, is_confirmed);
        Ok(Confirmation::AsPlanned)
    }

    /// Reports an interrupted run that was settled: the run is continued, or it was for other content and is abandoned. A plan that is not
    /// executed reports the run that would be continued.
    fn interrupted(&mut self, log: &JournalEntries, is_resumed: bool) {
        let _ = (log, is_resumed);
    }

    /// Reports each step before it is taken, with the changes made so far. A break ends the run there.
    fn step(&mut self, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        let _ = (step, done);
        ControlFlow::Continue(())
    }

    /// Reports that a change that was made could not be recorded in the journal. The page still shows the change.
    fn not_recorded(&mut self, error: &io::Error) {
        let _ = error;
    }
}

impl<D: ApplyDelegate> ApplyDelegate for &mut D {
    type Error = D::Error;

    async fn resolve(&mut self, page: &Arc<PageSnapshot>) -> Result<Arc<DesiredPage>, Self::Error> {
        D::resolve(self, page).await
    }

    async fn plan(
        &mut self,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, Self::Error> {
        D::plan(self, page, created, is_resumed).await
    }

    async fn confirm(
        &mut self,
        page: &PageSnapshot,
        is_confirmed: bool,
    ) -> Result<Confirmation, Self::Error> {
        D::confirm(self, page, is_confirmed).await
    }

    fn interrupted(&mut self, log: &JournalEntries, is_resumed: bool) {
        D::interrupted(self, log, is_resumed);
    }

    fn step(&mut self, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        D::step(self, step, done)
    }

    fn not_recorded(&mut self, error: &io::Error) {
        D::not_recorded(self, error);
    }
}

type OnStep = Box<dyn FnMut(Step) -> ControlFlow<()> + Send>;
type Confirm = Box<dyn FnMut(&Plan, &PageSnapshot) -> bool + Send>;

/// Delegate for a program that supplies the desired content and optional callbacks.
pub struct DefaultDelegate {
    pub(super) desired: Arc<DesiredPage>,
    pub(super) options: PlanOptions,
    pub(super) limits: DeleteLimits,
    pub(super) on_step: Option<OnStep>,
    pub(super) confirm: Option<Confirm>,
    /// The plan to confirm.
    pub(super) proposal: Option<Proposal>,
}

impl DefaultDelegate {
    pub(super) fn new(desired: DesiredPage) -> Self {
        let (options, limits) = (PlanOptions::default(), DeleteLimits::default());
        let desired = Arc::new(desired);
        Self { desired, options, limits, on_step: None, confirm: None, proposal: None }
    }
}

impl std::fmt::Debug for DefaultDelegate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DefaultDelegate").field("options", &self.options).finish_non_exhaustive()
    }
}

impl ApplyDelegate for DefaultDelegate {
    type Error = ApplyError;

    async fn resolve(&mut self, _: &Arc<PageSnapshot>) -> Result<Arc<DesiredPage>, ApplyError> {
        Ok(self.desired.clone())
    }

    async fn plan(
        &mut self,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        _: bool,
    ) -> Result<Proposal, ApplyError> {
        let options = PlanOptions { created: created.clone(), ..self.options.clone() };
        let plan = Plan::of_page(page, &self.desired, &options).map_err(ApplyCause::Plan)?;
        let (file, desired) = (self.desired.clone(), self.desired.clone());
        let proposal = Proposal { file, desired, options, plan: Arc::new(plan) };
        self.proposal = Some(proposal.clone());
        Ok(proposal)
    }

    async fn confirm(
        &mut self,
        page: &PageSnapshot,
        is_confirmed: bool,
    ) -> Result<Confirmation, ApplyError> {
        let Some(proposal) = self.proposal.take() else { return Ok(Confirmation::AsPlanned) };
        if !is_confirmed {
            let guarded = guard(&proposal.plan, page.slots.len(), &self.limits);
            guarded.map_err(ApplyCause::Guard)?;
        }
        match self.confirm.as_mut().map(|confirm| confirm(&proposal.plan, page)) {
            None => Ok(Confirmation::AsPlanned),
            Some(true) => Ok(Confirmation::Later(Box::new(proposal))),
            Some(false) => Err(ApplyCause::Declined.into()),
        }
    }

    fn step(&mut self, step: Step, _: &AppliedChanges) -> ControlFlow<()> {
        self.on_step.as_mut().map_or(ControlFlow::Continue(()), |hear| hear(step))
    }
}
