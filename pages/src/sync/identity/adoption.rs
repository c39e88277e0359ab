//! Slots made on both sides, and slots that were deleted and created again, by an undo or by hand.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{FileSlotId, IdentityProblem};
use super::super::{HashedItem, HashedSlot};
use super::Binder;
use super::resembling::neighbours;
use links_sdk::SlotId;

/// Binds new items as [`adopt_equal`] does, where no entry shares as many telling values with the item.
pub(super) fn adopt_nearest(binder: &mut Binder<'_>) {
    for item in binder.open_items() {
        let entries = binder.open_entries().into_iter();
        let nearest = entries.map(|entry| binder.common_values(item, entry).0).max();
        if binder.items[item].telling.len() > nearest.unwrap_or_default() {
            adopt(binder, item);
        }
    }
}

/// Binds new items to new slots of the page that equal them in every key the item mentions and have no further telling value, where there
/// is a telling value at all. That includes items said to be new, which an earlier run may have created without leaving a record.
pub(super) fn adopt_equal(binder: &mut Binder<'_>) {
    for item in binder.open_items() {
        if !binder.items[item].telling.is_empty() {
            adopt(binder, item);
        }
    }
}

fn adopt(binder: &mut Binder<'_>, item: usize) {
    if let Some(position) = equal_slot(binder, item) {
        binder.bind_slot(item, position);
    }
}

fn equal_slot(binder: &Binder<'_>, item: usize) -> Option<usize> {
    binder.open_slots().into_iter().find(|position| is_equal(binder, item, *position))
}

/// Refuses items that would be bound to a new slot of the page while a slot of the last sync that shares a telling value with them would be deleted:
/// they may be that slot, edited here and copied there.
pub(super) fn refuse_adopted(binder: &mut Binder<'_>) {
    let open: Vec<usize> =
        binder.open_entries().into_iter().filter(|entry| binder.live[*entry].is_some()).collect();
    for item in 0..binder.items.len() {
        let Some(position) = binder.slot_of_item[item] else { continue };
        if binder.items[item].item.id != FileSlotId::Absent {
            continue;
        }
        let is_near = |entry: &usize| binder.common_values(item, *entry).0 > 0;
        let near: Vec<usize> = open.iter().copied().filter(is_near).collect();
        if !near.is_empty() {
            let mut ids = binder.ids(&near);
            ids.push(binder.slots[position].slot.id);
            binder.problems.push(IdentityProblem::Ambiguous { items: vec![item], ids });
        }
    }
}

/// Binds items whose slot is gone to new slots of the page that equal them: an earlier run created these again without leaving a record.
pub(super) fn adopt_for_gone(binder: &mut Binder<'_>) {
    for item in 0..binder.items.len() {
        let Some(entry) = binder.entry_of_item[item] else { continue };
        if binder.live[entry].is_some() || binder.items[item].telling.is_empty() {
            continue;
        }
        if let Some(position) = equal_slot(binder, item) {
            binder.recreate(entry, position);
        }
    }
}

/// Binds an item whose ID neither the page nor the last sync knows to a new slot of the page that equals it; without a telling value only
/// after the same neighbor.
pub(super) fn adopt_for_unknown_id(binder: &mut Binder<'_>, item: usize) {
    if binder.items[item].telling.is_empty() {
        adopt_after_left(binder, item);
    } else {
        adopt(binder, item);
    }
}

/// Binds new items to slots of the last sync that no item is any more, where the page now has what the item says: a sync of another copy of the
/// file has made these slots what they are.
pub(super) fn bind_changed_there(binder: &mut Binder<'_>) {
    for item in binder.adoptable_items() {
        let is_its = |entry: &usize| {
            binder.live[*entry].is_some_and(|position| is_equal(binder, item, position))
        };
        let found = binder.open_entries().into_iter().find(is_its);
        if let Some(entry) = found.filter(|_| !binder.items[item].telling.is_empty()) {
            binder.bind_entry(item, entry);
        }
    }
}

/// Binds new items without a telling value to new slots of the page that equal them after the same neighbor.
pub(super) fn adopt_after_neighbour(binder: &mut Binder<'_>) {
    for item in binder.adoptable_items() {
        if binder.items[item].telling.is_empty() {
            adopt_after_left(binder, item);
        }
    }
}

fn adopt_after_left(binder: &mut Binder<'_>, item: usize) {
    let left = (0..item).rev().find_map(|before| binder.position_of(before));
    let mut bound = vec![None; binder.slots.len()];
    for position in (0..binder.items.len()).filter_map(|item| binder.position_of(item)) {
        bound[position] = Some(position);
    }
    let lefts = neighbours(&bound);
    let found = binder
        .open_slots()
        .into_iter()
        .find(|position| lefts[*position].0 == left && is_equal(binder, item, *position));
    if let Some(position) = found {
        binder.bind_slot(item, position);
    }
}

/// Finds the new slots of the page that share a telling value with an item that has no slot, the most similar first.
pub(super) fn find_resembling(binder: &mut Binder<'_>) {
    let is_gone = |item: &usize| {
        binder.entry_of_item[*item].is_some_and(|entry| binder.live[entry].is_none())
    };
    let gone: Vec<usize> = (0..binder.items.len()).filter(is_gone).collect();
    for item in binder.adoptable_items().into_iter().chain(gone) {
        let mut found: Vec<(usize, usize)> = binder
            .open_slots()
            .into_iter()
            .map(|position| (common_telling(binder, item, position), position))
            .filter(|(common, _)| *common > 0)
            .collect();
        found.sort_by_key(|(common, position)| (std::cmp::Reverse(*common), *position));
        binder.resembling[item] = found.into_iter().map(|(_, position)| position).collect();
    }
}

fn is_equal(binder: &Binder<'_>, item: usize, position: usize) -> bool {
    let (item, slot) = (&binder.items[item], &binder.slots[position]);
    item.item.kind == slot.slot.kind
        && item.keys.keys().all(|key| is_similar(binder, item, slot, key))
        && slot.telling.iter().all(|key| item.keys.contains_key(key))
}

fn common_telling(binder: &Binder<'_>, item: usize, position: usize) -> usize {
    let (item, slot) = (&binder.items[item], &binder.slots[position]);
    if item.item.kind != slot.slot.kind {
        return 0;
    }
    item.telling.iter().filter(|key| is_similar(binder, item, slot, key)).count()
}

fn is_similar(
    binder: &Binder<'_>,
    item: &HashedItem<'_>,
    slot: &HashedSlot<'_>,
    key: &str,
) -> bool {
    let may_store = |value| binder.types.may_store(&item.item.kind, key, value, slot.value(key));
    item.item.value(key).is_some_and(may_store)
}

/// Binds entries without a slot to new slots of the page that equal them in every key. Where there are fewer such slots than entries, it is
/// unclear which of them came back, and none is bound.
pub(super) fn bind_recreated(binder: &mut Binder<'_>) {
    let named: BTreeSet<SlotId> =
        binder.items.iter().filter_map(|item| item.item.id.named()).collect();
    let mut gone: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (entry, base) in binder.entries.iter().enumerate() {
        if binder.live[entry].is_none() && !binder.types.is_read_only(&base.kind) {
            let keys = base.keys.iter().map(|(key, pair)| (key.as_str(), pair.page));
            let keys: BTreeMap<_, _> = keys.filter(|(_, hash)| !hash.is_empty()).collect();
            gone.entry((base.kind.as_str(), keys)).or_default().push(entry);
        }
    }
    let open = binder.open_slots();
    for ((kind, keys), entries) in gone {
        let is_equal = |position: &usize| {
            let slot = &binder.slots[*position];
            slot.slot.kind == kind
                && !named.contains(&slot.slot.id)
                && keys
                    .keys()
                    .copied()
                    .chain(slot.writable_keys())
                    .all(|key| keys.get(key).is_some_and(|hash| *hash == slot.hash(key)))
        };
        let slots: Vec<usize> = open.iter().copied().filter(is_equal).collect();
        if slots.len() < entries.len() {
            continue;
        }
        for (entry, position) in entries.into_iter().zip(slots) {
            binder.recreate(entry, position);
        }
    }
}

/// Releases the slots that no item asks for: the slot that such an entry meant is gone, and the other one may be a new slot of another client.
pub(super) fn release_recreated(binder: &mut Binder<'_>) {
    for entry in 0..binder.entries.len() {
        if binder.recreated[entry] && binder.item_of_entry[entry].is_none() {
            binder.recreated[entry] = false;
            if let Some(position) = binder.live[entry].take() {
                binder.taken[position] = false;
            }
        }
    }
}
