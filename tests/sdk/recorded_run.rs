//! Runs whose steps a test observes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use links_sdk::apply::{
    AppliedChanges, ApplyCause, ApplyDelegate, ApplyError, DesiredPage, PageSnapshot, Plan,
    PlanOptions, Proposal, RunSettings, Step,
};
use links_sdk::{Client, ProfileKey, Slot, SlotId};

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

struct RecordingDelegate<'a> {
    desired: &'a DesiredPage,
    options: &'a PlanOptions,
    hear: OnStep<'a>,
    plan: Option<Plan>,
}

impl ApplyDelegate for RecordingDelegate<'_> {
    type Error = ApplyError;

    async fn resolve(&mut self, _: &Arc<PageSnapshot>) -> Result<Arc<DesiredPage>, ApplyError> {
        Ok(Arc::new(self.desired.clone()))
    }

    async fn plan(
        &mut self,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        _: bool,
    ) -> Result<Proposal, ApplyError> {
        let options = PlanOptions { created: created.clone(), ..self.options.clone() };
        let plan = Plan::of_page(page, self.desired, &options).map_err(ApplyCause::Plan)?;
        self.plan = Some(plan.clone());
        let desired = Arc::new(self.desired.clone());
        Ok(Proposal { file: desired.clone(), desired, options, plan: Arc::new(plan) })
    }

    fn step(&mut self, step: Step, _: &AppliedChanges) -> ControlFlow<()> {
        (self.hear)(step)
    }
}

/// Applies `desired`, and records the run below `state` if there is one.
pub(crate) async fn apply(
    client: &Client,
    key: &ProfileKey,
    desired: &DesiredPage,
    options: &PlanOptions,
    state: Option<&Path>,
    hear: OnStep<'_>,
) -> RunResult {
    let mut watched = RecordingDelegate { desired, options, hear, plan: None };
    let mut run = client.profile(key).apply_with(&mut watched);
    if let Some(state) = state {
        run = run.settings(RunSettings::new().journal(state).service("test"));
    }
    let ended = run.run().await;
    let plan = watched.plan;
    match ended {
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
