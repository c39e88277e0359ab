//! Comparison without a record of the last sync.

use std::collections::BTreeMap;

use serde_json::Value;

use super::comparison::Comparison;
use super::hashed::{hashed_items, hashed_slots};
use super::identity::{Identities, ItemIdentity};
use super::{FilePage, FileSlot, FileSlotId, LivePage, PageBase, SyncError};
use crate::apply::{
    DesiredSlot, PlanError, PlanOptions, SlotTypes, matched_slots, may_be_stored_as, same,
};
use links_sdk::Object;
use links_sdk::SlotId;

/// Compares a file with a page that were never synced, or whose record is lost. The slots are found by the rules of [`crate::apply`].
/// `none` is an empty record.
pub(super) fn two_way<'a>(
    none: &'a PageBase,
    file: &'a FilePage,
    page: &'a LivePage,
    types: &SlotTypes,
    created: &BTreeMap<usize, SlotId>,
) -> Result<Comparison<'a>, SyncError> {
    let desired: Vec<DesiredSlot> = file
        .slots
        .iter()
        .map(|item| DesiredSlot {
            id: match item.id {
                FileSlotId::Id(id) => Some(id),
                // Without a record, a slot that an earlier run made for the item cannot be told from one that another client made.
                FileSlotId::Absent | FileSlotId::New => None,
            },
            kind: item.kind.clone(),
            data: as_stored(item, page),
        })
        .collect();
    let options =
        PlanOptions { types: types.clone(), created: created.clone(), ..PlanOptions::default() };
    let found = matched_slots(&page.slots, &desired, &options).map_err(PlanError::Items)?;
    let position = |id: SlotId| page.slots.iter().position(|slot| slot.id == id);
    let items: Vec<ItemIdentity> = found
        .into_iter()
        .map(|id| id.and_then(position).map_or(ItemIdentity::New, ItemIdentity::Unrecorded))
        .collect();
    let is_made = |position: &usize| !items.contains(&ItemIdentity::Unrecorded(*position));
    let identities = Identities {
        made_there: (0..page.slots.len()).filter(is_made).collect(),
        item_of_entry: Vec::new(),
        live: Vec::new(),
        doubtful: Vec::new(),
        resembling: vec![Vec::new(); items.len()],
        items,
    };
    let (items, slots) = (hashed_items(file, types), hashed_slots(&page.slots, types));
    Ok(Comparison::with_identities(none, file, page, items, slots, identities))
}

/// Returns the data of an item, with the values that the service may have stored for it on this page: it finds its slot by them.
fn as_stored(item: &FileSlot, page: &LivePage) -> Object {
    let stored = |(key, value): (String, Value)| {
        let slots = page.slots.iter().filter(|slot| slot.kind == item.kind);
        let held: Vec<&Value> = slots.filter_map(|slot| slot.data.get(&key)).collect();
        let is_held = held.iter().any(|held| same(held, &value));
        let form = held.into_iter().find(|held| !is_held && may_be_stored_as(&value, held));
        let form = form.cloned();
        (key, form.unwrap_or(value))
    };
    item.values().0.into_iter().map(stored).collect()
}
