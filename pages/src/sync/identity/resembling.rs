//! Rules 4 and 5: items that share telling values with what the file said of a slot at the last sync, and the only item and the only entry of
//! a type between the same neighbors.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use links_sdk::SlotId;

use super::super::base::mentioned;
use super::super::{FileSlotId, SlotBase};
use super::Binder;

/// How much speaks for a pair of item and entry: telling values in common, neighbors in common, other values in common.
type PairScore = (usize, usize, usize);

/// For each place the nearest known values before and after it.
type Neighbours = Vec<(Option<usize>, Option<usize>)>;

/// Open items and entries of one type between two neighbors that are bound to each other.
type Gap = (Vec<usize>, Vec<usize>);

impl Binder<'_> {
    /// Binds items to entries of their type with a telling value in common, most of them first, then by neighbors. Pairs that nothing
    /// decides between are bound in the order of the file where the choice makes no difference, and refused elsewhere.
    pub(super) fn bind_resembling(&mut self) {
        let mut by_score: BTreeMap<Reverse<PairScore>, Vec<(usize, usize)>> = BTreeMap::new();
        let (items, entries) = (self.open_items(), self.open_entries());
        let (item_neighbours, entry_neighbours) = self.bound_neighbours();
        for item in items {
            for entry in &entries {
                let (telling, other) = self.common_values(item, *entry);
                if telling > 0 {
                    let (left, right) = (item_neighbours[item], entry_neighbours[*entry]);
                    let near = usize::from(left.0 == right.0) + usize::from(left.1 == right.1);
                    by_score
                        .entry(Reverse((telling, near, other)))
                        .or_default()
                        .push((item, *entry));
                }
            }
        }
        for pairs in by_score.into_values() {
            let is_open = |(item, entry): &(usize, usize)| {
                self.entry_of_item[*item].is_none() && self.item_of_entry[*entry].is_none()
            };
            let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(is_open).collect();
            for group in connected(&pairs) {
                self.bind_group(group);
            }
        }
    }

    /// Refuses items that say what the file said of a slot that was changed or deleted on the page, where a new item resembles the slot, too: one
    /// of the two is a copy, and it is unclear which.
    pub(super) fn refuse_copies(&mut self, equal: &[(usize, usize)]) {
        let mut new = self.adoptable_items();
        let by_place =
            (0..self.items.len()).filter(|item| self.is_by_place[*item] && !self.is_new(*item));
        new.extend(by_place);
        for (item, entry) in equal {
            if self.entry_of_item[*item] != Some(*entry) || !self.is_changed_there(*entry) {
                continue;
            }
            let is_other = |other: &usize| {
                let said = &self.items[*other];
                let tells_nothing =
                    said.telling.is_empty() && said.item.kind == self.entries[*entry].kind;
                said.keys != self.items[*item].keys
                    && (tells_nothing || self.common_values(*other, *entry).0 > 0)
            };
            let may_be = |other: &usize| {
                let bound = self.item_of_entry[*other];
                bound.is_none_or(|bound| self.is_by_place[bound])
                    && self.common_values(*item, *other).0 > 0
            };
            let entries: Vec<usize> = (0..self.entries.len()).filter(may_be).collect();
            let items: Vec<usize> = new.iter().copied().filter(is_other).collect();
            if !entries.is_empty() || !items.is_empty() {
                self.refuse_unless_new(*item, items, entries);
            }
        }
    }

    /// Refuses an edited item whose slot was changed or deleted on the page, where a new item shares a telling value with it: one of the two is a
    /// copy of the other, and it is unclear which.
    pub(super) fn refuse_edited_copies(&mut self, equal: &[(usize, usize)]) {
        let new = self.adoptable_items();
        for item in 0..self.items.len() {
            let Some(entry) = self.entry_of_item[item] else { continue };
            let said = &self.items[item];
            if said.item.id != FileSlotId::Absent
                || equal.contains(&(item, entry))
                || !self.is_changed_there(entry)
            {
                continue;
            }
            let is_copy = |other: &usize| {
                let other = &self.items[*other];
                let is_shared = |key: &&str| other.keys.get(*key) == said.keys.get(*key);
                other.item.kind == said.item.kind && said.telling.iter().any(is_shared)
            };
            let mut items: Vec<usize> = new.iter().copied().filter(is_copy).collect();
            if !items.is_empty() {
                items.push(item);
                self.refuse_ambiguous(items, vec![entry]);
            }
        }
    }

    /// Returns for each item and for each entry the nearest entries before and after it that are bound.
    fn bound_neighbours(&self) -> (Neighbours, Neighbours) {
        let bound = self.item_of_entry.iter().enumerate();
        let bound: Vec<Option<usize>> = bound.map(|(entry, item)| item.map(|_| entry)).collect();
        (neighbours(&self.entry_of_item), neighbours(&bound))
    }

    fn bind_group(&mut self, mut pairs: Vec<(usize, usize)>) {
        pairs.sort_unstable();
        // A copy that is said to be new is no slot that another client changed or deleted.
        pairs.retain(|(item, entry)| {
            !(self.is_new(*item) && self.is_changed_there(*entry) && self.is_copy(*item))
        });
        if self.is_choice_relevant(&pairs) {
            // Where there is doubt, an item that is said to be new is new.
            pairs.retain(|(item, _)| !self.is_new(*item));
        }
        if self.is_choice_relevant(&pairs) {
            let (items, entries) = pairs.iter().copied().unzip();
            self.refuse_ambiguous(items, entries);
        }
        for (item, entry) in pairs {
            if self.entry_of_item[item].is_none() && self.item_of_entry[entry].is_none() {
                self.refuse_twin(item, entry);
                self.bind_entry(item, entry);
            }
        }
    }

    /// Refuses an item that would be bound to a slot which was changed or deleted on the page, where the file said the same of another slot that
    /// an item names: the item may be an edited copy of that one.
    fn refuse_twin(&mut self, item: usize, entry: usize) {
        if !self.is_changed_there(entry) {
            return;
        }
        let of = &self.entries[entry];
        let is_twin = |(other, bound): (&SlotBase, &Option<usize>)| {
            let named = bound.and_then(|item| self.items[item].item.id.named());
            named.is_some() && other.says_as(of)
        };
        if self.entries.iter().zip(&self.item_of_entry).any(is_twin) {
            self.refuse_ambiguous(vec![item], vec![entry]);
        }
    }

    /// Returns whether there is a choice, and it matters which item is which slot: a slot was changed or deleted on the page, or holds what the items do not mention.
    fn is_choice_relevant(&self, pairs: &[(usize, usize)]) -> bool {
        if pairs.len() < 2 || pairs.iter().any(|(_, entry)| self.is_changed_there(*entry)) {
            return pairs.len() > 1;
        }
        let (items, entries): (BTreeSet<usize>, BTreeSet<usize>) = pairs.iter().copied().unzip();
        let is_mentioned =
            |key: &str| items.iter().all(|item| self.items[*item].keys.contains_key(key));
        let unmentioned: Vec<BTreeMap<_, _>> = entries
            .iter()
            .filter_map(|entry| self.live[*entry])
            .map(|position| {
                let hashes = self.slots[position].writable_hashes();
                hashes.into_iter().filter(|(key, _)| !is_mentioned(key)).collect()
            })
            .collect();
        unmentioned.windows(2).any(|two| two[0] != two[1])
    }

    /// Binds an item to an entry where both are the only open ones of their type between two neighbors that are bound to each other. The ends
    /// of the file are neighbors, too. An item that resembles a new slot of the page is left alone, and so
    /// is one without a telling value where another place of the file lacks a slot of its type, too. A copy of
    /// another item is not bound to a slot that was changed or deleted on the page.
    pub(super) fn bind_between_neighbours(&mut self) {
        let (open, known) = (self.open_entries(), self.entries);
        let is_only =
            |kind: &str| open.iter().filter(|entry| known[**entry].kind == kind).count() == 1;
        for (mut items, entries) in self.gaps() {
            items.retain(|item| {
                let said = &self.items[*item];
                self.resembling[*item].is_empty()
                    && (!said.telling.is_empty() || is_only(&said.item.kind))
            });
            if let ([item], [entry]) = (&items[..], &entries[..])
                && !(self.is_changed_there(*entry) && self.is_copy(*item))
            {
                self.bind_entry(*item, *entry);
                self.is_by_place[*item] = true;
            }
        }
    }

    /// Binds an item to an entry whose slot was deleted on the page where it is the only one between two neighbors that mentions what the file said
    /// of the slots there, and all of those are gone: it may be one of them, rewritten, and then it was changed here and deleted there.
    pub(super) fn bind_for_gone(&mut self) {
        for (items, entries) in self.gaps() {
            let fits = |item: &usize| {
                let fitting = entries.iter().filter(|entry| self.has_keys_of(*item, **entry));
                // The one that shares most values with the item, else the first.
                let entry = fitting.rev().max_by_key(|entry| self.common_values(*item, **entry));
                entry.copied().filter(|_| !self.is_new(*item)).map(|entry| (*item, entry))
            };
            if entries.iter().any(|entry| self.live[*entry].is_some()) {
                continue;
            }
            let fitting: Vec<(usize, usize)> = items.iter().filter_map(fits).collect();
            if let [(item, entry)] = fitting[..]
                && self.resembling[item].is_empty()
                && !self.is_copy(item)
            {
                self.bind_entry(item, entry);
                self.is_by_place[item] = true;
            }
        }
    }

    /// Returns whether an item mentions the keys that the file mentioned of a slot.
    fn has_keys_of(&self, item: usize, entry: usize) -> bool {
        mentioned(&self.entries[entry].keys).eq(self.items[item].keys.keys().copied())
    }

    /// Finds new items that may be slots which were deleted on the page: they are between the same neighbors, mention the same keys, and
    /// several fit.
    pub(super) fn find_doubtful(&self) -> Vec<(Vec<usize>, Vec<SlotId>)> {
        let doubtful = |(mut items, mut entries): Gap| {
            entries.retain(|entry| self.live[*entry].is_none());
            let fits = |item: &usize| entries.iter().any(|entry| self.has_keys_of(*item, *entry));
            items.retain(|item| !self.is_new(*item) && fits(item));
            let ids = self.ids(&entries);
            (!items.is_empty() && !ids.is_empty()).then_some((items, ids))
        };
        self.gaps().into_iter().filter_map(doubtful).collect()
    }

    /// Refuses new items without a telling value where the file lacks slots of their type that it had: all that told them apart may have been
    /// removed from an item.
    pub(super) fn refuse_untelling(&mut self) {
        let mut items = self.adoptable_items();
        items.retain(|item| !self.tells(*item));
        let gaps = self.grouped(
            items,
            |item| &self.items[item].item.kind,
            |entry| &self.entries[entry].kind,
        );
        for (items, entries) in gaps.into_iter().filter(|(_, entries)| !entries.is_empty()) {
            self.refuse_ambiguous(items, entries);
        }
    }

    fn gaps(&self) -> Vec<Gap> {
        let (of_items, of_entries) = self.bound_neighbours();
        self.grouped(
            self.open_items(),
            |item| (of_items[item], &self.items[item].item.kind),
            |entry| (of_entries[entry], &self.entries[entry].kind),
        )
    }

    /// Returns the items, each with the others and the open entries that have the same key.
    fn grouped<K: Ord>(
        &self,
        items: Vec<usize>,
        of_item: impl Fn(usize) -> K,
        of_entry: impl Fn(usize) -> K,
    ) -> Vec<Gap> {
        let mut groups: BTreeMap<K, Gap> = BTreeMap::new();
        for item in items {
            groups.entry(of_item(item)).or_default().0.push(item);
        }
        for entry in self.open_entries() {
            if let Some((_, entries)) = groups.get_mut(&of_entry(entry)) {
                entries.push(entry);
            }
        }
        groups.into_values().collect()
    }
}

fn neighbours(known: &[Option<usize>]) -> Neighbours {
    let mut around = vec![(None, None); known.len()];
    let mut last = None;
    for (at, place) in known.iter().enumerate() {
        around[at].0 = last;
        last = place.or(last);
    }
    last = None;
    for (at, place) in known.iter().enumerate().rev() {
        around[at].1 = last;
        last = place.or(last);
    }
    around
}

/// Returns the pairs in groups that have no item and no entry in common, in the order of their first pairs.
fn connected(pairs: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    // For each item and each entry, the first pair of the group that it is known to be in.
    let (mut of_item, mut of_entry) = (HashMap::new(), HashMap::new());
    let mut is_known = false;
    while !is_known {
        is_known = true;
        for (nth, (item, entry)) in pairs.iter().enumerate() {
            let first = of_item.entry(*item).or_insert(nth);
            let second = of_entry.entry(*entry).or_insert(nth);
            is_known &= first == second;
            let least = (*first).min(*second);
            (*first, *second) = (least, least);
        }
    }
    let mut groups: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for pair in pairs {
        groups.entry(of_item[&pair.0]).or_default().push(*pair);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_grouped_by_what_they_have_in_common() {
        let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (3, 0), (5, 9)];
        let expected = [vec![(0, 0), (3, 0)], vec![(1, 1), (2, 2), (1, 2)], vec![(5, 9)]];
        assert_eq!(connected(&pairs), expected);
        let all: Vec<(usize, usize)> =
            (0..500).flat_map(|item| (0..500).map(move |entry| (item, entry))).collect();
        assert_eq!(connected(&all).len(), 1);
    }
}
