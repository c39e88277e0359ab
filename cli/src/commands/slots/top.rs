//! `links slots top`: ranks the slots of a page by their clicks.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::clicks::PageClicks;
use super::view;
use crate::commands::analytics::{PeriodArgs, figures, reliance, unrecognised};
use crate::commands::prelude::*;
use crate::context::clock;
use crate::output::Instead;
use crate::output::label::label;
use crate::ui;
use crate::ui::cut;
use links_pages::sanitize;

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
    key: PageKey,
    #[command(flatten)]
    period: PeriodArgs,
    /// Show it again whenever there are new numbers
    #[arg(long)]
    watch: bool,
}

pub(super) async fn top(context: &mut Context, args: SlotsTopArgs) -> CommandResult {
    let profile = context.client().await?.profile(&*args.key);
    let mut before = HashMap::new();
    loop {
        let (_, slots) = view::page(&profile.slots()).await?;
        let clicks = PageClicks::read(&profile, args.period.query()?, &slots).await?;
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
        context.ui.tell(Style::Faint, note);
    }
    let ranked = ranked(slots, |slot| clicks.of(slot).unwrap_or(0));
    let data: Vec<Value> = ranked.iter().map(RankedSlot::to_json).collect();
    let total: u64 = ranked.iter().map(|slot| slot.clicks).fold(0, u64::saturating_add);
    let body = json!({ "data": data, "meta": { "clicks": total, "analytics": clicks.meta } });
    let width = context.ui.is_read().then(ui::width);
    let view = View::Listing(lines(&ranked, before, width), Instead::Rows(data));
    CommandOutput::new(Body::Own(body), view)
}

/// Number of cells of the bar of the first slot.
const BAR: usize = 20;

/// Width of a line where there is no terminal.
const WIDTH: usize = 100;

/// Slot with its place in the ranking.
#[derive(Debug, PartialEq)]
struct RankedSlot<'s> {
    slot: &'s Slot,
    clicks: u64,
    /// Place, counted from 1; slots with the same clicks share it. `None` without clicks.
    place: Option<usize>,
}

impl RankedSlot<'_> {
    /// JSON of the slot.
    fn to_json(&self) -> Value {
        json!({
            "place": self.place, "id": self.slot.id, "type": self.slot.kind, "clicks": self.clicks,
            "label": label(&self.slot.data), "link": view::link(&self.slot.data),
        })
    }

    /// Name of the slot: type, id and label.
    fn name(&self) -> String {
        let Slot { kind, id, data, .. } = self.slot;
        let label = label(data).map(|text| format!(" \"{}\"", sanitize::line(text)));
        format!("{kind} {id}{}", label.unwrap_or_default())
    }
}

/// Returns the slots by their clicks; those with the same number in page order.
fn ranked(slots: &[Slot], clicks: impl Fn(SlotId) -> u64) -> Vec<RankedSlot<'_>> {
    let mut all: Vec<_> = slots
        .iter()
        .map(|slot| RankedSlot { slot, clicks: clicks(slot.id), place: None })
        .collect();
    all.sort_by_key(|slot| std::cmp::Reverse(slot.clicks));
    let mut last = (0, 0);
    for (at, slot) in all.iter_mut().enumerate().filter(|(_, slot)| slot.clicks > 0) {
        if last.1 != slot.clicks {
            last = (at + 1, slot.clicks);
        }
        slot.place = Some(last.0);
    }
    all
}

/// Lines about the ranking: the clicks with a bar on a terminal of this width, and the slots without any. `before` are the clicks of the look
/// before.
fn lines(
    ranked: &[RankedSlot<'_>],
    before: &HashMap<SlotId, u64>,
    width: Option<usize>,
) -> Vec<StyledLine> {
    let (clicked, others): (Vec<_>, Vec<_>) = ranked.iter().partition(|slot| slot.clicks > 0);
    let most = clicked.first().map_or(0, |slot| slot.clicks);
    let digits = most.to_string().len();
    let room = width.unwrap_or(WIDTH);
    let line = |slot: &&RankedSlot<'_>| {
        let mut text = format!("{:>digits$}", slot.clicks);
        if width.is_some() {
            let bar = figures::bar(as_number(slot.clicks), as_number(most), BAR);
            let _ = write!(text, "  {bar}{}", " ".repeat(BAR.saturating_sub(bar.width())));
        }
        let _ = write!(text, "  {}", slot.name());
        let added = before.get(&slot.slot.id).map_or(0, |was| slot.clicks.saturating_sub(*was));
        if added > 0 {
            let _ = write!(text, " (+{added})");
        }
        if let Some(link) = view::link(&slot.slot.data) {
            let _ = write!(text, "  {}", sanitize::line(link));
        }
        let tone = if added > 0 { Style::Added } else { Style::Plain };
        StyledLine::new(tone, cut(&text, room))
    };
    let mut lines: Vec<StyledLine> = clicked.iter().map(line).collect();
    if !others.is_empty() {
        let title = if clicked.is_empty() { "no slot has clicks:" } else { "without clicks:" };
        lines.push(StyledLine::faint(title));
        let line =
            |slot: &&RankedSlot<'_>| StyledLine::faint(cut(&format!("  {}", slot.name()), room));
        lines.extend(others.iter().map(line));
    }
    if ranked.is_empty() {
        lines.push(StyledLine::faint("the page has no slots"));
    }
    lines
}

#[expect(clippy::cast_precision_loss, reason = "a bar has twenty cells")]
fn as_number(clicks: u64) -> f64 {
    clicks as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots() -> Vec<Slot> {
        serde_json::from_value(json!([
        { "id": 1, "type": "text", "data": { "title": "Hello" }, "supported": true },
        { "id": 2, "type": "button", "data": { "title": "Menu", "link": "https://qara.example/menu" }, "supported": true },
        { "id": 3, "type": "button", "data": { "title": "\u{1b}]52;c;x\u{7}" }, "supported": true },
        { "id": 4, "type": "divider", "data": [], "supported": true },
    ]))
    .unwrap()
    }

    fn text(
        clicks: &[(SlotId, u64)],
        before: &[(SlotId, u64)],
        width: Option<usize>,
    ) -> Vec<String> {
        let clicks: HashMap<_, _> = clicks.iter().copied().collect();
        let slots = slots();
        let ranked = ranked(&slots, |id| clicks.get(&id).copied().unwrap_or(0));
        let lines = lines(&ranked, &before.iter().copied().collect(), width);
        lines.iter().map(|line| line.text().to_owned()).collect()
    }

    #[test]
    fn slots_are_ranked_and_those_without_clicks_are_named() {
        let lines = text(&[(2.into(), 40), (3.into(), 10)], &[(2.into(), 37)], None);
        assert_eq!(
            lines,
            [
                "40  button 2 \"Menu\" (+3)  https://qara.example/menu",
                "10  button 3 \"\\u{1b}]52;c;x\\u{7}\"",
                "without clicks:",
                "  text 1 \"Hello\"",
                "  divider 4",
            ]
        );
        assert_eq!(text(&[], &[], None)[0], "no slot has clicks:");
    }

    #[test]
    fn bars_and_lines_fit_the_terminal() {
        let lines = text(&[(2.into(), 40), (3.into(), 10)], &[], Some(48));
        assert!(lines[0].starts_with(&format!("40  {}  button 2", "▇".repeat(20))), "{lines:?}");
        assert!(lines[1].contains(&format!("10  {}  ", "▇".repeat(5))), "{lines:?}");
        assert!(lines.iter().all(|line| line.width() <= 48), "{lines:?}");
        text(&[(2.into(), u64::MAX), (3.into(), 1)], &[], Some(0));
    }

    #[test]
    fn slots_with_the_same_clicks_share_a_place() {
        let slots = slots();
        let clicks = HashMap::<SlotId, u64>::from([(1.into(), 5), (2.into(), 7), (3.into(), 5)]);
        let ranked = ranked(&slots, |id| clicks.get(&id).copied().unwrap_or(0));
        let places: Vec<_> = ranked.iter().map(|slot| (slot.slot.id, slot.place)).collect();
        assert_eq!(
            places,
            [(2.into(), Some(1)), (1.into(), Some(2)), (3.into(), Some(2)), (4.into(), None)]
        );
    }
}
