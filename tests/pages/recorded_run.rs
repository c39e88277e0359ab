//! Runs whose steps a test observes.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use links_pages::apply::{
    AppliedChanges, ApplyCause, ApplyError, DesiredPage, PageRequest, Plan, PlanOptions, Proposal,
    Run, RunSettings, Step, execute,
};
use links_sdk::{Client, ProfileKey, Slot};

/// Result of a run.
#[derive(Debug)]
pub(crate) struct RunResult {
    pub(crate) plan: Option<Plan>,
    pub(crate) done: AppliedChanges,
    /// The page, or `None` if the run was stopped.
    pub(crate) result: Result<Option<Vec<Slot>>, ApplyError>,
}

/// Callback for each step before it is taken.
pub(crate) type OnStep<'a> = &'a mut (dyn FnMut(Step) -> ControlFlow<()> + Send);

/// Applies `desired`, and records the run below `state` if there is one.
pub(crate) async fn apply(
    client: &Client,
    key: &ProfileKey,
    desired: &DesiredPage,
    options: &PlanOptions,
    state: Option<&Path>,
    hear: OnStep<'_>,
) -> RunResult {
    let settings = match state {
        Some(state) => {
            RunSettings { service: Some("test".to_owned()), ..RunSettings::new().journal(state) }
        }
        None => RunSettings::new(),
    };
    let mut plan = None;
    let ended = async {
        let request = PageRequest { keys: vec![key.clone()], path: None, may_create: false };
        let run = Run::begin(client, vec![request], settings).await?;
        let mut page = run.open(0).await?;
        page.settle(desired).await?;
        let options = PlanOptions { created: page.created(), ..options.clone() };
        let proposal = Proposal::new(page.snapshot(), Arc::new(desired.clone()), options)?;
        plan = Some(proposal.plan.as_ref().clone());
        page.propose(proposal)?;
        let mut ended = execute(vec![page], false, &mut |_, step, _| hear(step)).await;
        ended.pop().unwrap().result
    };
    match ended.await {
        Ok(applied) => RunResult {
            plan,
            done: applied.done,
            result: Ok(Some(Arc::unwrap_or_clone(applied.page).slots)),
        },
        Err(error) if matches!(error.cause(), ApplyCause::Stopped) => {
            RunResult { plan, done: error.done().clone(), result: Ok(None) }
        }
        Err(error) => RunResult { plan, done: error.done().clone(), result: Err(error) },
    }
}
