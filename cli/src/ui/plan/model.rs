//! View of a plan, human-readable and for scripts: every change by its path, and the minimum number of moves.

use std::collections::{HashMap, HashSet};

use links_pages::apply::{
    self, Notice, Plan, PlannedCreate, PlannedDelete, PlannedUpdate, RetainedSlot, SlotRef,
};
use links_sdk::{Slot, SlotId};
use serde::Serialize;
use serde_json::{Map, Value};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::output::label;

/// Effects of a plan on a page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanView<'p> {
    /// Fingerprint of the page that the plan is for.
    page: &'p str,
    /// Changes of the profile fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fields: Vec<Change<'p>>,
    pub(super) updates: Vec<Updated<'p>>,
    pub(super) creates: &'p [PlannedCreate],
    pub(super) moves: Vec<Move<'p>>,
    /// Images to upload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) uploads: Vec<Upload>,
    pub(super) deletes: &'p [PlannedDelete],
    /// Number of deletes that precede the creates because the page is full.
    pub(super) make_room: usize,
    pub(super) kept: &'p [RetainedSlot],
    pub(super) notices: &'p [Notice],
}

/// Image to upload.
#[derive(Serialize)]
pub(crate) struct Upload {
    /// Index of the first item in the file that names the image; `None` for a field of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<usize>,
    /// Path in the data of that item, or name of the field.
    pub(crate) path: String,
    /// Path of the image on this machine, with links resolved.
    pub(crate) file: String,
    /// Media type according to the content.
    #[serde(rename = "type")]
    pub(crate) media_type: &'static str,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// Reason why the image may be of no use as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) warning: Option<String>,
}

/// Changes to a slot.
#[derive(Serialize)]
pub(crate) struct Updated<'p> {
    #[serde(flatten)]
    pub(super) block: ShownSlot<'p>,
    pub(super) changes: Vec<Change<'p>>,
}

/// Value that is changed, added (no `old`) or removed (no `new`).
#[derive(Serialize)]
pub(crate) struct Change<'p> {
    /// Path in the data of the slot: `items.2.answer`. An index in a list is that of the side that has the entry.
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<&'p Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<&'p Value>,
}

/// Slot that is moved.
#[derive(Serialize)]
pub(crate) struct Move<'p> {
    #[serde(flatten)]
    pub(super) block: ShownSlot<'p>,
    /// Slot after which it is placed; `None` for the top.
    pub(super) after: Option<ShownSlot<'p>>,
}

/// Slot, identified by its id, or by the index of its item in the file.
#[derive(Serialize)]
pub(crate) struct ShownSlot<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<SlotId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
    #[serde(rename = "type")]
    pub(super) kind: &'p str,
    pub(super) label: Option<&'p str>,
}

impl<'p> PlanView<'p> {
    /// Creates the view of a plan for this page, with the images to upload.
    pub(crate) fn of(plan: &'p Plan, page: &'p [Slot], uploads: Vec<Upload>) -> Self {
        Self {
            page: &plan.page,
            fields: changes(&plan.fields.before, plan.fields.changed.iter()),
            updates: plan.updates.iter().map(updated).collect(),
            creates: &plan.creates,
            moves: moves(plan, page),
            uploads,
            deletes: &plan.deletes,
            make_room: plan.make_room,
            kept: &plan.kept,
            notices: &plan.notices,
        }
    }

    /// Leaves out a profile field.
    pub(crate) fn without_field(mut self, name: &str) -> Self {
        self.fields.retain(|change| change.path != name);
        self
    }
}

fn updated(update: &PlannedUpdate) -> Updated<'_> {
    let block = ShownSlot {
        id: Some(update.id),
        index: Some(update.index),
        // A command that changes one slot does not read its type.
        kind: if update.kind.is_empty() { "slot" } else { &update.kind },
        label: update.label.as_deref(),
    };
    Updated { block, changes: changes(&update.before, update.changed.iter()) }
}

/// Returns how new values of a record differ from those before.
pub(super) fn changes<'p>(
    before: &'p Map<String, Value>,
    changed: impl Iterator<Item = (&'p String, &'p Value)>,
) -> Vec<Change<'p>> {
    let mut changes = Vec::new();
    for (name, new) in changed {
        differences(name, before.get(name), Some(new), &mut changes);
    }
    changes
}

/// Collects the differences between two values, including those within mappings and lists.
pub(super) fn differences<'p>(
    path: &str,
    old: Option<&'p Value>,
    new: Option<&'p Value>,
    changes: &mut Vec<Change<'p>>,
) {
    let below = |key: &dyn std::fmt::Display| format!("{path}.{key}");
    match (old, new) {
        (Some(old), Some(new)) if apply::same(old, new) => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
                differences(&below(key), old.get(key), new.get(key), changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            // Equal entries at both ends are skipped, so that one added or removed entry is one change.
            let head = old.iter().zip(new).take_while(|(old, new)| apply::same(old, new)).count();
            let (old_rest, new_rest) = (&old[head..], &new[head..]);
            let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
            let tail = ends.take_while(|(old, new)| apply::same(old, new)).count();
            let (old_rest, new_rest) =
                (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
            for at in 0..old_rest.len().max(new_rest.len()) {
                differences(&below(&(head + at)), old_rest.get(at), new_rest.get(at), changes);
            }
        }
        // An empty value counts as absent and is not shown.
        (old, new) => {
            let is_set = |it: &&Value| !apply::same(it, &Value::Null);
            let (old, new) = (old.filter(is_set), new.filter(is_set));
            changes.push(Change { path: path.to_owned(), old, new });
        }
    }
}

/// Minimum set of moves that gives the order, each with the slot after which it is placed.
fn moves<'p>(plan: &'p Plan, page: &'p [Slot]) -> Vec<Move<'p>> {
    if !plan.reorder {
        return Vec::new();
    }
    let was: HashMap<SlotId, usize> =
        page.iter().enumerate().map(|(at, slot)| (slot.id, at)).collect();
    let existing = |slot: &SlotRef| match slot {
        SlotRef::Existing(id) => was.get(id).copied(),
        SlotRef::Created(_) => None,
    };
    let positions: Vec<usize> = plan.order.iter().filter_map(existing).collect();
    let staying = staying(&positions);
    let block = |slot: &SlotRef| match slot {
        SlotRef::Existing(id) => {
            let slot = was.get(id).map(|at| &page[*at])?;
            let label = label(&slot.data);
            Some(ShownSlot { id: Some(*id), index: None, kind: &slot.kind, label })
        }
        SlotRef::Created(nth) => {
            let create = plan.creates.get(*nth)?;
            let (index, label) = (Some(create.index), label(&create.data));
            Some(ShownSlot { id: None, index, kind: &create.kind, label })
        }
    };
    let moved = |(nth, slot): (usize, &SlotRef)| {
        existing(slot).filter(|at| !staying.contains(at))?;
        let after = nth.checked_sub(1).and_then(|before| block(&plan.order[before]));
        Some(Move { block: block(slot)?, after })
    };
    plan.order.iter().enumerate().filter_map(moved).collect()
}

/// Returns the slots that stay where they are, given the former positions of all: what both orders have in common.
fn staying(positions: &[usize]) -> HashSet<usize> {
    let mut former = positions.to_vec();
    former.sort_unstable();
    let steps = capture_diff_slices(Algorithm::Myers, &former, positions);
    let equal = steps.iter().filter(|step| step.tag() == DiffTag::Equal);
    equal.flat_map(|step| &former[step.old_range()]).copied().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn as_many_slots_as_possible_stay() {
        for (positions, stay) in [
            (&[][..], 0),
            (&[0, 1, 2], 3),
            (&[3, 0, 1, 2], 3),
            (&[1, 2, 3, 0], 3),
            (&[2, 1, 0], 1),
            (&[4, 0, 5, 1, 6, 2], 3),
            (&[7, 2, 8, 1, 3, 4, 10, 6, 9, 5], 5),
        ] {
            assert_eq!(staying(positions).len(), stay, "{positions:?}");
        }
    }

    #[test]
    fn changes_are_reported_by_their_path() {
        let all = |old: Value, new: Value| {
            let mut changes = Vec::new();
            differences("it", Some(&old), Some(&new), &mut changes);
            let side = |it: Option<&Value>| it.map_or("-".to_owned(), Value::to_string);
            let shown = |it: &Change<'_>| format!("{}: {} {}", it.path, side(it.old), side(it.new));
            changes.iter().map(shown).collect::<Vec<_>>()
        };
        let list = |text: &str| text.chars().map(|c| json!({"q": c.to_string(), "n": 1})).collect();
        assert_eq!(all(list("abc"), list("axc")), [r#"it.1.q: "b" "x""#]);
        assert_eq!(all(list("abc"), list("abcd")), [r#"it.3: - {"q":"d","n":1}"#]);
        assert_eq!(all(list("abc"), list("xabc")), [r#"it.0: - {"q":"x","n":1}"#]);
        assert_eq!(all(list("abc"), list("bc")), [r#"it.0: {"q":"a","n":1} -"#]);
        assert_eq!(all(list("aaa"), list("aa")), [r#"it.2: {"q":"a","n":1} -"#]);
        assert_eq!(
            all(json!({"a": 1, "b": {"c": " x "}}), json!({"b": {"c": "x"}})),
            ["it.a: 1 -"]
        );
        assert_eq!(all(json!("x"), json!(null)), [r#"it: "x" -"#]);
        assert_eq!(all(json!([]), json!("x")), [r#"it: - "x""#]);
        assert!(all(json!([]), json!("")).is_empty());
    }
}
