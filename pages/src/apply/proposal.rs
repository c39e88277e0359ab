//! What is proposed for a page: a plan with what it was made of.

use std::sync::Arc;

use super::{ApplyError, DesiredPage, PageSnapshot, Plan, PlanOptions, Wanted};

/// Plan with the content and the options that it was made for.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// What the file asks for. An interrupted run is recognized by it.
    pub file: Arc<DesiredPage>,
    /// What the page should have: what the file says, or what a merge made of it.
    pub wanted: Wanted,
    /// Options of the plan.
    pub options: PlanOptions,
    /// The plan, made from the page that was read.
    pub plan: Arc<Plan>,
}

impl Proposal {
    /// Plans the changes that give a page this content.
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

    /// Plans the changes that give a page what is wanted.
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
