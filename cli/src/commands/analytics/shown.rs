//! Output of analytics: the human-readable figures, and notes on their accuracy and age.

use links_sdk::{Analytics, Call};
use serde_json::Value;

use super::figures;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{CommandOutput, Instead, Style, StyledLine, View};
use crate::ui;

/// Returns the output of an answer: its recognised parts in human-readable form, with notes on their accuracy and age.
pub(crate) async fn shown(
    context: &Context,
    call: Call<Analytics>,
) -> Result<CommandOutput, CommandError> {
    let answer = call.answer().await?;
    let body: Value = serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    let meta = &body["meta"];
    let approximate = meta["uniquesAreApproximate"] == true;
    let width = context.ui.is_read().then(ui::width);
    let lines = figures::lines(&body["data"], approximate, width);
    for line in reliance(meta) {
        context.ui.say(&StyledLine::new(Style::Faint, line));
    }
    let rows = figures::rows(&body["data"]);
    Ok(CommandOutput::service(answer.body().clone(), View::Listing(lines, Instead::Rows(rows))))
}

/// Says that the clicks of slots were not found in the numbers, and shows the numbers.
pub(crate) fn unrecognised(context: &Context, data: &Value) {
    let text = "the clicks of the slots are not recognised in these analytics:";
    context.ui.say(&StyledLine::new(Style::Changed, text));
    for line in figures::lines(data, false, None) {
        context.ui.say(&line);
    }
}

/// Returns the notes on accuracy and age that the service gives with its numbers, as far as they are recognised.
pub(crate) fn reliance(meta: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(at) = meta["generatedAt"].as_str() {
        let again = match meta["cacheSeconds"].as_u64() {
            Some(seconds) if seconds > 0 => format!(", refreshes every {seconds} s"),
            _ => String::new(),
        };
        let to_second = at.parse::<jiff::Timestamp>().and_then(|it| it.round(jiff::Unit::Second));
        let at = to_second.map_or_else(|_| at.to_owned(), |it| it.to_string());
        lines.push(format!("as of {at}{again}"));
    }
    if let (Some(days), Some(start)) =
        (meta["retentionDays"].as_u64(), meta["dataStartsAt"].as_str())
    {
        lines.push(format!("numbers are kept for {days} days and begin at {start}"));
    }
    if meta["uniquesAreApproximate"] == true {
        lines.push(
            "unique counts (≈) are approximate: those of the parts do not add up to the total"
                .to_owned(),
        );
    }
    lines
}
