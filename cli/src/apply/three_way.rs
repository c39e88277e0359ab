//! Three-way merge of a page file that was edited while others changed the page: each side keeps what the other did not change.
//!
//! Pages are compared in the form of page files: ids and writable keys only.

use std::collections::HashSet;

use links_sdk::Object;
use links_sdk::apply::{DesiredSlot, same};
use serde_json::Value;

use crate::args::merge::theirs_and_before;
use crate::page_file::LayoutChange;

/// Result of a merge without conflicts.
#[derive(Debug, PartialEq)]
pub(crate) struct Merged {
    /// Items of the file, and slots that were added since.
    pub(crate) items: Vec<LayoutChange>,
    /// Messages about changes of others that are kept.
    pub(crate) kept: Vec<String>,
}

/// Change of both sides that cannot be merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Conflict {
    /// Key of the item at this index of the file, changed on both sides.
    Key { at: usize, id: i64, key: String, before: Value, now: Value },
    /// Item that was changed in the file, and whose slot was deleted on the page.
    Gone { at: usize, id: i64 },
    /// Slot that was removed from the file, and changed on the page.
    Removed { id: i64, kind: String },
    /// Order of the slots, changed on both sides.
    Order,
}

impl Conflict {
    /// Path in the file and message of the conflict.
    pub(crate) fn place(&self) -> (String, String) {
        match self {
            Self::Key { at, key, before, now, .. } => {
                (format!("slots.{at}.data.{key}"), theirs_and_before(before, now))
            }
            Self::Gone { at, id } => {
                let text = format!(
                    "someone else deleted the slot {id} meanwhile; remove its id here to create it again"
                );
                (format!("slots.{at}"), text)
            }
            Self::Removed { id, kind } => {
                let text = format!(
                    "someone else changed the slot {id} ({kind}) meanwhile, but this file no longer has it"
                );
                ("slots".to_owned(), text)
            }
            Self::Order => {
                ("slots".to_owned(), "someone else moved the same slots meanwhile".to_owned())
            }
        }
    }

    /// Applies the change shown to the user to the page as it was opened, so that the next merge takes the file as intended.
    pub(crate) fn seen(&self, opened: &mut Vec<DesiredSlot>, now: &[DesiredSlot]) {
        match self {
            Self::Key { id, key, now, .. } => {
                let slot = opened.iter_mut().find(|slot| slot.id == Some(*id));
                if let Some(slot) = slot {
                    slot.data.insert(key.clone(), now.clone());
                }
            }
            Self::Gone { id, .. } => opened.retain(|slot| slot.id != Some(*id)),
            Self::Removed { id, .. } => {
                let current = find(now, *id);
                for slot in opened.iter_mut().filter(|slot| slot.id == Some(*id)) {
                    slot.data = current.map(|it| it.data.clone()).unwrap_or_default();
                }
            }
            Self::Order => {
                let place = |slot: &DesiredSlot| now.iter().position(|it| it.id == slot.id);
                opened.sort_by_key(place);
            }
        }
    }
}

/// Merges the page as it was `opened`, as it was `edited`, and as it is `now`. `prune` is true if slots that are missing from the file are
/// deleted.
pub(crate) fn merge(
    opened: &[DesiredSlot],
    edited: &[DesiredSlot],
    now: &[DesiredSlot],
    prune: bool,
) -> Result<Merged, Vec<Conflict>> {
    let (mut kept, mut conflicts, mut items) = (Vec::new(), Vec::new(), Vec::new());
    for (at, item) in edited.iter().enumerate() {
        let Some((id, before)) = item.id.and_then(|id| Some((id, find(opened, id)?))) else {
            items.push(LayoutChange::Own { at, without: Vec::new() });
            continue;
        };
        let is_mine =
            |key: &str| !same(value_or_null(&item.data, key), value_or_null(&before.data, key));
        let Some(current) = find(now, id) else {
            if item.data.keys().any(|key| is_mine(key)) {
                conflicts.push(Conflict::Gone { at, id });
            } else {
                kept.push(format!("the slot {id} ({}) was deleted by someone else", item.kind));
            }
            continue;
        };
        let mut without = Vec::new();
        for (key, mine) in item.data.iter() {
            let (old, theirs) =
                (value_or_null(&before.data, key), value_or_null(&current.data, key));
            if !is_mine(key) {
                without.push(key.clone());
            } else if !same(old, theirs) && !same(mine, theirs) {
                let (key, before, now) = (key.clone(), old.clone(), theirs.clone());
                conflicts.push(Conflict::Key { at, id, key, before, now });
            }
        }
        if differs(before, current) {
            kept.push(format!("the slot {id} ({}) was changed by someone else", item.kind));
        }
        items.push(LayoutChange::Own { at, without });
    }
    conflicts.extend(removed_and_changed(opened, edited, now, prune));
    let order = order(opened, edited, now);
    conflicts.extend(order.is_none().then_some(Conflict::Order));
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let mut items = arrange(items, edited, &order.unwrap_or_default());
    let known: HashSet<i64> = ids(opened).chain(ids(edited)).collect();
    for (at, slot) in now.iter().enumerate() {
        let Some(id) = slot.id.filter(|id| !known.contains(id)) else { continue };
        kept.push(format!("the slot {id} ({}) was added by someone else", slot.kind));
        let place = place_after(&items, edited, &now[..at]);
        items.insert(place, LayoutChange::New { id, kind: slot.kind.clone() });
    }
    Ok(Merged { items, kept })
}

/// Conflicts of slots that were removed from the file and changed on the page, where this matters: the slot would be deleted, or an item
/// without an id could be matched to it.
fn removed_and_changed(
    opened: &[DesiredSlot],
    edited: &[DesiredSlot],
    now: &[DesiredSlot],
    prune: bool,
) -> Vec<Conflict> {
    let is_asked_for = |kind: &str| edited.iter().any(|it| it.id.is_none() && it.kind == kind);
    let removed = opened.iter().filter_map(|before| {
        let id = before.id?;
        let current = find(now, id).filter(|current| differs(before, current))?;
        let matters = prune || is_asked_for(&before.kind);
        (find(edited, id).is_none() && matters)
            .then(|| Conflict::Removed { id, kind: current.kind.clone() })
    });
    removed.collect()
}

/// Merged order of the slots that all three versions have. `None` if both sides moved them differently.
fn order(opened: &[DesiredSlot], edited: &[DesiredSlot], now: &[DesiredSlot]) -> Option<Vec<i64>> {
    let common = |page: &[DesiredSlot]| -> Vec<i64> {
        let all = [opened, edited, now];
        ids(page).filter(|id| all.iter().all(|page| find(page, *id).is_some())).collect()
    };
    let (before, mine, theirs) = (common(opened), common(edited), common(now));
    match (mine == before, theirs == before) {
        (true, _) => Some(theirs),
        (false, true) => Some(mine),
        (false, false) => (mine == theirs).then_some(mine),
    }
}

/// Sorts the common slots into this order; items that follow one of them in the file move with it.
fn arrange(items: Vec<LayoutChange>, edited: &[DesiredSlot], order: &[i64]) -> Vec<LayoutChange> {
    let mut groups: Vec<(Option<usize>, Vec<LayoutChange>)> = vec![(None, Vec::new())];
    for item in items {
        let place = item.id(edited).and_then(|id| order.iter().position(|it| *it == id));
        if place.is_some() {
            groups.push((place, Vec::new()));
        }
        if let Some((_, group)) = groups.last_mut() {
            group.push(item);
        }
    }
    groups.sort_by_key(|(place, _)| *place);
    groups.into_iter().flat_map(|(_, group)| group).collect()
}

/// Index after the last of these slots that is among the items; 0 if none is.
fn place_after(items: &[LayoutChange], edited: &[DesiredSlot], before: &[DesiredSlot]) -> usize {
    let place = |slot: &DesiredSlot| items.iter().position(|item| item.id(edited) == slot.id);
    let mut neighbours = before.iter().rev().filter(|slot| slot.id.is_some());
    neighbours.find_map(place).map_or(0, |at| at + 1)
}

fn find(page: &[DesiredSlot], id: i64) -> Option<&DesiredSlot> {
    page.iter().find(|slot| slot.id == Some(id))
}

fn ids(page: &[DesiredSlot]) -> impl Iterator<Item = i64> {
    page.iter().filter_map(|slot| slot.id)
}

fn value_or_null<'o>(data: &'o Object, key: &str) -> &'o Value {
    data.get(key).unwrap_or(&Value::Null)
}

fn differs(one: &DesiredSlot, other: &DesiredSlot) -> bool {
    let mut keys = one.data.keys().chain(other.data.keys());
    keys.any(|key| !same(value_or_null(&one.data, key), value_or_null(&other.data, key)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(slots: &Value) -> Vec<DesiredSlot> {
        serde_json::from_value(slots.clone()).unwrap()
    }

    fn text(id: i64, title: &str, note: &str) -> Value {
        json!({"id": id, "type": "text", "data": {"title": title, "note": note}})
    }

    fn opened() -> Vec<DesiredSlot> {
        page(&json!([text(1, "A", "a"), text(2, "B", "b"), text(3, "C", "c")]))
    }

    fn own(at: usize, without: &[&str]) -> LayoutChange {
        LayoutChange::Own { at, without: without.iter().map(|it| (*it).to_owned()).collect() }
    }

    const BOTH: [&str; 2] = ["title", "note"];

    #[test]
    fn found_12_a_key_that_only_one_side_changed_keeps_that_change() {
        let edited = page(&json!([text(1, "Mine", "a"), text(2, "B", "b"), text(3, "C", "same")]));
        let now =
            page(&json!([text(1, "A", "theirs"), text(2, "Theirs", "b"), text(3, "C", "same")]));
        let merged = merge(&opened(), &edited, &now, false).unwrap();
        assert_eq!(merged.items, [own(0, &["note"]), own(1, &BOTH), own(2, &["title"])]);
        assert_eq!(merged.kept.len(), 3, "{:?}", merged.kept);
    }

    #[test]
    fn found_12_a_key_that_both_changed_is_a_conflict_until_it_was_seen() {
        let (mut base, now) = (
            opened(),
            page(&json!([text(1, "Theirs", "theirs"), text(2, "B", "b"), text(3, "C", "c")])),
        );
        let edited = page(&json!([text(1, "Mine", "a"), text(2, "B", "b"), text(3, "C", "c")]));
        let conflicts = merge(&base, &edited, &now, false).unwrap_err();
        let (path, words) = conflicts[0].place();
        assert_eq!((conflicts.len(), path.as_str()), (1, "slots.0.data.title"));
        assert!(words.contains("it was \"A\", and is \"Theirs\" now"), "{words}");
        conflicts[0].seen(&mut base, &now);
        let merged = merge(&base, &edited, &now, false).unwrap();
        assert_eq!(merged.items[0], own(0, &["note"]), "theirs of the other key stays");
    }

    #[test]
    fn found_12_a_slot_that_one_side_deleted_and_the_other_changed_is_a_conflict() {
        let edited = page(&json!([text(1, "Mine", "a"), text(2, "B", "b")]));
        let now = page(&json!([text(3, "Theirs", "c")]));
        let conflicts = merge(&opened(), &edited, &now, true).unwrap_err();
        let removed = Conflict::Removed { id: 3, kind: "text".into() };
        assert_eq!(conflicts, [Conflict::Gone { at: 0, id: 1 }, removed.clone()]);
        // A slot that is only left out stays on the page, unless an item without an id could be matched to it.
        let left_out = page(&json!([text(1, "A", "a")]));
        assert!(merge(&opened(), &left_out, &now, false).is_ok());
        let unnamed = page(&json!([{"type": "text", "data": {"title": "C", "note": "c"}}]));
        let conflicts = merge(&opened(), &unnamed, &now, false).unwrap_err();
        assert_eq!(conflicts, [removed]);
        let mut base = opened();
        for conflict in &conflicts {
            conflict.seen(&mut base, &now);
        }
        assert!(merge(&base, &unnamed, &now, true).is_ok());
    }

    #[test]
    fn found_12_a_slot_that_others_added_stays_after_its_neighbour_and_is_not_pruned() {
        let edited = page(&json!([
            {"type": "text", "data": {"title": "First"}}, text(1, "A", "a"),
            {"type": "text", "data": {"title": "After A"}}, text(3, "C", "c"),
        ]));
        let now = page(&json!([
            text(8, "Top", ""),
            text(1, "A", "a"),
            text(7, "New", ""),
            text(2, "B", "b"),
            text(9, "x", ""),
            text(3, "C", "c")
        ]));
        let merged = merge(&opened(), &edited, &now, true).unwrap();
        let new = |id| LayoutChange::New { id, kind: "text".into() };
        let expected =
            [new(8), own(0, &[]), own(1, &BOTH), new(7), new(9), own(2, &[]), own(3, &BOTH)];
        assert_eq!(merged.items, expected);
    }

    #[test]
    fn found_12_an_order_that_only_others_changed_stays() {
        let edited = page(
            &json!([text(1, "A", "a"), {"type": "divider"}, text(2, "B", "b"), text(3, "C", "c")]),
        );
        let now = page(&json!([text(3, "C", "c"), text(1, "A", "a"), text(2, "B", "b")]));
        let merged = merge(&opened(), &edited, &now, false).unwrap();
        assert_eq!(merged.items, [own(3, &BOTH), own(0, &BOTH), own(1, &[]), own(2, &BOTH)]);
        let mine = page(&json!([text(2, "B", "b"), text(1, "A", "a"), text(3, "C", "c")]));
        assert_eq!(merge(&opened(), &mine, &now, false).unwrap_err(), [Conflict::Order]);
        assert!(merge(&opened(), &mine, &opened(), false).is_ok());
        assert!(merge(&opened(), &now, &now, false).is_ok());
    }
}
