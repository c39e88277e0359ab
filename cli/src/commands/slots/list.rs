//! `links slots list`: lists the slots of a page, in page order.

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::{Value, json};

use super::clicks::PageClicks;
use super::view::{self, CLICKS_COLUMNS, COLUMNS};
use crate::commands::analytics::{PeriodArgs, unrecognised};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{Body, CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots list cafe", "links slots list cafe --clicks --period last7", "links slots list cafe --jq '.[] | select(.type == \"button\")'"])]
pub(crate) struct SlotsListArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// With the clicks of each slot in the period
    #[arg(long)]
    clicks: bool,
    #[command(flatten)]
    period: PeriodArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsListArgs,
) -> Result<CommandOutput, CommandError> {
    let profile = context.client().await?.profile(args.profile);
    if !args.clicks {
        if args.period.is_given() {
            return Err(CommandError::usage("the period is that of the clicks")
                .with_hint("pass --clicks, too"));
        }
        let answer = profile.slots().list().answer().await?;
        return Ok(CommandOutput::checked(answer.body().clone(), View::Table(COLUMNS)));
    }
    let (body, slots) = view::page(&profile.slots()).await?;
    let clicks = PageClicks::read(&profile, args.period.query()?, &slots).await?;
    if clicks.by_slot.is_none() {
        unrecognised(context, &clicks.data);
    }
    let mut listed: Value = serde_json::from_slice(&body).map_err(CommandError::unreadable)?;
    for record in listed["data"].as_array_mut().into_iter().flatten() {
        record["clicks"] = json!(record["id"].as_i64().and_then(|id| clicks.of(id.into())));
    }
    listed["meta"]["analytics"] = clicks.meta.clone();
    let view = View::Table(CLICKS_COLUMNS);
    Ok(CommandOutput { body: Body::Own(listed), view, exit: Exit::Ok, then: None })
}
