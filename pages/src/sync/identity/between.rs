//! Rule 5: the only item and the only entry of a type between the same neighbours.

use std::collections::BTreeMap;

use super::super::hashed::HashedItem;
use super::super::{FileSlotId, IdentityProblem};
use super::binder::Binder;
use super::resembling::{common_values, neighbours};

/// Open items and entries of one type between two neighbours that are bound to each other.
type Gap = (Vec<usize>, Vec<usize>);

/// Binds an item to an entry where both are the only open ones of their type between two neighbours that are bound to each other. The ends
/// of the file are neighbours, too. An item that resembles a new slot of the page is left alone, and so
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

/// Binds an item to an entry whose slot was deleted on the page where it is the only one between two neighbours that mentions what the file said
/// of the slots there, and all of those are gone: it may be one of them, rewritten, and then it was changed here and deleted there.
pub(super) fn bind_for_gone(binder: &mut Binder<'_>) {
    for (items, entries) in gaps(binder) {
        let is_gone = |entry: &usize| binder.live[*entry].is_none();
        let fits = |item: &usize| {
            let HashedItem { item: said, keys, .. } = &binder.items[*item];
            let keys: Vec<&str> = keys.keys().copied().collect();
            let same_keys = entries.iter().filter(|entry| said_keys(binder, **entry) == keys);
            // The one that shares most values with the item, else the first.
            let entry = same_keys.rev().max_by_key(|entry| common_values(binder, *item, **entry));
            entry.copied().filter(|_| said.id != FileSlotId::New).map(|entry| (*item, entry))
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

/// Finds new items that may be slots which were deleted on the page: they are between the same neighbours, mention the same keys, and
/// several fit.
pub(super) fn find_doubtful(binder: &Binder<'_>) -> Vec<IdentityProblem> {
    let doubtful = |(mut items, mut entries): Gap| {
        items.retain(|item| binder.items[*item].item.id != FileSlotId::New);
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
        let ids = binder.ids(&entries);
        binder.problems.push(IdentityProblem::Ambiguous { items, ids });
    }
}

fn gaps(binder: &Binder<'_>) -> Vec<Gap> {
    // Each gap by the entries of its neighbours.
    let mut gaps: BTreeMap<(Option<usize>, Option<usize>, &str), Gap> = BTreeMap::new();
    let of_items = neighbours(&binder.entry_of_item);
    let bound = binder.item_of_entry.iter().enumerate();
    let bound: Vec<Option<usize>> = bound.map(|(entry, item)| item.map(|_| entry)).collect();
    let of_entries = neighbours(&bound);
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
