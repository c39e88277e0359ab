//! Rule 5: the only item and the only entry of a type between the same neighbours.

use std::collections::BTreeMap;

use super::binder::Binder;

/// Binds an item to an entry where both are the only open ones of their type between two neighbours that are bound to each other. The ends
/// of the file are neighbours, too.
pub(super) fn bind_between_neighbours(binder: &mut Binder<'_>) {
    let open_items = binder.open_items();
    let open_entries = binder.open_entries();
    // Each gap by the entries of its neighbours.
    let mut gaps: BTreeMap<(Option<usize>, Option<usize>, &str), (Vec<usize>, Vec<usize>)> =
        BTreeMap::new();
    let is_bound = |entry: &usize| binder.item_of_entry[*entry].is_some();
    for item in open_items {
        let left = binder.entry_of_item[..item].iter().rev().find_map(|entry| *entry);
        let right = binder.entry_of_item[item + 1..].iter().find_map(|entry| *entry);
        let kind = binder.items[item].item.kind.as_str();
        gaps.entry((left, right, kind)).or_default().0.push(item);
    }
    for entry in open_entries {
        let left = (0..entry).rev().find(is_bound);
        let right = (entry + 1..binder.entries.len()).find(is_bound);
        let kind = binder.entries[entry].kind.as_str();
        if let Some((_, entries)) = gaps.get_mut(&(left, right, kind)) {
            entries.push(entry);
        }
    }
    for (items, entries) in gaps.into_values() {
        if let ([item], [entry]) = (&items[..], &entries[..]) {
            binder.bind_entry(*item, *entry);
        }
    }
}
