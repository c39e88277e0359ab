//! `links slots top`: ranks the slots of a page by their clicks.

use std::collections::HashMap;
use std::time::Duration;

use clap::Args;
use links_sdk::{ProfileHandle, ProfileKey, Slot, SlotId};
use serde_json::{Value, json};

use super::clicks::PageClicks;
use super::ranking::{RankedSlot, lines, ranked};
use super::view;
use crate::commands::analytics::{PeriodArgs, reliance, unrecognised};
use crate::context::{Context, clock};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{Body, CommandOutput, Instead, Style, StyledLine, View};
use crate::profile_key;
use crate::ui;

/// Time between two looks if the service does not say how long it keeps its numbers.
const REFRESH: Duration = Duration::from_secs(300);

/// Least time between two looks: analytics have a rate limit of their own.
const REFRESH_MIN: Duration = Duration::from_secs(30);

#[derive(Args, Debug)]
#[command(
    long_examples = ["links slots top cafe", "links slots top cafe --period last7 -o csv"]
)]
pub(crate) struct SlotsTopArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    period: PeriodArgs,
    /// Show it again whenever there are new numbers
    #[arg(long)]
    watch: bool,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsTopArgs,
) -> Result<CommandOutput, CommandError> {
    let profile = context.client().await?.profile(&args.profile);
    let mut before = HashMap::new();
    loop {
        let (clicks, slots) = read(&profile, &args.period).await?;
        let output = shown(context, &clicks, &slots, &before);
        if !args.watch {
            return Ok(output);
        }
        context.ui.show(&output)?;
        before = clicks.by_slot.unwrap_or_default();
        let seconds = clicks.meta["cacheSeconds"].as_u64().map(Duration::from_secs);
        clock().sleep(seconds.unwrap_or(REFRESH).max(REFRESH_MIN)).await;
    }
}

async fn read(
    profile: &ProfileHandle,
    period: &PeriodArgs,
) -> Result<(PageClicks, Vec<Slot>), CommandError> {
    let (_, slots) = view::page(&profile.slots()).await?;
    let clicks = PageClicks::read(profile, period.query()?, &slots).await?;
    Ok((clicks, slots))
}

/// Output of a ranking; `before` are the clicks of the look before.
fn shown(
    context: &Context,
    clicks: &PageClicks,
    slots: &[Slot],
    before: &HashMap<SlotId, u64>,
) -> CommandOutput {
    if clicks.by_slot.is_none() {
        unrecognised(context, &clicks.data);
        return CommandOutput::service(clicks.body.clone(), View::Lines(Vec::new()));
    }
    for note in reliance(&clicks.meta) {
        context.ui.say(&StyledLine::new(Style::Faint, note));
    }
    let ranked = ranked(slots, |slot| clicks.of(slot).unwrap_or(0));
    let data: Vec<Value> = ranked.iter().map(RankedSlot::to_json).collect();
    let total: u64 = ranked.iter().map(|slot| slot.clicks).fold(0, u64::saturating_add);
    let body = json!({ "data": data, "meta": { "clicks": total, "analytics": clicks.meta } });
    let width = context.ui.is_read().then(ui::width);
    let view = View::Listing(lines(&ranked, before, width), Instead::Rows(data));
    CommandOutput { body: Body::Own(body), view, exit: Exit::Ok, then: None }
}
