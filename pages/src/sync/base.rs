//! Record of the last sync of a page, and what a text of its file held of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Conflict, FilePage, FileSlot, LivePage, ValueHash, full};
use crate::apply::SlotTypes;
use links_sdk::{ProfileId, Slot, SlotId};

/// Record of the last sync of a page and its file: identities and hashes, never content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageBase {
    /// ID of the page.
    pub id: ProfileId,
    /// Login of the page.
    pub login: String,
    /// Hash pairs of the profile fields. A field without a pair has never been read.
    pub fields: BTreeMap<String, HashPair>,
    /// The slots in the file, in the order that file and page last agreed on. Slots that were deleted on the page stay here until their
    /// item is removed.
    pub slots: Vec<SlotBase>,
}

/// Record of the last sync of a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotBase {
    /// ID of the slot.
    pub id: SlotId,
    /// Earlier IDs of the slot, if it was deleted and created again.
    pub was: Vec<SlotId>,
    /// The type.
    pub kind: String,
    /// True if the file locked the slot.
    pub is_locked: bool,
    /// Hash pairs of the keys of its data. A key without a pair was neither in the file nor on the page. Slots that cannot be edited have
    /// no pairs.
    pub keys: BTreeMap<String, HashPair>,
}

impl SlotBase {
    /// Returns the pair of a key.
    pub fn pair(&self, key: &str) -> HashPair {
        self.keys.get(key).copied().unwrap_or(HashPair::UNMENTIONED)
    }

    /// Returns what the file said of the slot, without what is empty.
    pub(super) fn said(&self) -> BTreeMap<&str, ValueHash> {
        full(self.keys.iter().filter_map(|(key, pair)| Some((key.as_str(), pair.file?))))
    }

    /// Returns what the page held of the slot, without what is empty.
    pub(super) fn held(&self) -> BTreeMap<&str, ValueHash> {
        full(self.keys.iter().map(|(key, pair)| (key.as_str(), pair.page)))
    }

    /// Returns whether the file said the same of another slot.
    pub(super) fn says_as(&self, other: &Self) -> bool {
        self.kind == other.kind && self.said() == other.said()
    }

    /// Returns whether this is or was the ID of the slot.
    pub fn is_named(&self, id: SlotId) -> bool {
        self.id == id || self.was.contains(&id)
    }
}

/// Returns the keys of a record that the file mentioned.
pub(super) fn mentioned(pairs: &BTreeMap<String, HashPair>) -> impl Iterator<Item = &str> {
    pairs.iter().filter(|(_, pair)| pair.file.is_some()).map(|(key, _)| key.as_str())
}

/// Value of a key when file and page last agreed on it: the value in the file, and the value that the page stored.
///
/// The two differ if the service normalizes values. "Changed here" means that the hash of the file differs from the current file, and
/// "changed there" means that the hash of the page differs from the current page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HashPair {
    /// Hash of the file's value; `None` if the file did not contain the key.
    pub file: Option<ValueHash>,
    /// Hash of the page's value.
    pub page: ValueHash,
}

impl HashPair {
    /// The pair of a key that was not in the file and was empty on the page.
    pub const UNMENTIONED: Self = Self { file: None, page: ValueHash::EMPTY };

    /// Returns a pair of equal halves.
    pub fn of(hash: ValueHash) -> Self {
        Self { file: Some(hash), page: hash }
    }
}

impl PageBase {
    /// Makes the order one that neither the file nor the page has, if theirs differ: nothing tells which of the two is newer, so that both count
    /// as changed. Two slots have no third order; theirs counts as changed on the page.
    pub fn forget_order(&mut self, page: &LivePage) {
        let known: BTreeSet<SlotId> = self.slots.iter().map(|entry| entry.id).collect();
        let on_page: Vec<SlotId> =
            page.slots.iter().map(|slot| slot.id).filter(|id| known.contains(id)).collect();
        let recorded = self.slots.iter().map(|entry| entry.id);
        let recorded: Vec<SlotId> = recorded.filter(|id| on_page.contains(id)).collect();
        if recorded == on_page {
            return;
        }
        // Of three slots or more, each rotation is another order.
        let rotated = [1, 2].map(|by: usize| [&recorded[by..], &recorded[..by]].concat());
        if let Some(third) = rotated.into_iter().find(|order| *order != on_page) {
            self.take_order(&third);
        }
    }

    /// Returns the record with which the file wins these conflicts: the values on the page count as known, and the values in the file as
    /// changed since then. Everything else keeps its record. Use it if a user has seen both values and keeps the values of the file.
    #[must_use]
    pub fn settled(mut self, conflicts: &[Conflict], page: &LivePage) -> Self {
        for conflict in conflicts {
            match conflict {
                Conflict::Value { slot, key, page: value, .. } => {
                    let pairs = match slot {
                        Some((_, id)) => self.entry_or_new(*id, page).map(|entry| &mut entry.keys),
                        None => Some(&mut self.fields),
                    };
                    let pair = HashPair::of(ValueHash::of(value));
                    pairs.and_then(|pairs| pairs.insert(key.clone(), pair));
                }
                Conflict::DeletedThere { id, .. } => self.slots.retain(|entry| entry.id != *id),
                Conflict::DeletedHere { id, keys, .. } => {
                    let slot = page.slots.iter().find(|slot| slot.id == *id);
                    let entry = self.slots.iter_mut().find(|entry| entry.is_named(*id));
                    let (Some(slot), Some(entry)) = (slot, entry) else { continue };
                    for key in keys {
                        let file = entry.pair(key).file;
                        let pair =
                            HashPair { file, page: ValueHash::of_option(slot.data.get(key)) };
                        entry.keys.insert(key.clone(), pair);
                    }
                }
                Conflict::Order { page, .. } => self.take_order(page),
            }
        }
        self
    }

    /// Returns the entry of a slot of the page; a new one, after the closest slot before it, where the record does not know the slot.
    fn entry_or_new(&mut self, id: SlotId, page: &LivePage) -> Option<&mut SlotBase> {
        if !self.slots.iter().any(|entry| entry.is_named(id)) {
            let at = page.slots.iter().position(|slot| slot.id == id)?;
            let (before, slot) = (&page.slots[..at], &page.slots[at]);
            let pair = |(key, value): (&String, &Value)| {
                (key.clone(), HashPair { file: None, page: ValueHash::of(value) })
            };
            let keys = slot.data.iter().map(pair).collect();
            let (was, kind) = (Vec::new(), slot.kind.clone());
            let entry = SlotBase { id, was, kind, is_locked: false, keys };
            insert_after(&mut self.slots, before.iter().map(|slot| slot.id), entry);
        }
        self.slots.iter_mut().find(|entry| entry.is_named(id))
    }

    /// Sorts the entries of these slots into this order; the others keep their places.
    pub(super) fn take_order(&mut self, order: &[SlotId]) {
        let place = |entry: &SlotBase| order.iter().position(|id| *id == entry.id);
        let places: Vec<usize> =
            (0..self.slots.len()).filter(|nth| place(&self.slots[*nth]).is_some()).collect();
        let mut moved: Vec<SlotBase> = places.iter().map(|nth| self.slots[*nth].clone()).collect();
        moved.sort_by_key(place);
        for (nth, entry) in places.into_iter().zip(moved) {
            self.slots[nth] = entry;
        }
    }
}

/// Inserts an entry after the closest one of the slots `before` it.
pub(super) fn insert_after(
    entries: &mut Vec<SlotBase>,
    before: impl DoubleEndedIterator<Item = SlotId>,
    entry: SlotBase,
) {
    let place = |id: SlotId| entries.iter().position(|entry| entry.is_named(id));
    let place = before.rev().find_map(place);
    entries.insert(place.map_or(0, |place| place + 1), entry);
}

/// Returns which of the slots `asked` were in an earlier version of the file: an item names the slot, or has the values of the slot on the
/// page. Each item is one slot, and slots of the record that are not in `asked` are matched first. The record itself proves nothing,
/// because somebody may have edited it.
///
/// A reference may stand for any value.
pub fn held_slots(
    file: &FilePage,
    base: &PageBase,
    page: &LivePage,
    types: &SlotTypes,
    asked: &BTreeSet<SlotId>,
) -> BTreeSet<SlotId> {
    let mut free: Vec<&FileSlot> = file.slots.iter().collect();
    let mut held = BTreeSet::new();
    let (last, first): (Vec<_>, Vec<_>) =
        base.slots.iter().partition(|entry| asked.contains(&entry.id));
    for entry in first.into_iter().chain(last) {
        let Some(slot) = page.slots.iter().find(|slot| slot.id == entry.id) else { continue };
        let is_it = |item: &&FileSlot| match item.id.named() {
            Some(id) if id == slot.id => item.kind == slot.kind,
            named => named.is_none_or(|id| entry.is_named(id)) && says(item, slot, types),
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
                || types.may_store(
                    &item.kind,
                    key,
                    said,
                    slot.data.get(key).unwrap_or(&Value::Null),
                )
        })
}
