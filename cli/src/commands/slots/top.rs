//! `links slots top`: ranks the slots of a page by their clicks.

use std::cmp::Reverse;
use std::time::Duration;

use super::clicks::PageClicks;
use super::view;
use crate::commands::analytics::{PeriodArgs, reliance, unrecognised};
use crate::commands::prelude::*;
use crate::context::clock;
use crate::output::label;

/// Time between two looks if the service does not say how long it keeps its numbers.
const REFRESH: Duration = Duration::from_secs(300);

/// Least time between two looks: analytics have a rate limit of their own.
const REFRESH_MIN: Duration = Duration::from_secs(30);

#[derive(Args, Debug)]
#[command(
    long_examples = ["links slots top cafe", "links slots top cafe --period last7 -o csv"]
)]
pub(crate) struct SlotsTopArgs {
    /// ID, login or URL of the page
    key: PageKey,
    #[command(flatten)]
    period: PeriodArgs,
    /// Keep running and refresh the list
    #[arg(long)]
    watch: bool,
}

const COLUMNS: &[Column] = &[
    Column::at("PLACE", "place"),
    Column::at("CLICKS", "clicks"),
    Column::at("ID", "id"),
    Column::at("TYPE", "type"),
    Column::at("CONTENT", "label"),
    Column::at("LINK", "link").whole(),
];

pub(super) async fn top(context: &mut Context, args: SlotsTopArgs) -> CommandResult {
    let profile = args.key.page(&context.client().await?).await?;
    loop {
        let slots = profile.slots().list().await?;
        let clicks = PageClicks::read(&profile, args.period.query()?, &slots).await?;
        let seconds = clicks.meta["cacheSeconds"].as_u64().map(Duration::from_secs);
        let output = shown(context, clicks, &slots);
        if !args.watch {
            return Ok(output);
        }
        context.ui.show(&output)?;
        clock().sleep(seconds.unwrap_or(REFRESH).max(REFRESH_MIN)).await;
    }
}

fn shown(context: &Context, clicks: PageClicks, slots: &[Slot]) -> CommandOutput {
    if clicks.by_slot.is_none() {
        unrecognised(context, &clicks.data);
        return answered(&clicks.answer, View::Lines(Vec::new()));
    }
    for note in reliance(&clicks.meta) {
        context.ui.tell(Style::Faint, note);
    }
    let data = ranked(slots, |slot| clicks.of(slot).unwrap_or(0));
    let total = data.iter().filter_map(|slot| slot["clicks"].as_u64()).fold(0, u64::saturating_add);
    let meta = json!({ "clicks": total, "analytics": clicks.meta });
    CommandOutput::with_meta(data, meta, View::Table(COLUMNS))
}

/// Returns the slots by their clicks; those with the same number share a place, and are in page order. A slot without clicks has no place.
fn ranked(slots: &[Slot], clicks: impl Fn(SlotId) -> u64) -> Vec<Value> {
    let mut all: Vec<_> = slots.iter().map(|slot| (clicks(slot.id), slot)).collect();
    all.sort_by_key(|(clicks, _)| Reverse(*clicks));
    let place = |clicks| all.iter().position(|(other, _)| *other == clicks).map(|at| at + 1);
    let record = |(clicks, slot): &(u64, &Slot)| {
        json!({
            "place": place(*clicks).filter(|_| *clicks > 0), "id": slot.id, "type": slot.kind,
            "clicks": clicks, "label": label(&slot.data), "link": view::link(&slot.data),
        })
    };
    all.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_with_the_same_clicks_share_a_place() {
        let slot = |id| json!({ "id": id, "type": "text", "data": [], "supported": true });
        let slots: Vec<Slot> =
            serde_json::from_value(json!([slot(1), slot(2), slot(3), slot(4)])).unwrap();
        let clicks = BTreeMap::<SlotId, u64>::from([(1.into(), 5), (2.into(), 7), (3.into(), 5)]);
        let ranked = ranked(&slots, |id| clicks.get(&id).copied().unwrap_or(0));
        let places: Vec<_> =
            ranked.iter().map(|it| (it["id"].as_i64(), it["place"].as_i64())).collect();
        assert_eq!(
            places,
            [(Some(2), Some(1)), (Some(1), Some(2)), (Some(3), Some(2)), (Some(4), None)]
        );
    }
}
