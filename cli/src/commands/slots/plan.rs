//! `links slots plan`

use clap::Args;
use serde_json::json;

use super::planning::{PlanningArgs, planned, refused};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::outcome::{Body, Line, Outcome, Tone, View};
use crate::ui;

/// Arguments of `links slots plan`.
#[derive(Args, Debug)]
pub(crate) struct SlotsPlanArgs {
    #[command(flatten)]
    planning: PlanningArgs,
}

pub(crate) async fn run(context: &mut Context, args: SlotsPlanArgs) -> Result<Outcome, Failure> {
    let it = planned(context, &args.planning).await?;
    let mut lines = ui::plan::lines(&it.plan, &it.page.slots);
    lines.push(it.summary());
    if let Some(refusal) = it.refusal {
        lines.push(Line::new(
            Tone::Removed,
            format!("apply would refuse this: {}", refused(refusal)),
        ));
    }
    let body = json!({ "data": ui::plan::Shown::of(&it.plan, &it.page.slots), "meta": { "requests": it.requests(), "refusal": it.refusal } });
    let exit = if it.plan.is_empty() { Exit::Ok } else { Exit::No };
    Ok(Outcome { body: Body::Own(body), view: View::Lines(lines), exit, then: None })
}
