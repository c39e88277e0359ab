//! Human-readable display of a plan.

mod form;
mod model;
mod text;

pub(crate) use form::form_lines;
use links_sdk::apply::{Notice, RetainReason};
use model::{Change, ShownSlot};
pub(crate) use model::{PlanView, Upload};
pub(crate) use text::{cut, value as shown_value};

use super::width;
use crate::output::{Style, StyledLine};

/// Maximum width of the label of a slot in columns.
const LABEL_MAX: usize = 40;

/// Number of changed, new and moved slots of a plan from which on it is summarised.
const LARGE: usize = 50;

/// Number of slots of each kind that a summary shows.
const SUMMARY_MAX: usize = 10;

/// Maximum number of kept slots that are named.
const KEPT_MAX: usize = 12;

/// Lines about the effects of a plan on a page: changes with old and new value, new slots, moves, kept and deleted slots. `kept_reason` is
/// the reason why a slot is kept that could be deleted. A large plan is summarised unless it is to be shown in full; deletes are always named.
pub(crate) fn lines(shown: &PlanView<'_>, kept_reason: &str, is_full: bool) -> Vec<StyledLine> {
    shown.lines(width(), kept_reason, is_full)
}

/// Line about the entries that a summary leaves out, if there are any.
fn left_out(all: usize, most: usize, what: [&str; 2]) -> Option<StyledLine> {
    let more = all.checked_sub(most).filter(|more| *more > 0)?;
    let what = what[usize::from(more > 1)];
    let text = format!("… and {more} more {what}; --full shows all");
    Some(StyledLine::new(Style::Faint, text))
}

impl PlanView<'_> {
    fn lines(&self, width: usize, kept_reason: &str, is_full: bool) -> Vec<StyledLine> {
        let is_large = self.updates.len() + self.creates.len() + self.moves.len() > LARGE;
        let most = if is_large && !is_full { SUMMARY_MAX } else { usize::MAX };
        let mut lines = Vec::new();
        if !self.fields.is_empty() {
            lines.push(StyledLine::new(Style::Changed, "~ profile"));
            lines.extend(self.fields.iter().flat_map(|it| change(it, width)));
        }
        for update in self.updates.iter().take(most) {
            let name = name(Some(update.id), update.kind, update.label);
            lines.push(StyledLine::new(Style::Changed, format!("~ {name}")));
            lines.extend(update.changes.iter().flat_map(|it| change(it, width)));
        }
        lines.extend(left_out(self.updates.len(), most, ["changed slot", "changed slots"]));
        for create in self.creates.iter().take(most) {
            lines.push(StyledLine::new(
                Style::Added,
                format!("+ {} (item {})", create.kind, create.index + 1),
            ));
            let line = |(key, new)| {
                let text = format!("    {key}: {}", text::value(new));
                StyledLine::new(Style::Added, text::cut(&text, width))
            };
            lines.extend(create.data.iter().map(line));
        }
        lines.extend(left_out(self.creates.len(), most, ["new slot", "new slots"]));
        for moved in self.moves.iter().take(most) {
            let place = match &moved.after {
                Some(block) => format!("after {}", block.name()),
                None => "to the top".to_owned(),
            };
            lines
                .push(StyledLine::new(Style::Changed, format!("> {} {place}", moved.block.name())));
        }
        lines.extend(left_out(self.moves.len(), most, ["move", "moves"]));
        lines.extend(self.kept(kept_reason));
        let upload = |it| StyledLine::new(Style::Changed, format!("^ upload {it}"));
        lines.extend(self.uploads.iter().map(upload));
        for delete in self.deletes {
            let name = name(Some(delete.id), &delete.kind, delete.label.as_deref());
            lines.push(StyledLine::new(
                Style::Removed,
                format!("- {name}, with its click statistics"),
            ));
        }
        lines.extend(self.warnings());
        lines
    }

    /// Lines about slots that are kept although the file does not mention them: the first few by name.
    fn kept(&self, kept_reason: &str) -> impl Iterator<Item = StyledLine> {
        let named = self.kept.iter().take(KEPT_MAX).map(move |slot| {
            let why = match slot.reason {
                RetainReason::NotInFile => kept_reason,
                RetainReason::ReadOnly => "not in the file; slots of its type are never deleted",
                RetainReason::Unsupported => "not in the file; a legacy slot",
            };
            let name = name(Some(slot.id), &slot.kind, slot.label.as_deref());
            StyledLine::new(Style::Faint, format!("= {name} ({why})"))
        });
        let more = self.kept.len().saturating_sub(KEPT_MAX);
        let line = format!("= and {more} more that stay; -o json lists all");
        named.chain((more > 0).then(|| StyledLine::new(Style::Faint, line)))
    }

    fn warnings(&self) -> impl Iterator<Item = StyledLine> {
        let room = match self.make_room {
            0 => None,
            1 => Some("1 slot is deleted".to_owned()),
            many => Some(format!("{many} slots are deleted")),
        };
        let room = room.map(|what| format!("the page is full: {what} before new ones are created"));
        let notices = self.notices.iter().map(|Notice::RemovedSince { index, id }| {
            format!(
                "item {} was slot {id}, which someone deleted since: it is created again",
                index + 1
            )
        });
        room.into_iter().chain(notices).map(|it| StyledLine::new(Style::Changed, format!("! {it}")))
    }
}

impl ShownSlot<'_> {
    fn name(&self) -> String {
        match self.index {
            Some(index) => format!("the new {} of item {}", self.kind, index + 1),
            None => name(self.id, self.kind, self.label),
        }
    }
}

/// Lines about a change: one line if it fits, else the old value above the new one.
fn change(change: &Change<'_>, width: usize) -> Vec<StyledLine> {
    let path = crate::sanitize::line(&change.path);
    let one = |tone, sign: &str, value| {
        let text = format!("    {sign} {path}: {}", text::value(value));
        vec![StyledLine::new(tone, text::cut(&text, width))]
    };
    match (change.old, change.new) {
        (None, None) => Vec::new(),
        (None, Some(new)) => one(Style::Added, "+", new),
        (Some(old), None) => one(Style::Removed, "-", old),
        (Some(old), Some(new)) => {
            let (old, new) = text::values(old, new);
            let line = format!("    {path}: {old} → {new}");
            if text::width(&line) <= width {
                return vec![StyledLine::new(Style::Changed, line)];
            }
            let (old, new) = text::pair(&old, &new, width.saturating_sub(8));
            vec![
                StyledLine::new(Style::Changed, format!("    {path}:")),
                StyledLine::new(Style::Removed, format!("      - {old}")),
                StyledLine::new(Style::Added, format!("      + {new}")),
            ]
        }
    }
}

fn name(id: Option<i64>, kind: &str, label: Option<&str>) -> String {
    let id = id.map(|it| format!(" {it}")).unwrap_or_default();
    let label =
        label.map(|it| format!(" \"{}\"", text::cut(&crate::sanitize::line(it), LABEL_MAX)));
    format!("{kind}{id}{}", label.unwrap_or_default())
}

#[cfg(test)]
mod tests;
