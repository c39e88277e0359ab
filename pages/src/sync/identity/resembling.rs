//! Rules 4 and 5: items that share telling values with what the file said of a slot at the last sync, and the only item and the only entry of
//! a type between the same neighbors.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::HashedItem;
use super::super::{FileSlotId, IdentityProblem};
use super::Binder;

/// How much speaks for a pair of item and entry: telling values in common, neighbors in common, other values in common.
type PairScore = (usize, usize, usize);

/// Binds items to entries of their type with a telling value in common, most of them first, then by neighbors. Pairs that nothing
/// decides between are bound in the order of the file where the choice makes no difference, and refused elsewhere.
pub(super) fn bind_resembling(binder: &mut Binder<'_>) {
    let mut by_score: BTreeMap<Reverse<PairScore>, Vec<(usize, usize)>> = BTreeMap::new();
    let (items, entries) = (binder.open_items(), binder.open_entries());
    let (item_neighbours, entry_neighbours) = bound_neighbours(binder);
    for item in items {
        for entry in &entries {
            let (telling, other) = binder.common_values(item, *entry);
            if telling > 0 {
                let (left, right) = (item_neighbours[item], entry_neighbours[*entry]);
                let near = usize::from(left.0 == right.0) + usize::from(left.1 == right.1);
                by_score.entry(Reverse((telling, near, other))).or_default().push((item, *entry));
            }
        }
    }
    for pairs in by_score.into_values() {
        let is_open = |(item, entry): &(usize, usize)| {
            binder.entry_of_item[*item].is_none() && binder.item_of_entry[*entry].is_none()
        };
        let pairs: Vec<(usize, usize)> = pairs.into_iter().filter(is_open).collect();
        for group in connected(&pairs) {
            bind_group(binder, &group);
        }
    }
}

/// Refuses items that say what the file said of a slot that was changed or deleted on the page, where a new item resembles the slot, too: one
/// of the two is a copy, and it is unclear which.
pub(super) fn refuse_copies(binder: &mut Binder<'_>, equal: &[(usize, usize)]) {
    let mut new = binder.adoptable_items();
    let by_place =
        (0..binder.items.len()).filter(|item| binder.is_by_place[*item] && !binder.is_new(*item));
    new.extend(by_place);
    for (item, entry) in equal {
        if binder.entry_of_item[*item] != Some(*entry) || !binder.is_changed_there(*entry) {
            continue;
        }
        let tells_nothing = |other: usize, entry: usize| {
            let other = &binder.items[other];
            other.telling.is_empty() && other.item.kind == binder.entries[entry].kind
        };
        let is_other = |other: &usize| {
            binder.items[*other].keys != binder.items[*item].keys
                && (binder.common_values(*other, *entry).0 > 0 || tells_nothing(*other, *entry))
        };
        let may_be = |other: &usize| {
            let bound = binder.item_of_entry[*other];
            bound.is_none_or(|bound| binder.is_by_place[bound])
                && binder.common_values(*item, *other).0 > 0
        };
        let mut entries: Vec<usize> = (0..binder.entries.len()).filter(may_be).collect();
        let is_near = !entries.is_empty();
        entries.push(*entry);
        let items: Vec<usize> = new.iter().copied().filter(is_other).collect();
        if is_near || !items.is_empty() {
            binder.refuse_unless_new(*item, items, entries);
        }
    }
}

/// Refuses an edited item whose slot was changed or deleted on the page, where a new item shares a telling value with it: one of the two is a
/// copy of the other, and it is unclear which.
pub(super) fn refuse_edited_copies(binder: &mut Binder<'_>, equal: &[(usize, usize)]) {
    let new = binder.adoptable_items();
    for item in 0..binder.items.len() {
        let Some(entry) = binder.entry_of_item[item] else { continue };
        let said = &binder.items[item];
        if said.item.id != FileSlotId::Absent
            || equal.contains(&(item, entry))
            || !binder.is_changed_there(entry)
        {
            continue;
        }
        let is_copy = |other: &usize| {
            let other = &binder.items[*other];
            let is_shared = |key: &&&str| other.keys.get(**key) == said.keys.get(**key);
            other.item.kind == said.item.kind && said.telling.iter().any(|key| is_shared(&key))
        };
        let mut items: Vec<usize> = new.iter().copied().filter(is_copy).collect();
        if items.is_empty() {
            continue;
        }
        items.push(item);
        binder.refuse_ambiguous(items, &[entry]);
    }
}

/// For each place the nearest known values before and after it.
type Neighbours = Vec<(Option<usize>, Option<usize>)>;

/// Returns for each item and for each entry the nearest entries before and after it that are bound.
fn bound_neighbours(binder: &Binder<'_>) -> (Neighbours, Neighbours) {
    let bound = binder.item_of_entry.iter().enumerate();
    let bound: Vec<Option<usize>> = bound.map(|(entry, item)| item.map(|_| entry)).collect();
    (neighbours(&binder.entry_of_item), neighbours(&bound))
}

pub(super) fn neighbours(known: &[Option<usize>]) -> Neighbours {
    let scan = |places: &mut dyn Iterator<Item = &Option<usize>>| {
        let mut last = None;
        places
            .map(|place| {
                let before = last;
                last = place.or(last);
                before
            })
            .collect::<Vec<_>>()
    };
    let left = scan(&mut known.iter());
    let mut right = scan(&mut known.iter().rev());
    right.reverse();
    left.into_iter().zip(right).collect()
}

/// Returns the pairs in groups that have no item and no entry in common, in the order of their first pairs.
fn connected(pairs: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let mut group_of_item: HashMap<usize, usize> = HashMap::new();
    let mut group_of_entry: HashMap<usize, usize> = HashMap::new();
    // For each group, one that it is part of.
    let mut parents: Vec<usize> = Vec::new();
    let root = |parents: &[usize], mut group: usize| {
        while parents[group] != group {
            group = parents[group];
        }
        group
    };
    for (item, entry) in pairs {
        let next = parents.len();
        let first = *group_of_item.entry(*item).or_insert(next);
        let second = *group_of_entry.entry(*entry).or_insert(first);
        if first == next {
            parents.push(next);
        }
        let (first, second) = (root(&parents, first), root(&parents, second));
        parents[first.max(second)] = first.min(second);
    }
    let mut groups: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for pair in pairs {
        groups.entry(root(&parents, group_of_item[&pair.0])).or_default().push(*pair);
    }
    groups.into_values().collect()
}

fn bind_group(binder: &mut Binder<'_>, group: &[(usize, usize)]) {
    let mut pairs = group.to_vec();
    pairs.sort_unstable();
    // A copy that is said to be new is no slot that another client changed or deleted.
    pairs.retain(|(item, entry)| {
        !(binder.is_new(*item) && binder.is_changed_there(*entry) && binder.is_copy(*item))
    });
    if pairs.len() > 1 && is_choice_relevant(binder, &pairs) {
        // Where there is doubt, an item that is said to be new is new.
        pairs.retain(|(item, _)| !binder.is_new(*item));
    }
    if pairs.len() > 1 && is_choice_relevant(binder, &pairs) {
        let items: BTreeSet<usize> = pairs.iter().map(|(item, _)| *item).collect();
        let entries: BTreeSet<usize> = pairs.iter().map(|(_, entry)| *entry).collect();
        let entries: Vec<usize> = entries.into_iter().collect();
        binder.refuse_ambiguous(items.into_iter().collect(), &entries);
    }
    for (item, entry) in pairs {
        if binder.entry_of_item[item].is_none() && binder.item_of_entry[entry].is_none() {
            refuse_twin(binder, item, entry);
            binder.bind_entry(item, entry);
        }
    }
}

/// Refuses an item that would be bound to a slot which was changed or deleted on the page, where the file said the same of another slot that
/// an item names: the item may be an edited copy of that one.
fn refuse_twin(binder: &mut Binder<'_>, item: usize, entry: usize) {
    if !binder.is_changed_there(entry) {
        return;
    }
    let is_twin = |other: &usize| {
        let named = binder.item_of_entry[*other].map(|item| binder.items[item].item.id);
        matches!(named, Some(FileSlotId::Id(_)))
            && binder.entries[*other].kind == binder.entries[entry].kind
            && binder.entries[*other].said() == binder.entries[entry].said()
    };
    if (0..binder.entries.len()).any(|other| is_twin(&other)) {
        binder.refuse_ambiguous(vec![item], &[entry]);
    }
}

/// Returns whether it matters which item is which slot: a slot was changed or deleted on the page, or holds what the items do not mention.
fn is_choice_relevant(binder: &Binder<'_>, pairs: &[(usize, usize)]) -> bool {
    let entries: BTreeSet<usize> = pairs.iter().map(|(_, entry)| *entry).collect();
    if entries.iter().any(|entry| binder.is_changed_there(*entry)) {
        return true;
    }
    let items: BTreeSet<usize> = pairs.iter().map(|(item, _)| *item).collect();
    let is_mentioned =
        |key: &str| items.iter().all(|item| binder.items[*item].keys.contains_key(key));
    let unmentioned: Vec<BTreeMap<_, _>> = entries
        .iter()
        .filter_map(|entry| binder.live[*entry])
        .map(|position| {
            let hashes = binder.slots[position].writable_hashes();
            hashes.into_iter().filter(|(key, _)| !is_mentioned(key)).collect()
        })
        .collect();
    unmentioned.windows(2).any(|two| two[0] != two[1])
}

/// Open items and entries of one type between two neighbors that are bound to each other.
type Gap = (Vec<usize>, Vec<usize>);

/// Binds an item to an entry where both are the only open ones of their type between two neighbors that are bound to each other. The ends
/// of the file are neighbors, too. An item that resembles a new slot of the page is left alone, and so
/// is one without a telling value where another place of the file lacks a slot of its type, too. A copy of
/// another item is not bound to a slot that was changed or deleted on the page.
pub(super) fn bind_between_neighbours(binder: &mut Binder<'_>) {
    let open = binder.open_entries();
    let is_only =
        |kind: &str| open.iter().filter(|entry| binder.entries[**entry].kind == kind).count() == 1;
    let may_be_bound = |item: usize| {
        let HashedItem { item: said, telling, .. } = &binder.items[item];
        binder.resembling[item].is_empty() && (!telling.is_empty() || is_only(&said.kind))
    };
    let mut gaps = gaps(binder);
    for (items, _) in &mut gaps {
        items.retain(|item| may_be_bound(*item));
    }
    for (items, entries) in gaps {
        if let ([item], [entry]) = (&items[..], &entries[..])
            && !(binder.is_changed_there(*entry) && binder.is_copy(*item))
        {
            binder.bind_entry(*item, *entry);
            binder.is_by_place[*item] = true;
        }
    }
}

/// Binds an item to an entry whose slot was deleted on the page where it is the only one between two neighbors that mentions what the file said
/// of the slots there, and all of those are gone: it may be one of them, rewritten, and then it was changed here and deleted there.
pub(super) fn bind_for_gone(binder: &mut Binder<'_>) {
    for (items, entries) in gaps(binder) {
        let is_gone = |entry: &usize| binder.live[*entry].is_none();
        let fits = |item: &usize| {
            let keys: Vec<&str> = binder.items[*item].keys.keys().copied().collect();
            let same_keys = entries.iter().filter(|entry| said_keys(binder, **entry) == keys);
            // The one that shares most values with the item, else the first.
            let entry = same_keys.rev().max_by_key(|entry| binder.common_values(*item, **entry));
            entry.copied().filter(|_| !binder.is_new(*item)).map(|entry| (*item, entry))
        };
        if entries.is_empty() || !entries.iter().all(is_gone) {
            continue;
        }
        let fitting: Vec<(usize, usize)> = items.iter().filter_map(fits).collect();
        if let [(item, entry)] = fitting[..]
            && binder.resembling[item].is_empty()
            && !binder.is_copy(item)
        {
            binder.bind_entry(item, entry);
            binder.is_by_place[item] = true;
        }
    }
}

/// Returns the keys that the file mentioned of a slot.
fn said_keys<'a>(binder: &Binder<'a>, entry: usize) -> Vec<&'a str> {
    let keys = binder.entries[entry].keys.iter();
    keys.filter(|(_, pair)| pair.file.is_some()).map(|(key, _)| key.as_str()).collect()
}

/// Finds new items that may be slots which were deleted on the page: they are between the same neighbors, mention the same keys, and
/// several fit.
pub(super) fn find_doubtful(binder: &Binder<'_>) -> Vec<IdentityProblem> {
    let doubtful = |(mut items, mut entries): Gap| {
        items.retain(|item| !binder.is_new(*item));
        entries.retain(|entry| binder.live[*entry].is_none());
        let keys = |item: usize| binder.items[item].keys.keys().copied().collect::<Vec<_>>();
        let said: Vec<Vec<&str>> = entries.iter().map(|entry| said_keys(binder, *entry)).collect();
        items.retain(|item| said.contains(&keys(*item)));
        let ids = binder.ids(&entries);
        (!items.is_empty() && !ids.is_empty())
            .then_some(IdentityProblem::PerhapsDeleted { items, ids })
    };
    gaps(binder).into_iter().filter_map(doubtful).collect()
}

/// Refuses new items without a telling value where the file lacks slots of their type that it had: all that told them apart may have been
/// removed from an item.
pub(super) fn refuse_untelling(binder: &mut Binder<'_>) {
    let mut kinds: BTreeMap<&str, Gap> = BTreeMap::new();
    for item in binder.adoptable_items() {
        if binder.items[item].telling.is_empty() {
            kinds.entry(&binder.items[item].item.kind).or_default().0.push(item);
        }
    }
    for entry in binder.open_entries() {
        if let Some((_, entries)) = kinds.get_mut(binder.entries[entry].kind.as_str()) {
            entries.push(entry);
        }
    }
    for (items, entries) in kinds.into_values().filter(|(_, entries)| !entries.is_empty()) {
        binder.refuse_ambiguous(items, &entries);
    }
}

fn gaps(binder: &Binder<'_>) -> Vec<Gap> {
    // Each gap by the entries of its neighbors.
    let mut gaps: BTreeMap<(Option<usize>, Option<usize>, &str), Gap> = BTreeMap::new();
    let (of_items, of_entries) = bound_neighbours(binder);
    for item in binder.open_items() {
        let (left, right) = of_items[item];
        let kind = binder.items[item].item.kind.as_str();
        gaps.entry((left, right, kind)).or_default().0.push(item);
    }
    for entry in binder.open_entries() {
        let (left, right) = of_entries[entry];
        let kind = binder.entries[entry].kind.as_str();
        if let Some((_, entries)) = gaps.get_mut(&(left, right, kind)) {
            entries.push(entry);
        }
    }
    gaps.into_values().collect()
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
