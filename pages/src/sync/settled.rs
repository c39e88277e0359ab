//! Record of a page of which the user has seen the conflicts.

use std::collections::BTreeMap;

use super::{Conflict, HashPair, LivePage, PageBase, SlotBase, ValueHash};
use links_sdk::Object;
use links_sdk::SlotId;

impl PageBase {
    /// Returns the record with which the file wins in these conflicts: what the page has there counts as known, and what the file says as changed since.
    /// Everything else keeps its record. For a user who has seen both values and keeps those of the file.
    #[must_use]
    pub fn settled(mut self, conflicts: &[Conflict], page: &LivePage) -> Self {
        for conflict in conflicts {
            match conflict {
                Conflict::Key { id, key, page: value, .. } => {
                    if let Some(entry) = self.entry_or_new(*id, page) {
                        entry.keys.insert(key.clone(), HashPair::of(ValueHash::of(value)));
                    }
                }
                Conflict::Field { key, page: value, .. } => {
                    self.fields.insert(key.clone(), HashPair::of(ValueHash::of(value)));
                }
                Conflict::DeletedThere { id, .. } => self.slots.retain(|entry| entry.id != *id),
                Conflict::DeletedHere { id, keys, .. } => {
                    let slot = page.slots.iter().find(|slot| slot.id == *id);
                    let entry = self.slots.iter_mut().find(|entry| entry.is_named(*id));
                    let (Some(slot), Some(entry)) = (slot, entry) else { continue };
                    for key in keys {
                        let file = entry.pair(key).file;
                        let pair = HashPair { file, page: hash(&slot.data, key) };
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
        let known = self.slots.iter().position(|entry| entry.is_named(id));
        let place = match known {
            Some(place) => place,
            None => {
                let at = page.slots.iter().position(|slot| slot.id == id)?;
                let (before, slot) = (&page.slots[..at], &page.slots[at]);
                let place_of = |id: SlotId| self.slots.iter().position(|entry| entry.is_named(id));
                let before = before.iter().rev().find_map(|slot| place_of(slot.id));
                let place = before.map_or(0, |before| before + 1);
                let pair = |key: &String| (key.clone(), unmentioned(&slot.data, key));
                let keys: BTreeMap<_, _> = slot.data.keys().map(pair).collect();
                let entry = SlotBase { id, was: Vec::new(), kind: slot.kind.clone(), keys };
                self.slots.insert(place, entry);
                place
            }
        };
        self.slots.get_mut(place)
    }

    /// Sorts the entries of these slots into this order; the others keep their places.
    fn take_order(&mut self, order: &[SlotId]) {
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

fn hash(data: &Object, key: &str) -> ValueHash {
    data.get(key).map_or(ValueHash::EMPTY, ValueHash::of)
}

fn unmentioned(data: &Object, key: &str) -> HashPair {
    HashPair { file: None, page: hash(data, key) }
}
