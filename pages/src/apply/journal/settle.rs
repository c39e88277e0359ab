//! Evidence on a page for a create that may have been executed.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::apply::{PlannedCreate, may_be_stored_as};
use links_sdk::{Slot, SlotId};

/// Returns the slot of `page` that each create must have made, by the index of its item: the first slot in the order of creation that is
/// not `known`, is not taken, and holds what was sent, as the service may store it.
///
/// A batch is all or nothing, so a single slot proves that all were made: those that are missing were deleted since.
pub(in crate::apply) fn created_slots(
    creates: &[PlannedCreate],
    known: &HashSet<SlotId>,
    page: &[Slot],
) -> BTreeMap<usize, SlotId> {
    let mut new: Vec<&Slot> = page.iter().filter(|slot| !known.contains(&slot.id)).collect();
    new.sort_by_key(|slot| slot.id);
    let found = creates.iter().filter_map(|create| {
        let at = new.iter().position(|slot| holds(slot, create))?;
        Some((create.index, new.remove(at).id))
    });
    found.collect()
}

fn holds(slot: &Slot, create: &PlannedCreate) -> bool {
    let held = |key: &str| slot.data.get(key).unwrap_or(&Value::Null);
    slot.kind == create.kind
        && create.data.iter().all(|(key, sent)| may_be_stored_as(sent, held(key)))
}

/// Decision about a create of an earlier process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CreateVerdict {
    /// The create was executed; these are the slots.
    Made(BTreeMap<usize, SlotId>),
    /// The page shows no slot of the create, and the service still knows its key: sending the same request again creates nothing twice.
    Repeat,
    /// The page shows no slot of the create, and it cannot be sent again.
    Absent,
}

/// Maximum age of a key that is relied on. The service keeps keys for 24 hours (the interface, section 4.1.4).
const KEY_LIFE: u64 = 23 * 60 * 60;
/// Maximum by which the service's clock may seem to go back, when several machines answer.
const CLOCK_SKEW: u64 = 5 * 60;

/// Decides about a create of an earlier process. `same_file` tells whether the file still asks for what it asked for then; `planned` and
/// `now` are the service's times in seconds.
pub(super) fn verdict(
    creates: &[PlannedCreate],
    known: &HashSet<SlotId>,
    page: &[Slot],
    same_file: bool,
    (planned, now): (u64, u64),
) -> CreateVerdict {
    let made = created_slots(creates, known, page);
    let young = now.saturating_add(CLOCK_SKEW) >= planned && now < planned.saturating_add(KEY_LIFE);
    if !made.is_empty() {
        CreateVerdict::Made(made)
    } else if same_file && young {
        CreateVerdict::Repeat
    } else {
        CreateVerdict::Absent
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(slots: &[(i64, &str, Value)]) -> Vec<Slot> {
        let slot = |(id, kind, data): &(i64, &str, Value)| {
            serde_json::from_value(json!({"id": id, "type": kind, "data": data, "supported": true}))
                .unwrap()
        };
        slots.iter().map(slot).collect()
    }

    fn create(index: usize, kind: &str, data: &Value) -> PlannedCreate {
        serde_json::from_value(json!({"index": index, "type": kind, "data": data})).unwrap()
    }

    #[test]
    fn equal_items_find_new_slots_in_the_order_of_creation() {
        let creates = [create(2, "divider", &json!({})), create(5, "divider", &json!({}))];
        let page = page(&[
            (9, "divider", json!([])),
            (1, "divider", json!([])),
            (8, "divider", json!([])),
        ]);
        let known = HashSet::from([1.into()]);
        assert_eq!(
            created_slots(&creates, &known, &page),
            BTreeMap::from([(2, 8.into()), (5, 9.into())])
        );
        assert!(
            created_slots(&creates, &HashSet::from([1, 8, 9].map(SlotId::new)), &page).is_empty()
        );
    }

    #[test]
    fn a_created_slot_is_found_despite_added_keys_but_not_with_other_values() {
        let creates = [create(0, "text", &json!({"title": "A", "note": ""}))];
        let with =
            |data| created_slots(&creates, &HashSet::new(), &page(&[(7, "text", data)])).len();
        assert_eq!(with(json!({"title": " A", "size": "large"})), 1);
        assert_eq!(with(json!({"title": "B"})), 0);
        assert_eq!(with(json!({"title": "A", "note": "x"})), 0);
    }

    #[test]
    fn a_key_is_used_again_only_while_it_is_valid_and_no_slot_was_created() {
        let creates = [create(0, "text", &json!({"title": "A"})), create(1, "divider", &json!({}))];
        let nothing = HashSet::new();
        let judge = |page: &[Slot], same_file, now| {
            verdict(&creates, &nothing, page, same_file, (1_000_000, now))
        };
        let hours = |hours: u64| 1_000_000 + hours * 3600;
        assert_eq!(judge(&[], true, hours(0)), CreateVerdict::Repeat);
        assert_eq!(judge(&[], true, hours(23) - 1), CreateVerdict::Repeat);
        assert_eq!(judge(&[], true, 1_000_000 - 60), CreateVerdict::Repeat);
        assert_eq!(judge(&[], true, hours(23)), CreateVerdict::Absent);
        assert_eq!(
            judge(&[], true, 1_000_000 - 3600),
            CreateVerdict::Absent,
            "a clock that jumped"
        );
        assert_eq!(judge(&[], false, hours(0)), CreateVerdict::Absent);
        let one = page(&[(7, "divider", json!({}))]);
        for (same_file, now) in [(true, hours(0)), (false, hours(0)), (true, hours(99))] {
            assert_eq!(
                judge(&one, same_file, now),
                CreateVerdict::Made(BTreeMap::from([(1, 7.into())]))
            );
        }
    }
}
