//! Identity: which slot each item of a file is. An item is bound to an entry of the record of the last sync, the entry to a slot of the
//! page by its ID. The first of these rules that fits decides:
//!
//! 1. The `id` that the item gives, also an earlier ID of the slot.
//! 2. Equal hashes of all keys that the file mentions: a longest common subsequence first, then anywhere.
//! 3. An item that equals a slot of the page which the last sync did not know is that slot (it was made on both sides).
//! 4. A telling value in common, most of them first, then neighbors in common.
//! 5. The only item and the only entry of a type between the same neighbors.
//! 6. An item that equals what the page has now in a slot that no other item is.
//!
//! Where nothing tells which of several slots an item is, and the slots differ on the page, it is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use links_sdk::SlotId;

use super::{FileSlotId, HashedItem, HashedSlot, SlotBase};
use crate::apply::{ItemError, ItemProblem, PlanError, SlotTypes};

mod adoption;
mod exact;
mod resembling;

/// What an item is. Without an entry and a position it is a new slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemIdentity {
    /// The index of its entry in the record, if the last sync knew the slot.
    pub(super) entry: Option<usize>,
    /// The position of its slot, if it is on the page.
    pub(super) position: Option<usize>,
}

/// What each item, each entry and each slot is.
#[derive(Debug, Default)]
pub(super) struct Identities {
    pub(super) items: Vec<ItemIdentity>,
    /// For each entry, the item that is bound to it.
    pub(super) item_of_entry: Vec<Option<usize>>,
    /// For each entry, the position of its slot.
    pub(super) live: Vec<Option<usize>>,
    /// For each item without a slot, the new slots of the page that share a telling value with it, the most similar first.
    pub(super) resembling: Vec<Vec<usize>>,
    /// New items that may be slots which were deleted on the page, and the IDs of these slots.
    pub(super) doubtful: Vec<(Vec<usize>, Vec<SlotId>)>,
    /// The slots of the page that belong to no item and no entry.
    pub(super) made_there: Vec<usize>,
}

impl Identities {
    /// Takes new slots of the page for the items without a slot that resemble them.
    pub(super) fn claim_resembling(&mut self) {
        for (item, resembling) in self.items.iter_mut().zip(&mut self.resembling) {
            let mut resembling = std::mem::take(resembling).into_iter();
            if let Some(position) = resembling.find(|position| self.made_there.contains(position)) {
                item.position = Some(position);
                self.made_there.retain(|other| *other != position);
            }
        }
    }

    /// Returns the errors of the items that may be slots which were deleted on the page.
    pub(super) fn doubts(&self) -> Vec<ItemError> {
        let mut doubts = Vec::new();
        for (items, ids) in &self.doubtful {
            let problem = ItemProblem::PerhapsDeleted { ids: ids.clone() };
            doubts.extend(
                items.iter().map(|item| ItemError { index: *item, problem: problem.clone() }),
            );
        }
        doubts
    }
}

/// Finds what each item is: by the record of the last sync, never by its place or by the whole page. Everything depends on the order of the rules.
///
/// `created` are the IDs of slots that an interrupted run created, by item.
pub(super) fn identify(
    items: &[HashedItem<'_>],
    entries: &[SlotBase],
    slots: &[HashedSlot<'_>],
    types: &SlotTypes,
    created: &BTreeMap<usize, SlotId>,
) -> Result<Identities, PlanError> {
    let mut binder = Binder::new(items, entries, slots, types);
    binder.bind_recreated();
    binder.bind_by_id();
    binder.bind_created(created);
    binder.bind_read_only();
    let (fewer, equal) = binder.bind_equal();
    binder.adopt_nearest();
    binder.bind_resembling();
    binder.find_resembling();
    binder.bind_between_neighbours();
    binder.adopt_for_gone();
    binder.refuse_fewer(&fewer);
    binder.release_recreated();
    binder.adopt_equal();
    binder.bind_changed_there();
    binder.adopt_after_neighbour();
    binder.bind_for_gone();
    binder.refuse_untelling();
    binder.refuse_reduced(&equal);
    binder.refuse_adopted();
    binder.refuse_copies(&equal);
    binder.refuse_edited_copies(&equal);
    binder.find_resembling();

    let mut problems: Vec<ItemError> = Vec::new();
    for problem in binder.problems.drain(..) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.index);
        return Err(PlanError::Items(problems));
    }
    let identity = |item: usize| {
        let entry = binder.entry_of_item[item];
        ItemIdentity { entry, position: binder.position_of(item) }
    };
    Ok(Identities {
        items: (0..binder.items.len()).map(identity).collect(),
        doubtful: binder.find_doubtful(),
        made_there: (0..binder.slots.len()).filter(|position| !binder.taken[*position]).collect(),
        item_of_entry: binder.item_of_entry,
        live: binder.live,
        resembling: binder.resembling,
    })
}

/// Bindings of items to entries of the record and to slots of the page, as far as they are known.
struct Binder<'a> {
    items: &'a [HashedItem<'a>],
    entries: &'a [SlotBase],
    slots: &'a [HashedSlot<'a>],
    types: &'a SlotTypes,
    /// For each entry, the position of its slot on the page.
    live: Vec<Option<usize>>,
    entry_of_item: Vec<Option<usize>>,
    item_of_entry: Vec<Option<usize>>,
    /// For each item, the position of its slot where the slot has no entry.
    slot_of_item: Vec<Option<usize>>,
    /// For each slot, whether it belongs to an entry or to an item.
    taken: Vec<bool>,
    /// For each item, whether no rule may be tried any more.
    is_closed: Vec<bool>,
    /// For each item, whether only its neighbors tell which slot it is.
    is_by_place: Vec<bool>,
    /// For each item, the new slots of the page that resemble it.
    resembling: Vec<Vec<usize>>,
    problems: Vec<ItemError>,
}

impl<'a> Binder<'a> {
    fn new(
        items: &'a [HashedItem<'a>],
        entries: &'a [SlotBase],
        slots: &'a [HashedSlot<'a>],
        types: &'a SlotTypes,
    ) -> Self {
        let positions: HashMap<SlotId, usize> =
            slots.iter().enumerate().map(|(position, slot)| (slot.slot.id, position)).collect();
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
            entry_of_item: vec![None; items.len()],
            item_of_entry: vec![None; entries.len()],
            slot_of_item: vec![None; items.len()],
            taken,
            is_closed: vec![false; items.len()],
            is_by_place: vec![false; items.len()],
            resembling: vec![Vec::new(); items.len()],
            problems: Vec::new(),
        }
    }

    fn bind_entry(&mut self, item: usize, entry: usize) {
        self.entry_of_item[item] = Some(entry);
        self.item_of_entry[entry] = Some(item);
    }

    fn unbind(&mut self, item: usize) {
        if let Some(entry) = self.entry_of_item[item].take() {
            self.item_of_entry[entry] = None;
        }
    }

    fn bind_slot(&mut self, item: usize, position: usize) {
        self.slot_of_item[item] = Some(position);
        self.taken[position] = true;
    }

    /// Refuses what an item names.
    fn refuse(&mut self, item: usize, problem: ItemProblem) {
        self.is_closed[item] = true;
        self.problems.push(ItemError { index: item, problem });
    }

    /// Refuses an item that may be any of several slots.
    fn refuse_unclear(&mut self, item: usize, ids: Vec<SlotId>) {
        self.problems.push(ItemError { index: item, problem: ItemProblem::Ambiguous { ids } });
    }

    /// Refuses items of which it is unclear which of several entries they are.
    fn refuse_ambiguous(&mut self, items: Vec<usize>, entries: Vec<usize>) {
        let entries: Vec<usize> = BTreeSet::from_iter(entries).into_iter().collect();
        let ids = self.ids(&entries);
        for item in items {
            self.refuse_unclear(item, ids.clone());
        }
    }

    /// Refuses an item, which is bound to an entry, together with other items and entries. One that is said to be new is new, where there is
    /// doubt.
    fn refuse_unless_new(&mut self, item: usize, mut items: Vec<usize>, mut entries: Vec<usize>) {
        if self.is_new(item) {
            self.unbind(item);
            return;
        }
        items.push(item);
        entries.extend(self.entry_of_item[item]);
        self.refuse_ambiguous(items, entries);
    }

    /// Returns whether an item is said to be new.
    fn is_new(&self, item: usize) -> bool {
        self.items[item].item.id == FileSlotId::New
    }

    /// Returns whether an item has a value that identifies a slot.
    fn tells(&self, item: usize) -> bool {
        !self.items[item].telling.is_empty()
    }

    /// Returns the position on the page of the slot that is bound to an item.
    fn position_of(&self, item: usize) -> Option<usize> {
        self.slot_of_item[item].or_else(|| self.live[self.entry_of_item[item]?])
    }

    /// Returns the items that a rule may still bind.
    fn open_items(&self) -> Vec<usize> {
        (0..self.items.len())
            .filter(|item| {
                self.entry_of_item[*item].is_none()
                    && self.slot_of_item[*item].is_none()
                    && !self.is_closed[*item]
            })
            .collect()
    }

    /// Returns the open items that may be slots that were made on the page.
    fn adoptable_items(&self) -> Vec<usize> {
        let mut items = self.open_items();
        items.retain(|item| !self.is_new(*item));
        items
    }

    /// Returns the entries that a rule may still bind. Slots that cannot be edited are bound by their ID alone.
    fn open_entries(&self) -> Vec<usize> {
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

    /// Returns the entries that a rule may still bind and whose slot is on the page.
    fn open_live_entries(&self) -> Vec<usize> {
        let mut entries = self.open_entries();
        entries.retain(|entry| self.live[*entry].is_some());
        entries
    }

    /// Returns the positions of the slots that belong to nothing and can be edited.
    fn open_slots(&self) -> Vec<usize> {
        let is_open =
            |position: &usize| !self.taken[*position] && self.slots[*position].is_editable;
        (0..self.slots.len()).filter(is_open).collect()
    }

    /// Returns the numbers of telling and of other values that an item shares with what the file said of a slot at the last sync.
    fn common_values(&self, item: usize, entry: usize) -> (usize, usize) {
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
    fn recreate(&mut self, entry: usize, position: usize) {
        self.live[entry] = Some(position);
        self.taken[position] = true;
    }

    /// Returns whether an item shares a telling value with what the file said of a slot that another item is.
    fn is_copy(&self, item: usize) -> bool {
        (0..self.entries.len()).any(|entry| {
            let other = self.item_of_entry[entry];
            other.is_some_and(|other| other != item) && self.common_values(item, entry).0 > 0
        })
    }

    /// Returns whether the slot of an entry was deleted or changed since the last sync.
    fn is_changed_there(&self, entry: usize) -> bool {
        self.live[entry].is_none_or(|position| {
            self.slots[position].changed(&self.entries[entry]).next().is_some()
        })
    }

    /// Returns whether the entries differ on the page, today or at the last sync.
    fn differ_on_page(&self, entries: &[usize]) -> bool {
        let on_page = |entry: usize| {
            let live = self.live[entry].map(|position| self.slots[position].writable_hashes());
            (live, self.entries[entry].held())
        };
        entries.windows(2).any(|two| on_page(two[0]) != on_page(two[1]))
    }

    /// Returns the IDs of entries.
    fn ids(&self, entries: &[usize]) -> Vec<SlotId> {
        entries.iter().map(|entry| self.entries[*entry].id).collect()
    }
}
