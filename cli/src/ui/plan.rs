//! A plan as people read it.

use std::collections::HashMap;

use links_sdk::apply::{self, Kept, KeptReason, Notice, Plan, SlotRef};
use links_sdk::{Object, Slot};
use serde_json::Value;

use super::label;
use crate::outcome::{Line, Tone};

/// Most characters of a value that a line shows.
const VALUE_MAX: usize = 60;

/// Most slots that are named only to say that nothing happens to them.
const KEPT_MAX: usize = 12;

/// What a plan does to a page: changes with old and new value, new slots, moves, slots kept and deleted.
pub(crate) fn lines(plan: &Plan, page: &[Slot]) -> Vec<Line> {
    let mut lines = Vec::new();
    for update in &plan.updates {
        lines.push(Line::new(
            Tone::Changed,
            format!("~ {}", name(update.id, &update.kind, update.label.as_deref())),
        ));
        for (key, new) in update.changed.iter() {
            differences(key, update.before.get(key), Some(new), &mut lines);
        }
    }
    for create in &plan.creates {
        lines
            .push(Line::new(Tone::Added, format!("+ {} (item {})", create.kind, create.index + 1)));
        lines.extend(content(&create.data));
    }
    lines.extend(moves(plan, page));
    lines.extend(kept(&plan.kept));
    for delete in &plan.deletes {
        let name = name(delete.id, &delete.kind, delete.label.as_deref());
        lines.push(Line::new(Tone::Removed, format!("- {name}, with its click statistics")));
    }
    for notice in &plan.notices {
        let Notice::RemovedSince { index, id } = notice;
        let text = format!(
            "! item {} was slot {id}, which somebody deleted since; it is created again",
            index + 1
        );
        lines.push(Line::new(Tone::Changed, text));
    }
    lines
}

/// Slots that stay although the file does not mention them: the first few by name.
fn kept(kept: &[Kept]) -> Vec<Line> {
    let line = |it: &Kept| {
        let why = match it.reason {
            KeptReason::NotInFile => "not in the file; --prune deletes it",
            KeptReason::ReadOnly => "not in the file; slots of its type are never deleted",
            KeptReason::Unsupported => "not in the file; a legacy slot",
        };
        Line::new(Tone::Faint, format!("= {} ({why})", name(it.id, &it.kind, it.label.as_deref())))
    };
    let mut lines: Vec<_> = kept.iter().take(KEPT_MAX).map(line).collect();
    if let Some(more) = kept.len().checked_sub(KEPT_MAX).filter(|more| *more > 0) {
        lines.push(Line::new(Tone::Faint, format!("= and {more} more; -o json lists all")));
    }
    lines
}

/// Old and new value of a field; of lists and objects only what differs within them.
fn differences(path: &str, old: Option<&Value>, new: Option<&Value>, lines: &mut Vec<Line>) {
    match (old, new) {
        (Some(old), Some(new)) if apply::same(old, new) => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
                differences(&format!("{path}.{key}"), old.get(key), new.get(key), lines);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for at in 0..old.len().max(new.len()) {
                differences(&format!("{path}.{at}"), old.get(at), new.get(at), lines);
            }
        }
        (old, new) => {
            let shown = |it: Option<&Value>| it.map_or_else(|| "(nothing)".to_owned(), value);
            lines.push(Line::new(
                Tone::Changed,
                format!("    {path}: {} → {}", shown(old), shown(new)),
            ));
        }
    }
}

fn content(data: &Object) -> impl Iterator<Item = Line> + '_ {
    data.iter().map(|(key, new)| Line::new(Tone::Added, format!("    {key}: {}", value(new))))
}

/// The fewest slots whose moving gives the order, each with the slot it comes to stand behind.
fn moves(plan: &Plan, page: &[Slot]) -> Vec<Line> {
    if !plan.reorder {
        return Vec::new();
    }
    let was: HashMap<i64, usize> =
        page.iter().enumerate().map(|(at, slot)| (slot.id, at)).collect();
    let existing = |slot: &SlotRef| match slot {
        SlotRef::Existing(id) => was.get(id).copied(),
        SlotRef::Created(_) => None,
    };
    let positions: Vec<usize> = plan.order.iter().filter_map(existing).collect();
    let staying = longest_rising(&positions);
    let called = |slot: &SlotRef| match existing(slot).map(|at| &page[at]) {
        Some(slot) => name(slot.id, &slot.kind, label(&slot.data)),
        None => "a new slot".to_owned(),
    };
    let place = |nth: usize| match nth.checked_sub(1).map(|before| &plan.order[before]) {
        Some(before) => format!("behind {}", called(before)),
        None => "to the top".to_owned(),
    };
    let moved = |(nth, slot): (usize, &SlotRef)| {
        let moves = existing(slot).is_some_and(|at| !staying.contains(&at));
        moves.then(|| Line::new(Tone::Changed, format!("> {} {}", called(slot), place(nth))))
    };
    plan.order.iter().enumerate().filter_map(moved).collect()
}

/// The longest part of a list of different numbers that is in rising order already.
fn longest_rising(numbers: &[usize]) -> Vec<usize> {
    // `ends[n]` is the index of the smallest number that a rising run of n + 1 can end with.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        previous[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut run: Vec<usize> = std::iter::successors(ends.last().copied(), |at| previous[*at])
        .map(|at| numbers[at])
        .collect();
    run.reverse();
    run
}

fn name(id: i64, kind: &str, label: Option<&str>) -> String {
    match label {
        Some(label) => format!("{kind} {id} {}", quoted(label)),
        None => format!("{kind} {id}"),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => cut(&other.to_string()),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", cut(&super::clean::line(text)))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::longest_rising;

    #[test]
    fn the_fewest_things_move() {
        assert!(longest_rising(&[]).is_empty());
        assert_eq!(longest_rising(&[0, 1, 2]), [0, 1, 2]);
        assert_eq!(longest_rising(&[3, 0, 1, 2]), [0, 1, 2]);
        assert_eq!(longest_rising(&[1, 2, 3, 0]), [1, 2, 3]);
        assert_eq!(longest_rising(&[2, 1, 0]).len(), 1);
        assert_eq!(longest_rising(&[4, 0, 5, 1, 6, 2]).len(), 3);
    }
}
