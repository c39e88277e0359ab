//! Changes by others since a run, which its undo would overwrite.

use links_pages::apply::UndoConflict;
use serde_json::Value;

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::Style;
use crate::ui::Ui;
use crate::ui::plan::{cut, shown_value};
use links_pages::sanitize;

/// Maximum width of a value in columns.
const SHOWN: usize = 60;

/// Returns a line that names both values.
pub(super) fn line(conflict: &UndoConflict) -> String {
    let what = conflict.to_string();
    let what = sanitize::line(&what);
    match conflict {
        UndoConflict::Field { left, now, .. } | UndoConflict::Edited { left, now, .. } => {
            differs(&what, left, now)
        }
        UndoConflict::Moved { left, now } => {
            let [left, now] = [left, now].map(|ids| {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                cut(&ids.join(" "), SHOWN)
            });
            format!("{what}: the run left {left}, now it is {now}")
        }
        _ => format!("{what}: it was deleted since"),
    }
}

pub(super) fn differs(name: &str, left: &Value, now: &Value) -> String {
    let [left, now] = [left, now].map(|value| cut(&shown_value(value), SHOWN));
    format!("{name}: the run left {left}, now it is {now}")
}

/// Refuses an undo that would overwrite what was changed since.
pub(super) fn refuse(ui: &Ui, lines: &[String]) -> Result<(), CommandError> {
    if lines.is_empty() {
        return Ok(());
    }
    for line in lines {
        ui.tell(Style::Changed, format!("! {line}"));
    }
    let message = match lines.len() {
        1 => format!("changed since the run: {}; nothing was written", lines[0]),
        count => format!("{count} values were changed since the run; nothing was written"),
    };
    Err(CommandError::new(Exit::Conflict, message)
        .with_hint("--overwrite restores what was there before the run all the same"))
}
