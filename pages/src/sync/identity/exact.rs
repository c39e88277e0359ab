//! Rule 1: items that name an ID, items of which an interrupted run noted the ID, and items of types that can only be read and moved, which
//! are found by ID, or by content that only one slot has. Rule 2: items that say what the file said of a slot at the last sync.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use links_sdk::SlotId;
use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::super::{FileSlotId, HashPair, IdentityProblem, ValueHash};
use super::Binder;
use super::adoption::adopt_for_unknown_id;
use crate::apply::{ItemProblem, choose_read_only, may_be_stored_as, same};

/// Binds items by the IDs that the file gives, also by earlier IDs of a slot. An item whose ID is unknown is the new slot of the page that
/// equals it, if there is one: the slot was deleted and created again, and the file is that from before.
pub(super) fn bind_by_id(binder: &mut Binder<'_>) {
    let mut named: HashMap<SlotId, usize> = HashMap::new();
    let mut unknown: Vec<(usize, SlotId)> = Vec::new();
    for item in 0..binder.items.len() {
        let Some(id) = binder.items[item].item.id.named() else { continue };
        let position = binder.slots.iter().position(|slot| slot.slot.id == id);
        let entry = (0..binder.entries.len()).find(|entry| match position {
            // An entry must not claim by an earlier id what is a slot of the page.
            Some(_) => binder.live[*entry] == position,
            None => binder.entries[*entry].is_named(id),
        });
        let first =
            entry.map_or_else(|| named.get(&id).copied(), |entry| binder.item_of_entry[entry]);
        if let Some(first) = first {
            binder.refuse(item, ItemProblem::RepeatedId { id, first });
            continue;
        }
        named.insert(id, item);
        // Even an item in error reserves what it names.
        let actual = match (entry, position) {
            (Some(entry), _) => {
                binder.bind_entry(item, entry);
                &binder.entries[entry].kind
            }
            (None, Some(position)) => {
                binder.bind_slot(item, position);
                &binder.slots[position].slot.kind
            }
            (None, None) => {
                unknown.push((item, id));
                continue;
            }
        };
        let written = &binder.items[item].item.kind;
        if actual != written {
            let (on_page, in_file) = (actual.clone(), written.clone());
            binder.refuse(item, ItemProblem::TypeDiffers { id, on_page, in_file });
        }
    }
    for (item, id) in unknown {
        adopt_for_unknown_id(binder, item);
        if binder.slot_of_item[item].is_none() {
            binder.refuse(item, ItemProblem::NotOnPage { id });
        }
    }
}

/// Binds items to the slots that an interrupted run created for them, unless that slot is gone and the record has another one for such an
/// item, as if two people had created it at once.
pub(super) fn bind_created(binder: &mut Binder<'_>, created: &BTreeMap<usize, SlotId>) {
    let open = binder.open_items();
    for (item, id) in created {
        let entries = binder.open_entries();
        let own = entries.iter().copied().find(|entry| binder.entries[*entry].id == *id);
        let is_left = |own: usize, other: usize| {
            let [own, other] = [own, other].map(|entry| &binder.entries[entry]);
            own.kind == other.kind && own.said() == other.said()
        };
        if let Some(own) = own.filter(|own| binder.live[*own].is_none()) {
            let mut live = entries.iter().filter(|entry| binder.live[**entry].is_some());
            if live.any(|other| is_left(own, *other)) {
                continue;
            }
        }
        if let Some(entry) = own
            && open.contains(item)
            && binder.entries[entry].kind == binder.items[*item].item.kind
        {
            binder.bind_entry(*item, entry);
            continue;
        }
        let is_slot = |position: &usize| {
            let slot = &binder.slots[*position];
            slot.slot.id == *id
                && open.contains(item)
                && slot.slot.kind == binder.items[*item].item.kind
        };
        if let Some(position) = binder.open_slots().into_iter().find(is_slot) {
            binder.bind_slot(*item, position);
        }
    }
}

/// Binds items of read-only types that have no ID. No other rule is tried for them.
pub(super) fn bind_read_only(binder: &mut Binder<'_>) {
    let mut entries = vec![None; binder.slots.len()];
    for (entry, position) in binder.live.iter().enumerate() {
        if let Some(position) = position {
            entries[*position] = Some(entry);
        }
    }
    let mut items = binder.open_items();
    items.retain(|item| binder.types.is_read_only(&binder.items[*item].item.kind));
    for item in &items {
        binder.is_closed[*item] = true;
    }
    let is_free = |position: &usize| match entries[*position] {
        Some(entry) => binder.item_of_entry[entry].is_none(),
        None => !binder.taken[*position],
    };
    let fitting = |item: usize| {
        let written = binder.items[item].item;
        let fits = |position: &usize| {
            let slot = &binder.slots[*position];
            slot.slot.kind == written.kind
                && written.data.iter().all(|(key, value)| may_be_stored_as(value, slot.value(key)))
        };
        (0..binder.slots.len()).filter(is_free).filter(fits).collect()
    };
    let holds_no_more = |item: usize, position: usize| {
        let mut held = binder.slots[position].slot.data.iter();
        held.all(|(key, value)| {
            binder.items[item].item.data.contains_key(key) || same(value, &Value::Null)
        })
    };
    for (item, choice) in choose_read_only(&items, fitting, holds_no_more) {
        match choice {
            Ok(position) => match entries[position] {
                Some(entry) => binder.bind_entry(item, entry),
                None => binder.bind_slot(item, position),
            },
            // The planner refuses it: such a slot cannot be created.
            Err(none) if none.is_empty() => {}
            Err(several) => {
                let ids = several.iter().map(|position| binder.slots[*position].slot.id).collect();
                binder.problems.push(IdentityProblem::Ambiguous { items: vec![item], ids });
            }
        }
    }
}

/// What the file says of a slot: type, and hashes of the keys that it mentions and that are not empty.
type FileContent<'a> = (&'a str, BTreeMap<&'a str, ValueHash>);

/// Binds items with equal hashes: a longest common subsequence first, then anywhere. Returns the groups of equal entries of which the file
/// has fewer than before, and the pairs that were bound.
pub(super) fn bind_equal(binder: &mut Binder<'_>) -> (Vec<Vec<usize>>, Vec<(usize, usize)>) {
    let mut pairs = Vec::new();
    let mut numbers: HashMap<FileContent<'_>, usize> = HashMap::new();
    let mut number = |content| {
        let next = numbers.len();
        *numbers.entry(content).or_insert(next)
    };
    let (entries, items) = (binder.entries, binder.items);
    let number_of_entry: BTreeMap<usize, usize> = binder
        .open_entries()
        .into_iter()
        .map(|entry| (entry, number((entries[entry].kind.as_str(), entries[entry].said()))))
        .collect();
    let number_of_item: BTreeMap<usize, usize> = binder
        .open_items()
        .into_iter()
        .map(|item| {
            let keys = items[item].keys.iter().map(|(key, hash)| (*key, *hash));
            let keys = keys.filter(|(_, hash)| !hash.is_empty()).collect();
            (item, number((items[item].item.kind.as_str(), keys)))
        })
        .collect();

    // Where there are too few entries, an item that is said to be new takes what no other item asks for.
    let count = |of: &BTreeMap<usize, usize>, number: usize| {
        of.values().filter(|other| **other == number).count()
    };
    let is_short = |number: usize| count(&number_of_entry, number) < count(&number_of_item, number);
    let is_new = |item: usize| items[item].item.id == FileSlotId::New;
    // Items that are bound already keep their place; what cannot be bound any more equals nothing.
    let bound = numbers.len();
    let unequal = bound + binder.entries.len();
    let item_tokens: Vec<usize> = (0..binder.items.len())
        .map(|item| match (number_of_item.get(&item), binder.entry_of_item[item]) {
            (Some(number), _) if is_new(item) && is_short(*number) => unequal,
            (Some(number), _) => *number,
            (None, Some(entry)) => bound + entry,
            (None, None) => unequal,
        })
        .collect();
    let entry_tokens: Vec<usize> = (0..binder.entries.len())
        .map(|entry| match number_of_entry.get(&entry) {
            Some(number) => *number,
            None if binder.item_of_entry[entry].is_some() => bound + entry,
            None => unequal + 1,
        })
        .collect();
    for (item, entry) in common_subsequence(&item_tokens, &entry_tokens) {
        if item_tokens[item] < bound {
            pairs.push((item, entry));
            binder.bind_entry(item, entry);
        }
    }

    let mut groups: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (entry, number) in number_of_entry {
        groups.entry(number).or_default().0.push(entry);
    }
    for (item, number) in number_of_item {
        if let Some((_, items)) = groups.get_mut(&number) {
            items.push(item);
        }
    }
    let mut fewer = Vec::new();
    for (entries, items) in groups.into_values() {
        let unbound = |of: &[usize], bound: &[Option<usize>]| {
            of.iter().copied().filter(|nth| bound[*nth].is_none()).collect::<Vec<_>>()
        };
        let mut open_items = unbound(&items, &binder.entry_of_item);
        open_items.sort_by_key(|item| is_new(*item));
        let open_entries = unbound(&entries, &binder.item_of_entry);
        for (item, entry) in open_items.into_iter().zip(open_entries) {
            pairs.push((item, entry));
            binder.bind_entry(item, entry);
        }
        if items.len() < entries.len() {
            fewer.push(entries);
        }
    }
    (fewer, pairs)
}

/// Refuses items without a telling value that are bound to a slot which was changed or deleted on the page, where a slot of which the file said more would
/// be deleted: all that told of that one may have been removed from the item.
pub(super) fn refuse_reduced(binder: &mut Binder<'_>, equal: &[(usize, usize)]) {
    let open: Vec<usize> =
        binder.open_entries().into_iter().filter(|entry| binder.live[*entry].is_some()).collect();
    for (item, entry) in equal {
        let said = &binder.items[*item];
        if binder.entry_of_item[*item] != Some(*entry)
            || !said.telling.is_empty()
            || !binder.is_changed_there(*entry)
        {
            continue;
        }
        let says_more = |other: &usize| {
            let other = &binder.entries[*other];
            let is_said = |key: &str| said.keys.get(key).is_some_and(|hash| !hash.is_empty());
            let is_removed = |(key, pair): (&String, &HashPair)| {
                pair.file.is_some_and(|hash| !hash.is_empty()) && !is_said(key)
            };
            other.kind == said.item.kind && other.keys.iter().any(is_removed)
        };
        let mut entries: Vec<usize> = open.iter().copied().filter(says_more).collect();
        if !entries.is_empty() {
            entries.push(*entry);
            binder.refuse_unless_new(*item, Vec::new(), entries);
        }
    }
}

/// Refuses items that are bound to one of several equal entries which differ on the page, where the file has fewer of them than before: it
/// is unclear which of them it still has.
pub(super) fn refuse_fewer(binder: &mut Binder<'_>, groups: &[Vec<usize>]) {
    for group in groups {
        let bound: Vec<usize> =
            group.iter().filter_map(|entry| binder.item_of_entry[*entry]).collect();
        if bound.is_empty() || !binder.differ_on_page(group) {
            continue;
        }
        // Where there is doubt, an item that is said to be new is new.
        let (new, items): (Vec<usize>, Vec<usize>) =
            bound.into_iter().partition(|item| binder.is_new(*item));
        for item in new {
            binder.unbind(item);
        }
        if items.is_empty() {
            continue;
        }
        binder.refuse_ambiguous(items, group);
    }
}

/// Maximum number of elements that are compared, far more than a file and a record have: the time grows with its square.
const COMPARED: usize = 4_000;

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
