//! Which slots of a page a create has made, where its answer is not known.

use std::collections::{BTreeMap, HashSet};

use super::page_fields::held;
use super::{PlannedCreate, may_be_stored_as};
use links_sdk::{Slot, SlotId};

/// Returns the slot of `page` that each create must have made, by the index of its item: the first slot in the order of creation that is
/// not `known`, is not taken, and holds what was sent, as the service may store it.
///
/// A batch is all or nothing, so a single slot proves that all were made: those that are missing were deleted since.
pub(super) fn created_slots(
    creates: &[PlannedCreate],
    known: &HashSet<SlotId>,
    page: &[Slot],
) -> BTreeMap<usize, SlotId> {
    let mut new: Vec<&Slot> = page.iter().filter(|slot| !known.contains(&slot.id)).collect();
    new.sort_by_key(|slot| slot.id);
    let found = creates.iter().filter_map(|create| {
        let at = new.iter().position(|slot| {
            let mut sent = create.data.iter();
            slot.kind == create.kind
                && sent.all(|(key, sent)| may_be_stored_as(sent, held(&slot.data, key)))
        })?;
        Some((create.index, new.remove(at).id))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
    fn a_single_slot_shows_that_a_create_was_executed() {
        let creates = [create(0, "text", &json!({"title": "A"})), create(1, "divider", &json!({}))];
        let one = page(&[(7, "divider", json!({}))]);
        assert_eq!(created_slots(&creates, &HashSet::new(), &one), BTreeMap::from([(1, 7.into())]));
    }
}
