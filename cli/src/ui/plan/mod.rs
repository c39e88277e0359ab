//! Human-readable display of a plan.

mod model;
#[cfg(test)]
mod tests;
mod text;

use links_pages::apply::{Notice, RetainReason, RetainedSlot};
use links_pages::form_file::CHANNELS;
use links_sdk::{Object, SlotId};
use model::{Change, ShownSlot, changes, differences};
pub(crate) use model::{PlanView, Upload};
use serde_json::Value;
pub(crate) use text::{cut, value as shown_value};
use unicode_width::UnicodeWidthStr;

use super::width;
use crate::output::{Style, StyledLine, count, named_slot};

/// Maximum width of the label of a slot in columns.
const LABEL_MAX: usize = 40;

/// Number of changed, new and moved slots of a plan from which on it is summarised.
const LARGE: usize = 50;

/// Number of slots of each kind that a summary shows.
const SUMMARY_MAX: usize = 10;

/// How a plan is shown.
#[derive(Clone, Copy)]
pub(crate) struct PlanStyle<'s> {
    /// Reason why a slot is kept that could be deleted.
    pub(crate) kept_reason: &'s str,
    /// True if a large plan is shown with all its lines.
    pub(crate) is_full: bool,
    /// Name of what a new slot is made of, by its index.
    pub(crate) item_name: &'s dyn Fn(usize) -> String,
}

/// Returns the name of an item of a page file: `item 3`.
pub(crate) fn item_of_file(index: usize) -> String {
    format!("item {}", index + 1)
}

/// Lines about the effects of a plan on a page: changes with old and new value, new slots, moves, kept and deleted slots. A large plan is
/// summarised unless it is to be shown in full; deletes are always named.
pub(crate) fn lines(shown: &PlanView<'_>, style: PlanStyle<'_>) -> Vec<StyledLine> {
    shown.lines(width(), style)
}

/// Line about the entries that a summary leaves out, if there are any.
fn left_out(all: usize, most: usize, what: &str) -> Option<StyledLine> {
    let more = all.checked_sub(most).filter(|more| *more > 0)?;
    let text = format!("… and {}; --full shows all", count(more, what));
    Some(StyledLine::faint(text))
}

impl PlanView<'_> {
    fn lines(&self, width: usize, style: PlanStyle<'_>) -> Vec<StyledLine> {
        let PlanStyle { kept_reason, is_full, item_name } = style;
        let is_large = self.updates.len() + self.creates.len() + self.moves.len() > LARGE;
        let most = if is_large && !is_full { SUMMARY_MAX } else { usize::MAX };
        let mut lines = Vec::new();
        if !self.fields.is_empty() {
            lines.push(StyledLine::changed("~ profile"));
            lines.extend(self.fields.iter().flat_map(|it| change(it, width)));
        }
        for update in self.updates.iter().take(most) {
            lines.push(StyledLine::changed(format!("~ {}", update.block.name(item_name))));
            lines.extend(update.changes.iter().flat_map(|it| change(it, width)));
        }
        lines.extend(left_out(self.updates.len(), most, "more changed slot"));
        for create in self.creates.iter().take(most) {
            lines.push(StyledLine::added(format!(
                "+ {} ({})",
                create.kind,
                item_name(create.index)
            )));
            let line = |(key, new)| {
                let text = format!("    {key}: {}", text::value(new));
                StyledLine::added(text::cut(&text, width))
            };
            lines.extend(create.data.iter().map(line));
        }
        lines.extend(left_out(self.creates.len(), most, "more new slot"));
        for moved in self.moves.iter().take(most) {
            let place = match &moved.after {
                Some(block) => format!("after {}", block.name(item_name)),
                None => "to the top".to_owned(),
            };
            lines.push(StyledLine::changed(format!("> {} {place}", moved.block.name(item_name))));
        }
        lines.extend(left_out(self.moves.len(), most, "more move"));
        if is_full {
            lines.extend(self.kept.iter().map(|slot| Self::kept(slot, kept_reason)));
        } else if !self.kept.is_empty() {
            let slots = count(self.kept.len(), "slot");
            lines.push(StyledLine::faint(format!(
                "= {slots} kept: not in the file; --full lists them"
            )));
        }
        for upload in &self.uploads {
            let Upload { file, media_type, bytes, warning, .. } = upload;
            let file = links_pages::sanitize::line(file);
            let text = format!("^ upload {file} ({media_type}, {bytes} bytes)");
            lines.push(StyledLine::changed(text));
            lines.extend(warning.iter().map(|it| StyledLine::changed(format!("! {it}"))));
        }
        for delete in self.deletes {
            let name = name(delete.id, &delete.kind, delete.label.as_deref());
            let text = format!("- {name} (its click statistics will be lost)");
            lines.push(StyledLine::removed(text));
        }
        lines.extend(self.warnings(item_name));
        lines
    }

    /// Returns the line about a slot that is kept although the file does not mention it.
    fn kept(slot: &RetainedSlot, kept_reason: &str) -> StyledLine {
        let why = match slot.reason {
            RetainReason::NotInFile => kept_reason,
            RetainReason::ReadOnly => "kept: `links` never deletes slots of this type",
            RetainReason::Unsupported => "legacy slot, kept",
        };
        let name = name(slot.id, &slot.kind, slot.label.as_deref());
        StyledLine::faint(format!("= {name} ({why})"))
    }

    fn warnings(&self, item_name: &dyn Fn(usize) -> String) -> impl Iterator<Item = StyledLine> {
        let room = match self.make_room {
            0 => None,
            1 => Some("1 slot is deleted".to_owned()),
            many => Some(format!("{many} slots are deleted")),
        };
        let room =
            room.map(|what| format!("the page is full, so {what} before new slots are created"));
        let notices = self.notices.iter().map(|Notice::RemovedSince { index, id }| {
            format!("{}: recreates slot {id}, which was deleted on the page", item_name(*index))
        });
        room.into_iter().chain(notices).map(|it| StyledLine::changed(format!("! {it}")))
    }
}

impl ShownSlot<'_> {
    fn name(&self, item_name: &dyn Fn(usize) -> String) -> String {
        match self.id {
            Some(id) => name(id, self.kind, self.label),
            None => {
                let item = item_name(self.index.unwrap_or_default());
                format!("the new {} ({item})", self.kind)
            }
        }
    }
}

/// Lines about a change: one line if it fits, else the old value above the new one.
fn change(change: &Change<'_>, width: usize) -> Vec<StyledLine> {
    let path = links_pages::sanitize::line(&change.path);
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
            if line.width() <= width {
                return vec![StyledLine::changed(line)];
            }
            let (old, new) = text::pair(&old, &new, width.saturating_sub(8));
            vec![
                StyledLine::changed(format!("    {path}:")),
                StyledLine::removed(format!("      - {old}")),
                StyledLine::added(format!("      + {new}")),
            ]
        }
    }
}

fn name(id: SlotId, kind: &str, label: Option<&str>) -> String {
    let label = label.map(|it| text::cut(&links_pages::sanitize::line(it), LABEL_MAX));
    named_slot(kind, id, label.as_deref())
}

/// Name of the value of a form that lists its fields.
const FIELDS: &str = "fields";

/// Lines about the changes of a form, as those of a slot: a line for each value. Its fields are named by their keys, new ones by their labels.
pub(crate) fn form_lines(before: &Object, changed: &Object) -> Vec<StyledLine> {
    let mut lines = value_lines(before, changed.iter().filter(|(name, _)| *name != FIELDS));
    if changed.get(CHANNELS).and_then(Value::as_array).is_some_and(Vec::is_empty) {
        let text = format!("    {CHANNELS}: [] (every verified channel is notified)");
        lines.push(StyledLine::changed(text));
    }
    let Some(new) = changed.get(FIELDS) else { return lines };
    let (old, new) = (field_list(before.get(FIELDS)), field_list(Some(new)));
    let path = |field: &Value| {
        let name = [&field["key"], &field["label"]].into_iter().find_map(Value::as_str);
        format!("{FIELDS}.{}", name.unwrap_or_default())
    };
    let place = |field: &Value, list: &[Value]| {
        list.iter().position(|it| it["key"].is_string() && it["key"] == field["key"])
    };
    let mut changes = Vec::new();
    for field in new {
        let before = place(field, old).map(|at| &old[at]);
        differences(&path(field), before, Some(field), &mut changes);
    }
    let removed = old.iter().filter(|field| place(field, new).is_none());
    let removed: Vec<(String, Value)> = removed.map(|it| (path(it), without_key(it))).collect();
    for (path, field) in &removed {
        differences(path, Some(field), None, &mut changes);
    }
    lines.extend(shown(&changes, width()));
    if !new.iter().filter_map(|field| place(field, old)).is_sorted() {
        let order: Vec<&str> = new.iter().filter_map(|field| field["label"].as_str()).collect();
        let text = format!("    field order: {}", order.join(", "));
        lines.push(StyledLine::changed(text::cut(&text, width())));
    }
    lines
}

/// Returns a field without its key, so that its label is seen where a line is cut.
fn without_key(field: &Value) -> Value {
    let values = field.as_object().into_iter().flatten().filter(|(name, _)| *name != "key");
    values.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Lines about new values of a record: a line for each value that differs.
pub(crate) fn value_lines<'v>(
    before: &'v Object,
    changed: impl Iterator<Item = (&'v String, &'v Value)>,
) -> Vec<StyledLine> {
    shown(&changes(before, changed), width())
}

fn shown(changes: &[Change<'_>], width: usize) -> Vec<StyledLine> {
    changes.iter().flat_map(|it| change(it, width)).collect()
}

/// Returns the fields of a form.
pub(crate) fn field_list(fields: Option<&Value>) -> &[Value] {
    fields.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
