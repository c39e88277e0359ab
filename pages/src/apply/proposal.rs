//! What is proposed for a page: a plan with what it was made of.

use std::sync::Arc;

use super::{ApplyError, DesiredPage, PageSnapshot, Plan, PlanOptions, Wanted};

/// A plan, with the content and the options that it was made for.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The content of the file. An interrupted run is recognized by it.
    pub file: Arc<DesiredPage>,
    /// The content that the page should have: the content of the file, or the result of a merge.
    pub wanted: Wanted,
    /// Options of the plan.
    pub options: PlanOptions,
    /// The plan, made from the page that was read.
    pub plan: Arc<Plan>,
}

impl Proposal {
    /// Plans the changes so that a page has this content.
    ///
    /// # Errors
    ///
    /// When no plan can be made.
    pub fn new(
        page: &PageSnapshot,
        desired: Arc<DesiredPage>,
        options: PlanOptions,
    ) -> Result<Self, ApplyError> {
        let wanted = Wanted::bind(&page.slots, desired, &options)?;
        Self::of_wanted(page, wanted, options)
    }

    /// Plans the changes so that a page has the wanted content.
    ///
    /// # Errors
    ///
    /// When no plan can be made.
    pub fn of_wanted(
        page: &PageSnapshot,
        wanted: Wanted,
        options: PlanOptions,
    ) -> Result<Self, ApplyError> {
        let plan = Plan::of_page(page, &wanted, &options)?;
        Ok(Self { file: wanted.page.clone(), wanted, options, plan: Arc::new(plan) })
    }
}
