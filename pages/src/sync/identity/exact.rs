//! Rule 1: items that name an ID, items of which an interrupted run noted the ID, and items of types that can only be read and moved, which
//! are found by ID, or by content that only one slot has. Rule 2: items that say what the file said of a slot at the last sync.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use links_sdk::SlotId;
use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::super::{ValueHash, full};
use super::Binder;
use crate::apply::{ItemProblem, choose_read_only, may_be_stored_as, same};

/// What the file says of a slot: type, and hashes of the keys that it mentions and that are not empty.
type FileContent<'a> = (&'a str, BTreeMap<&'a str, ValueHash>);

/// Maximum number of elements that are compared, far more than a file and a record have: the time grows with its square.
const COMPARED: usize = 4_000;

impl Binder<'_> {
    /// Binds items by the IDs that the file gives, also by earlier IDs of a slot. An item whose ID is unknown is the new slot of the page that
    /// equals it, if there is one: the slot was deleted and created again, and the file is that from before.
    pub(super) fn bind_by_id(&mut self) {
        let mut named: HashMap<SlotId, usize> = HashMap::new();
        let mut unknown: Vec<(usize, SlotId)> = Vec::new();
        for item in 0..self.items.len() {
            let Some(id) = self.items[item].item.id.named() else { continue };
            let position = self.slots.iter().position(|slot| slot.slot.id == id);
            let entry = (0..self.entries.len()).find(|entry| match position {
                // An entry must not claim by an earlier id what is a slot of the page.
                Some(_) => self.live[*entry] == position,
                None => self.entries[*entry].is_named(id),
            });
            let first =
                entry.map_or_else(|| named.get(&id).copied(), |entry| self.item_of_entry[entry]);
            if let Some(first) = first {
                self.refuse(item, ItemProblem::RepeatedId { id, first });
                continue;
            }
            named.insert(id, item);
            // Even an item in error reserves what it names.
            let actual = match (entry, position) {
                (Some(entry), _) => {
                    self.bind_entry(item, entry);
                    &self.entries[entry].kind
                }
                (None, Some(position)) => {
                    self.bind_slot(item, position);
                    &self.slots[position].slot.kind
                }
                (None, None) => {
                    unknown.push((item, id));
                    continue;
                }
            };
            let written = &self.items[item].item.kind;
            if actual != written {
                let (on_page, in_file) = (actual.clone(), written.clone());
                self.refuse(item, ItemProblem::TypeDiffers { id, on_page, in_file });
            }
        }
        for (item, id) in unknown {
            // Without a telling value only after the same neighbor.
            if self.tells(item) {
                self.adopt(item);
            } else {
                self.adopt_after_left(item);
            }
            if self.slot_of_item[item].is_none() {
                self.refuse(item, ItemProblem::NotOnPage { id });
            }
        }
    }

    /// Binds items to the slots that an interrupted run created for them, unless that slot is gone and the record has another one for such an
    /// item, as if two people had created it at once.
    pub(super) fn bind_created(&mut self, created: &BTreeMap<usize, SlotId>) {
        let open = self.open_items();
        for (item, id) in created.iter().filter(|(item, _)| open.contains(item)) {
            let kind = &self.items[*item].item.kind;
            let own = self.open_entries().into_iter().find(|entry| self.entries[*entry].id == *id);
            if let Some(own) = own {
                let of = &self.entries[own];
                let is_left = |other: &usize| self.entries[*other].says_as(of);
                if self.live[own].is_none() && self.open_live_entries().iter().any(is_left) {
                    continue;
                }
                if of.kind == *kind {
                    self.bind_entry(*item, own);
                    continue;
                }
            }
            let is_slot = |position: &usize| {
                let slot = self.slots[*position].slot;
                slot.id == *id && slot.kind == *kind
            };
            if let Some(position) = self.open_slots().into_iter().find(is_slot) {
                self.bind_slot(*item, position);
            }
        }
    }

    /// Binds items of read-only types that have no ID. No other rule is tried for them.
    pub(super) fn bind_read_only(&mut self) {
        let mut entries = vec![None; self.slots.len()];
        for (entry, position) in self.live.iter().enumerate() {
            if let Some(position) = position {
                entries[*position] = Some(entry);
            }
        }
        let mut items = self.open_items();
        items.retain(|item| self.types.is_read_only(&self.items[*item].item.kind));
        for item in &items {
            self.is_closed[*item] = true;
        }
        let is_free = |position: &usize| match entries[*position] {
            Some(entry) => self.item_of_entry[entry].is_none(),
            None => !self.taken[*position],
        };
        let fitting = |item: usize| {
            let written = self.items[item].item;
            let fits = |position: &usize| {
                let slot = &self.slots[*position];
                slot.slot.kind == written.kind
                    && written
                        .data
                        .iter()
                        .all(|(key, value)| may_be_stored_as(value, slot.value(key)))
            };
            (0..self.slots.len()).filter(is_free).filter(fits).collect()
        };
        let holds_no_more = |item: usize, position: usize| {
            let mut held = self.slots[position].slot.data.iter();
            held.all(|(key, value)| {
                self.items[item].item.data.contains_key(key) || same(value, &Value::Null)
            })
        };
        for (item, choice) in choose_read_only(&items, fitting, holds_no_more) {
            match choice {
                Ok(position) => match entries[position] {
                    Some(entry) => self.bind_entry(item, entry),
                    None => self.bind_slot(item, position),
                },
                // The planner refuses it: such a slot cannot be created.
                Err(none) if none.is_empty() => {}
                Err(several) => {
                    let ids =
                        several.iter().map(|position| self.slots[*position].slot.id).collect();
                    self.refuse_unclear(item, ids);
                }
            }
        }
    }

    /// Binds items with equal hashes: a longest common subsequence first, then anywhere. Returns the groups of equal entries of which the file
    /// has fewer than before, and the pairs that were bound.
    pub(super) fn bind_equal(&mut self) -> (Vec<Vec<usize>>, Vec<(usize, usize)>) {
        let mut pairs = Vec::new();
        let mut numbers: HashMap<FileContent<'_>, usize> = HashMap::new();
        let mut number = |content| {
            let next = numbers.len();
            *numbers.entry(content).or_insert(next)
        };
        let (entries, items) = (self.entries, self.items);
        let number_of_entry: BTreeMap<usize, usize> = self
            .open_entries()
            .into_iter()
            .map(|entry| (entry, number((entries[entry].kind.as_str(), entries[entry].said()))))
            .collect();
        let number_of_item: BTreeMap<usize, usize> = self
            .open_items()
            .into_iter()
            .map(|item| {
                let keys = full(items[item].keys.iter().map(|(key, hash)| (*key, *hash)));
                (item, number((items[item].item.kind.as_str(), keys)))
            })
            .collect();

        let bound = numbers.len();
        let mut groups = vec![(Vec::new(), Vec::new()); bound];
        for (entry, number) in &number_of_entry {
            groups[*number].0.push(*entry);
        }
        for (item, number) in &number_of_item {
            groups[*number].1.push(*item);
        }

        // Where there are too few entries, an item that is said to be new takes what no other item asks for.
        let is_short = |number: usize| groups[number].0.len() < groups[number].1.len();
        // Items that are bound already keep their place; what cannot be bound any more equals nothing.
        let unequal = bound + self.entries.len();
        let item_tokens: Vec<usize> = (0..self.items.len())
            .map(|item| match (number_of_item.get(&item), self.entry_of_item[item]) {
                (Some(number), _) if self.is_new(item) && is_short(*number) => unequal,
                (Some(number), _) => *number,
                (None, Some(entry)) => bound + entry,
                (None, None) => unequal,
            })
            .collect();
        let entry_tokens: Vec<usize> = (0..self.entries.len())
            .map(|entry| match number_of_entry.get(&entry) {
                Some(number) => *number,
                None if self.item_of_entry[entry].is_some() => bound + entry,
                None => unequal + 1,
            })
            .collect();
        for (item, entry) in common_subsequence(&item_tokens, &entry_tokens) {
            if item_tokens[item] < bound {
                pairs.push((item, entry));
                self.bind_entry(item, entry);
            }
        }

        let mut fewer = Vec::new();
        for (entries, items) in groups {
            let mut open_items = items.clone();
            open_items.retain(|item| self.entry_of_item[*item].is_none());
            open_items.sort_by_key(|item| self.is_new(*item));
            let mut open_entries = entries.clone();
            open_entries.retain(|entry| self.item_of_entry[*entry].is_none());
            for (item, entry) in open_items.into_iter().zip(open_entries) {
                pairs.push((item, entry));
                self.bind_entry(item, entry);
            }
            if items.len() < entries.len() {
                fewer.push(entries);
            }
        }
        (fewer, pairs)
    }

    /// Refuses items without a telling value that are bound to a slot which was changed or deleted on the page, where a slot of which the file said more would
    /// be deleted: all that told of that one may have been removed from the item.
    pub(super) fn refuse_reduced(&mut self, equal: &[(usize, usize)]) {
        let open = self.open_live_entries();
        for (item, entry) in equal {
            let said = &self.items[*item];
            if self.entry_of_item[*item] != Some(*entry)
                || !said.telling.is_empty()
                || !self.is_changed_there(*entry)
            {
                continue;
            }
            let says_more = |other: &usize| {
                let other = &self.entries[*other];
                let is_said = |key: &&str| said.keys.get(*key).is_some_and(|hash| !hash.is_empty());
                other.kind == said.item.kind && !other.said().keys().all(is_said)
            };
            let entries: Vec<usize> = open.iter().copied().filter(says_more).collect();
            if !entries.is_empty() {
                self.refuse_unless_new(*item, Vec::new(), entries);
            }
        }
    }

    /// Refuses items that are bound to one of several equal entries which differ on the page, where the file has fewer of them than before: it
    /// is unclear which of them it still has.
    pub(super) fn refuse_fewer(&mut self, groups: &[Vec<usize>]) {
        for group in groups {
            if !self.differ_on_page(group) {
                continue;
            }
            let bound = group.iter().filter_map(|entry| self.item_of_entry[*entry]);
            // Where there is doubt, an item that is said to be new is new.
            let (new, items): (Vec<usize>, Vec<usize>) = bound.partition(|item| self.is_new(*item));
            for item in new {
                self.unbind(item);
            }
            if !items.is_empty() {
                self.refuse_ambiguous(items, group.clone());
            }
        }
    }
}

/// Returns the index pairs of a longest common subsequence of two sequences, in order; none where the sequences are too long.
fn common_subsequence<T: Hash + Ord>(one: &[T], other: &[T]) -> Vec<(usize, usize)> {
    if one.len() + other.len() > COMPARED {
        return Vec::new();
    }
    let ops = capture_diff_slices(Algorithm::Myers, one, other);
    let equal = ops.iter().filter(|op| op.tag() == DiffTag::Equal);
    equal.flat_map(|op| op.old_range().zip(op.new_range())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_common_subsequence_is_found() {
        for (one, other, length) in [
            ("", "abc", 0),
            ("abc", "abc", 3),
            ("xabcy", "abc", 3),
            ("abcbdab", "bdcaba", 4),
            ("aab", "aba", 2),
            ("abxcd", "abycd", 4),
        ] {
            let (one, other): (Vec<char>, Vec<char>) =
                (one.chars().collect(), other.chars().collect());
            let pairs = common_subsequence(&one, &other);
            assert_eq!(pairs.len(), length, "{one:?} {other:?}");
            assert!(pairs.iter().all(|(a, b)| one[*a] == other[*b]));
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
    }
}
