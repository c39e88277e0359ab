//! Slots that were deleted and created again, by an undo or by hand.

use std::collections::{BTreeMap, BTreeSet};

use super::super::FileSlotId;
use super::binder::Binder;
use links_sdk::SlotId;

/// Binds entries without a slot to new slots of the page that equal them in every key. Where there are fewer such slots than entries, it is
/// unclear which of them came back, and none is bound.
pub(super) fn bind_recreated(binder: &mut Binder<'_>) {
    let named: BTreeSet<SlotId> = binder
        .items
        .iter()
        .filter_map(|item| match item.item.id {
            FileSlotId::Id(id) => Some(id),
            FileSlotId::Absent | FileSlotId::New => None,
        })
        .collect();
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
            binder.live[entry] = Some(position);
            binder.recreated[entry] = true;
            binder.taken[position] = true;
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
