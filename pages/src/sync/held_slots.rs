//! Slots of a record that a text of its file held.

use std::collections::{BTreeMap, BTreeSet};

use super::hashed::value;
use super::{FilePage, FileSlot, FileSlotId, LivePage, PageBase};
use crate::apply::SlotTypes;
use links_sdk::Slot;
use links_sdk::SlotId;

/// Returns which of the slots `asked` an earlier text of the file held: an item names the slot, or says what the page has for it. Each item is
/// one slot, and those of the record that are not asked for are served first. The record itself proves nothing: somebody may have edited it.
///
/// A reference may stand for any value.
pub fn held_slots(
    file: &FilePage,
    base: &PageBase,
    page: &LivePage,
    types: &SlotTypes,
    asked: &BTreeSet<SlotId>,
) -> BTreeSet<SlotId> {
    let on_page: BTreeMap<SlotId, &Slot> = page.slots.iter().map(|slot| (slot.id, slot)).collect();
    let mut free: Vec<&FileSlot> = file.slots.iter().collect();
    let mut held = BTreeSet::new();
    let (last, first): (Vec<_>, Vec<_>) =
        base.slots.iter().partition(|entry| asked.contains(&entry.id));
    for entry in first.into_iter().chain(last) {
        let Some(slot) = on_page.get(&entry.id) else { continue };
        let is_it = |item: &&FileSlot| match item.id {
            FileSlotId::Id(id) if id == slot.id => item.kind == slot.kind,
            FileSlotId::Id(id) => entry.is_named(id) && says(item, slot, types),
            FileSlotId::Absent | FileSlotId::New => says(item, slot, types),
        };
        if let Some(nth) = free.iter().position(is_it) {
            free.swap_remove(nth);
            held.insert(entry.id);
        }
    }
    held.retain(|id| asked.contains(id));
    held
}

/// Returns whether a slot holds what an item says.
fn says(item: &FileSlot, slot: &Slot, types: &SlotTypes) -> bool {
    item.kind == slot.kind
        && item.data.iter().all(|(key, said)| {
            item.resolved.contains_key(key)
                || types.may_store(&item.kind, key, said, value(&slot.data, key))
        })
}
