//! Decisions that a run over several pages leaves to the program.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{
    AppliedChanges, ApplyCause, ApplyDelegate, ApplyError, Confirmation, DesiredPage,
    JournalEntries, PageSnapshot, Proposal, Step,
};
use crate::ids::SlotId;

/// Planning, confirmation and reports of a run over several pages, as the program provides them; `nth` is the index of the page in the run.
/// The run itself keeps the order, as with [`ApplyDelegate`].
#[expect(
    async_fn_in_trait,
    reason = "whether a run can move between threads is up to its delegate"
)]
pub trait AccountDelegate {
    /// Error of the run.
    type Error: From<ApplyError>;

    /// Returns the desired content of a page. Called once, for the page as it was first read, or for one that does not exist yet
    /// ([`PageSnapshot::exists`]).
    async fn resolve(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, Self::Error>;

    /// Plans for a page as it is. Called again for a page that was created; an error of that call has to say that the page exists now.
    async fn plan(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, Self::Error>;

    /// Returns whether the run has something to do although no page changes.
    fn has_more_to_do(&self) -> bool {
        false
    }

    /// Confirms the plans of all pages that change, and does what has to be done before the pages are written. Returns a result for each of
    /// the pages, in the same order.
    async fn confirm(&mut self, pages: &[PageToConfirm]) -> Result<Vec<Confirmation>, Self::Error>;

    /// Returns the error of a run of which some pages cannot be planned, by default that of the first one. Nothing was written.
    fn refuse(&mut self, failures: Vec<(usize, Self::Error)>) -> Self::Error {
        match failures.into_iter().next() {
            Some((_, error)) => error,
            None => ApplyError::from(ApplyCause::Declined).into(),
        }
    }

    /// Reports an interrupted run that was settled, as [`ApplyDelegate::interrupted`] does.
    fn interrupted(&mut self, nth: usize, log: &JournalEntries, is_resumed: bool) {
        let _ = (nth, log, is_resumed);
    }

    /// Reports each step before it is taken, with the changes made on the page so far. A break ends the run there.
    fn step(&mut self, nth: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        let _ = (nth, step, done);
        ControlFlow::Continue(())
    }

    /// Reports that a change that was made could not be recorded in the journal. The page still shows the change.
    fn not_recorded(&mut self, nth: usize, error: &io::Error) {
        let _ = (nth, error);
    }
}

/// A page whose plan has to be confirmed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageToConfirm {
    /// Index of the page in the run.
    pub nth: usize,
    /// The page as it is.
    pub page: Arc<PageSnapshot>,
    /// Set if the page is created.
    pub is_new: bool,
    /// Set if an interrupted run was confirmed with all of the deletes of the plan.
    pub is_confirmed: bool,
}

/// Run over one page alone.
pub(super) struct SinglePage<'d, D>(pub(super) &'d mut D);

impl<D: ApplyDelegate> AccountDelegate for SinglePage<'_, D> {
    type Error = D::Error;

    async fn resolve(
        &mut self,
        _: usize,
        page: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, Self::Error> {
        self.0.resolve(page).await
    }

    async fn plan(
        &mut self,
        _: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, Self::Error> {
        self.0.plan(page, created, is_resumed).await
    }

    async fn confirm(&mut self, pages: &[PageToConfirm]) -> Result<Vec<Confirmation>, Self::Error> {
        let mut confirmed = Vec::new();
        for page in pages {
            confirmed.push(self.0.confirm(&page.page, page.is_confirmed).await?);
        }
        Ok(confirmed)
    }

    fn interrupted(&mut self, _: usize, log: &JournalEntries, is_resumed: bool) {
        self.0.interrupted(log, is_resumed);
    }

    fn step(&mut self, _: usize, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.0.step(step, done)
    }

    fn not_recorded(&mut self, _: usize, error: &io::Error) {
        self.0.not_recorded(error);
    }
}
