//! A plan with what it was made for.

use std::sync::Arc;

use super::{ApplyCause, ApplyError, DesiredPage, PageSnapshot, Plan, PlanOptions};

/// Plan with the content and the options that it was made for.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// What the file asks for. An interrupted run is recognized by it.
    pub file: Arc<DesiredPage>,
    /// Desired content of the page: that of the file, or what a merge made of it.
    pub desired: Arc<DesiredPage>,
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
        let plan = Plan::of_page(page, &desired, &options).map_err(ApplyCause::Plan)?;
        Ok(Self { file: desired.clone(), desired, options, plan: Arc::new(plan) })
    }
}
