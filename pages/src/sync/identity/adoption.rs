//! Slots made on both sides, and slots that were deleted and created again, by an undo or by hand.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::{FileSlotId, HashedItem, HashedSlot};
use super::Binder;
use links_sdk::SlotId;

impl Binder<'_> {
    /// Binds new items as [`adopt_equal`](Self::adopt_equal) does, where no entry shares as many telling values with the item.
    pub(super) fn adopt_nearest(&mut self) {
        for item in self.open_items() {
            let entries = self.open_entries().into_iter();
            let nearest = entries.map(|entry| self.common_values(item, entry).0).max();
            if self.items[item].telling.len() > nearest.unwrap_or_default() {
                self.adopt(item);
            }
        }
    }

    /// Binds new items to new slots of the page that equal them in every key the item mentions and have no further telling value, where there
    /// is a telling value at all. That includes items said to be new, which an earlier run may have created without leaving a record.
    pub(super) fn adopt_equal(&mut self) {
        for item in self.open_items() {
            if self.tells(item) {
                self.adopt(item);
            }
        }
    }

    pub(super) fn adopt(&mut self, item: usize) {
        if let Some(position) = self.equal_slot(item) {
            self.bind_slot(item, position);
        }
    }

    fn equal_slot(&self, item: usize) -> Option<usize> {
        self.open_slots().into_iter().find(|position| self.is_equal(item, *position))
    }

    /// Refuses items that would be bound to a new slot of the page while a slot of the last sync that shares a telling value with them would be deleted:
    /// they may be that slot, edited here and copied there.
    pub(super) fn refuse_adopted(&mut self) {
        let open = self.open_live_entries();
        for item in 0..self.items.len() {
            let Some(position) = self.slot_of_item[item] else { continue };
            if self.items[item].item.id != FileSlotId::Absent {
                continue;
            }
            let is_near = |entry: &usize| self.common_values(item, *entry).0 > 0;
            let near: Vec<usize> = open.iter().copied().filter(is_near).collect();
            if !near.is_empty() {
                let mut ids = self.ids(&near);
                ids.push(self.slots[position].slot.id);
                self.refuse_unclear(item, ids);
            }
        }
    }

    /// Binds items whose slot is gone to new slots of the page that equal them: an earlier run created these again without leaving a record.
    pub(super) fn adopt_for_gone(&mut self) {
        for item in 0..self.items.len() {
            let Some(entry) = self.entry_of_item[item] else { continue };
            if self.live[entry].is_some() || !self.tells(item) {
                continue;
            }
            if let Some(position) = self.equal_slot(item) {
                self.recreate(entry, position);
            }
        }
    }

    /// Binds new items to slots of the last sync that no item is any more, where the page now has what the item says: a sync of another copy of the
    /// file has made these slots what they are.
    pub(super) fn bind_changed_there(&mut self) {
        for item in self.adoptable_items() {
            let is_its = |entry: &usize| {
                self.live[*entry].is_some_and(|position| self.is_equal(item, position))
            };
            let found = self.open_entries().into_iter().find(is_its);
            if let Some(entry) = found.filter(|_| self.tells(item)) {
                self.bind_entry(item, entry);
            }
        }
    }

    /// Binds new items without a telling value to new slots of the page that equal them after the same neighbor.
    pub(super) fn adopt_after_neighbour(&mut self) {
        for item in self.adoptable_items() {
            if !self.tells(item) {
                self.adopt_after_left(item);
            }
        }
    }

    pub(super) fn adopt_after_left(&mut self, item: usize) {
        let left = (0..item).rev().find_map(|before| self.position_of(before));
        let bound: BTreeSet<usize> =
            (0..self.items.len()).filter_map(|item| self.position_of(item)).collect();
        let is_it = |position: &usize| {
            bound.range(..position).next_back().copied() == left && self.is_equal(item, *position)
        };
        if let Some(position) = self.open_slots().into_iter().find(is_it) {
            self.bind_slot(item, position);
        }
    }

    /// Finds the new slots of the page that share a telling value with an item that has no slot, the most similar first.
    pub(super) fn find_resembling(&mut self) {
        let is_gone = |item: &usize| {
            self.entry_of_item[*item].is_some_and(|entry| self.live[entry].is_none())
        };
        let gone: Vec<usize> = (0..self.items.len()).filter(is_gone).collect();
        for item in self.adoptable_items().into_iter().chain(gone) {
            let mut found = self.open_slots();
            found.retain(|position| self.common_telling(item, *position) > 0);
            found.sort_by_key(|position| Reverse(self.common_telling(item, *position)));
            self.resembling[item] = found;
        }
    }

    fn is_equal(&self, item: usize, position: usize) -> bool {
        let (item, slot) = (&self.items[item], &self.slots[position]);
        item.item.kind == slot.slot.kind
            && item.keys.keys().all(|key| self.is_similar(item, slot, key))
            && slot.telling.iter().all(|key| item.keys.contains_key(key))
    }

    fn common_telling(&self, item: usize, position: usize) -> usize {
        let (item, slot) = (&self.items[item], &self.slots[position]);
        if item.item.kind != slot.slot.kind {
            return 0;
        }
        item.telling.iter().filter(|key| self.is_similar(item, slot, key)).count()
    }

    fn is_similar(&self, item: &HashedItem<'_>, slot: &HashedSlot<'_>, key: &str) -> bool {
        let may_store = |value| self.types.may_store(&item.item.kind, key, value, slot.value(key));
        item.item.value(key).is_some_and(may_store)
    }

    /// Binds entries without a slot to new slots of the page that equal them in every key. Where there are fewer such slots than entries, it is
    /// unclear which of them came back, and none is bound.
    pub(super) fn bind_recreated(&mut self) {
        let named: BTreeSet<SlotId> =
            self.items.iter().filter_map(|item| item.item.id.named()).collect();
        let mut gone: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (entry, base) in self.entries.iter().enumerate() {
            if self.live[entry].is_none() && !self.types.is_read_only(&base.kind) {
                gone.entry((base.kind.as_str(), base.held())).or_default().push(entry);
            }
        }
        let open = self.open_slots();
        for ((kind, keys), entries) in gone {
            let is_equal = |position: &usize| {
                let slot = &self.slots[*position];
                slot.slot.kind == kind
                    && !named.contains(&slot.slot.id)
                    && keys
                        .keys()
                        .copied()
                        .chain(slot.writable.iter().copied())
                        .all(|key| keys.get(key).is_some_and(|hash| *hash == slot.hash(key)))
            };
            let slots: Vec<usize> = open.iter().copied().filter(is_equal).collect();
            if slots.len() >= entries.len() {
                for (entry, position) in entries.into_iter().zip(slots) {
                    self.recreate(entry, position);
                }
            }
        }
    }

    /// Releases the slots that were created again and that no item asks for: the slot that such an entry meant is gone, and the other one may be a new slot of another client.
    pub(super) fn release_recreated(&mut self) {
        for entry in 0..self.entries.len() {
            if let Some(position) = self.live[entry]
                && self.slots[position].slot.id != self.entries[entry].id
                && self.item_of_entry[entry].is_none()
            {
                self.live[entry] = None;
                self.taken[position] = false;
            }
        }
    }
}
