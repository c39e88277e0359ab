//! State of the search for the identities of items.

use std::collections::HashMap;

use super::super::hashed::{HashedItem, HashedSlot};
use super::super::{FileSlotId, IdentityProblem, SlotBase, ValueHash};
use crate::apply::{ItemError, ItemProblem, SlotTypes};
use links_sdk::SlotId;

/// Bindings of items to entries of the record and to slots of the page, as far as they are known.
pub(super) struct Binder<'a> {
    pub(super) items: &'a [HashedItem<'a>],
    pub(super) entries: &'a [SlotBase],
    pub(super) slots: &'a [HashedSlot<'a>],
    pub(super) types: &'a SlotTypes,
    /// For each entry, the position of its slot on the page.
    pub(super) live: Vec<Option<usize>>,
    /// For each entry, whether its slot was deleted and created again by another client.
    pub(super) recreated: Vec<bool>,
    pub(super) entry_of_item: Vec<Option<usize>>,
    pub(super) item_of_entry: Vec<Option<usize>>,
    /// For each item, the position of its slot where the slot has no entry.
    pub(super) slot_of_item: Vec<Option<usize>>,
    /// For each slot, whether it belongs to an entry or to an item.
    pub(super) taken: Vec<bool>,
    /// For each item, whether no rule may be tried any more.
    pub(super) is_closed: Vec<bool>,
    /// For each item, whether only its neighbours tell which slot it is.
    pub(super) is_by_place: Vec<bool>,
    /// For each item, the new slots of the page that resemble it.
    pub(super) resembling: Vec<Vec<usize>>,
    pub(super) problems: Vec<IdentityProblem>,
}

impl<'a> Binder<'a> {
    pub(super) fn new(
        items: &'a [HashedItem<'a>],
        entries: &'a [SlotBase],
        slots: &'a [HashedSlot<'a>],
        types: &'a SlotTypes,
    ) -> Self {
        let mut positions: HashMap<SlotId, usize> = HashMap::with_capacity(slots.len());
        let mut problems = Vec::new();
        for (position, slot) in slots.iter().enumerate() {
            if positions.insert(slot.slot.id, position).is_some() {
                problems.push(IdentityProblem::RepeatedOnPage { id: slot.slot.id });
            }
        }
        let live: Vec<Option<usize>> =
            entries.iter().map(|entry| positions.get(&entry.id).copied()).collect();
        let mut taken = vec![false; slots.len()];
        for position in live.iter().flatten() {
            taken[*position] = true;
        }
        Self {
            items,
            entries,
            slots,
            types,
            live,
            recreated: vec![false; entries.len()],
            entry_of_item: vec![None; items.len()],
            item_of_entry: vec![None; entries.len()],
            slot_of_item: vec![None; items.len()],
            taken,
            is_closed: vec![false; items.len()],
            is_by_place: vec![false; items.len()],
            resembling: vec![Vec::new(); items.len()],
            problems,
        }
    }

    pub(super) fn bind_entry(&mut self, item: usize, entry: usize) {
        self.entry_of_item[item] = Some(entry);
        self.item_of_entry[entry] = Some(item);
    }

    pub(super) fn unbind(&mut self, item: usize) {
        if let Some(entry) = self.entry_of_item[item].take() {
            self.item_of_entry[entry] = None;
        }
    }

    pub(super) fn bind_slot(&mut self, item: usize, position: usize) {
        self.slot_of_item[item] = Some(position);
        self.taken[position] = true;
    }

    /// Refuses what an item names.
    pub(super) fn refuse(&mut self, item: usize, problem: ItemProblem) {
        self.is_closed[item] = true;
        self.problems.push(IdentityProblem::Named(ItemError { index: item, problem }));
    }

    /// Refuses items of which it is unclear which of several entries they are.
    pub(super) fn refuse_ambiguous(&mut self, items: Vec<usize>, entries: &[usize]) {
        let ids = self.ids(entries);
        self.problems.push(IdentityProblem::Ambiguous { items, ids });
    }

    /// Returns whether an item is said to be new.
    pub(super) fn is_new(&self, item: usize) -> bool {
        self.items[item].item.id == FileSlotId::New
    }

    /// Returns the position on the page of the slot that is bound to an item.
    pub(super) fn position_of(&self, item: usize) -> Option<usize> {
        self.slot_of_item[item].or_else(|| self.live[self.entry_of_item[item]?])
    }

    /// Returns the items that a rule may still bind.
    pub(super) fn open_items(&self) -> Vec<usize> {
        (0..self.items.len())
            .filter(|item| {
                self.entry_of_item[*item].is_none()
                    && self.slot_of_item[*item].is_none()
                    && !self.is_closed[*item]
            })
            .collect()
    }

    /// Returns the open items that may be slots that were made on the page.
    pub(super) fn adoptable_items(&self) -> Vec<usize> {
        let mut items = self.open_items();
        items.retain(|item| self.items[*item].item.id != FileSlotId::New);
        items
    }

    /// Returns the entries that a rule may still bind. Slots that cannot be edited are bound by their id alone.
    pub(super) fn open_entries(&self) -> Vec<usize> {
        (0..self.entries.len())
            .filter(|entry| {
                let is_editable = match self.live[*entry] {
                    Some(position) => self.slots[position].is_editable,
                    None => !self.types.is_read_only(&self.entries[*entry].kind),
                };
                is_editable && self.item_of_entry[*entry].is_none()
            })
            .collect()
    }

    /// Returns the positions of the slots that belong to nothing and can be edited.
    pub(super) fn open_slots(&self) -> Vec<usize> {
        let is_open =
            |position: &usize| !self.taken[*position] && self.slots[*position].is_editable;
        (0..self.slots.len()).filter(is_open).collect()
    }

    /// Returns the numbers of telling and of other values that an item shares with what the file said of a slot at the last sync.
    pub(super) fn common_values(&self, item: usize, entry: usize) -> (usize, usize) {
        let (item, entry) = (&self.items[item], &self.entries[entry]);
        if item.item.kind != entry.kind {
            return (0, 0);
        }
        let is_common = |(key, hash): &(&&str, &_)| entry.pair(key).file == Some(**hash);
        let common = item.keys.iter().filter(is_common);
        common.fold((0, 0), |(telling, other), (key, _)| {
            if item.telling.contains(key) { (telling + 1, other) } else { (telling, other + 1) }
        })
    }

    /// Takes a slot for one that was deleted and created again.
    pub(super) fn recreate(&mut self, entry: usize, position: usize) {
        self.live[entry] = Some(position);
        self.recreated[entry] = true;
        self.taken[position] = true;
    }

    /// Returns whether an item shares a telling value with what the file said of a slot that another item is.
    pub(super) fn is_copy(&self, item: usize) -> bool {
        (0..self.entries.len()).any(|entry| {
            let other = self.item_of_entry[entry];
            other.is_some_and(|other| other != item) && self.common_values(item, entry).0 > 0
        })
    }

    /// Returns whether the slot of an entry was deleted or changed since the last sync.
    pub(super) fn is_changed_there(&self, entry: usize) -> bool {
        let Some(position) = self.live[entry] else { return true };
        let (base, slot) = (&self.entries[entry], &self.slots[position]);
        let keys = base.keys.keys().map(String::as_str).chain(slot.writable_keys());
        keys.into_iter().any(|key| slot.hash(key) != base.pair(key).page)
    }

    /// Returns whether the entries differ on the page, today or at the last sync.
    pub(super) fn differ_on_page(&self, entries: &[usize]) -> bool {
        let on_page = |entry: usize| {
            let keys = self.entries[entry].keys.iter();
            let recorded: Vec<(&str, ValueHash)> = keys
                .map(|(key, pair)| (key.as_str(), pair.page))
                .filter(|(_, hash)| !hash.is_empty())
                .collect();
            (self.live[entry].map(|position| self.slots[position].writable_hashes()), recorded)
        };
        entries.windows(2).any(|two| on_page(two[0]) != on_page(two[1]))
    }

    /// Returns the ids of entries.
    pub(super) fn ids(&self, entries: &[usize]) -> Vec<SlotId> {
        entries.iter().map(|entry| self.entries[*entry].id).collect()
    }
}
