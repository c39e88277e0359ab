//! Rule 1: items that name an id, items of which an interrupted run noted the id, and items of types that can only be read and moved, which
//! are found by id, or by content that only one slot has.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::super::{FileSlotId, IdentityProblem};
use super::adoption::adopt_for_unknown_id;
use super::binder::Binder;
use crate::apply::{ItemProblem, choose_read_only, may_be_stored_as, same};
use links_sdk::SlotId;

/// Binds items by the ids that the file gives, also by earlier ids of a slot. An item whose id is unknown is the new slot of the page that
/// equals it, if there is one: the slot was deleted and created again, and the file is that from before.
pub(super) fn bind_by_id(binder: &mut Binder<'_>) {
    let mut named: HashMap<SlotId, usize> = HashMap::new();
    let mut unknown: Vec<(usize, SlotId)> = Vec::new();
    for item in 0..binder.items.len() {
        let FileSlotId::Id(id) = binder.items[item].item.id else { continue };
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

/// Binds items to the slots that an interrupted run created for them.
pub(super) fn bind_created(binder: &mut Binder<'_>, created: &BTreeMap<usize, SlotId>) {
    let open = binder.open_items();
    for (item, id) in created {
        let is_entry = |entry: &usize| binder.entries[*entry].id == *id;
        if let Some(entry) = binder.open_entries().into_iter().find(is_entry)
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

/// Binds items of read-only types that have no id. No other rule is tried for them.
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
