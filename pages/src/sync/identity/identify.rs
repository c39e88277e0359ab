//! Search for the slot of each item.

use std::collections::BTreeMap;

use super::super::hashed::{HashedItem, HashedSlot};
use super::super::{IdentityError, IdentityProblem, SlotBase};
use super::adoption::{
    adopt_after_neighbour, adopt_equal, adopt_for_gone, adopt_nearest, find_resembling,
    refuse_adopted,
};
use super::between::{bind_between_neighbours, bind_for_gone, find_doubtful, refuse_untelling};
use super::binder::Binder;
use super::by_id::{bind_by_id, bind_created};
use super::equal::{bind_equal, refuse_fewer, refuse_reduced};
use super::read_only::bind_read_only;
use super::recreated::{bind_recreated, release_recreated};
use super::resembling::{bind_resembling, refuse_copies, refuse_edited_copies};
use crate::apply::SlotTypes;
use links_sdk::SlotId;

/// What an item is. Slots are named by their position on the page, entries by their index in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sync) enum ItemIdentity {
    /// A new slot.
    New,
    /// A slot of the page that the last sync did not know.
    Unrecorded(usize),
    /// A slot that the last sync knew, with its place on the page if it is there.
    Recorded(usize, Option<usize>),
}

/// What each item, each entry and each slot is.
#[derive(Debug)]
pub(in crate::sync) struct Identities {
    pub(in crate::sync) items: Vec<ItemIdentity>,
    /// For each entry, the item that is bound to it.
    pub(in crate::sync) item_of_entry: Vec<Option<usize>>,
    /// For each entry, the position of its slot.
    pub(in crate::sync) live: Vec<Option<usize>>,
    /// For each item without a slot, the new slots of the page that share a telling value with it, the most similar first.
    pub(in crate::sync) resembling: Vec<Vec<usize>>,
    /// New items that may be slots which were deleted on the page.
    pub(in crate::sync) doubtful: Vec<IdentityProblem>,
    /// The slots of the page that belong to no item and no entry.
    pub(in crate::sync) made_there: Vec<usize>,
}

/// Finds what each item is: by the record of the last sync, never by its place or by the whole page.
///
/// `created` are the ids of slots that an interrupted run created, by item.
pub(in crate::sync) fn identify(
    items: &[HashedItem<'_>],
    entries: &[SlotBase],
    slots: &[HashedSlot<'_>],
    types: &SlotTypes,
    created: &BTreeMap<usize, SlotId>,
) -> Result<Identities, IdentityError> {
    let mut binder = Binder::new(items, entries, slots, types);
    bind_recreated(&mut binder);
    bind_by_id(&mut binder);
    bind_created(&mut binder, created);
    bind_read_only(&mut binder);
    let (fewer, equal) = bind_equal(&mut binder);
    adopt_nearest(&mut binder);
    bind_resembling(&mut binder);
    find_resembling(&mut binder);
    bind_between_neighbours(&mut binder);
    adopt_for_gone(&mut binder);
    refuse_fewer(&mut binder, &fewer);
    release_recreated(&mut binder);
    adopt_equal(&mut binder);
    adopt_after_neighbour(&mut binder);
    bind_for_gone(&mut binder);
    refuse_untelling(&mut binder);
    refuse_reduced(&mut binder, &equal);
    refuse_adopted(&mut binder);
    refuse_copies(&mut binder, &equal);
    refuse_edited_copies(&mut binder, &equal);
    find_resembling(&mut binder);
    finished(binder)
}

fn finished(mut binder: Binder<'_>) -> Result<Identities, IdentityError> {
    if !binder.problems.is_empty() {
        return Err(IdentityError(merged(std::mem::take(&mut binder.problems))));
    }
    let identity = |item: usize| match (binder.entry_of_item[item], binder.slot_of_item[item]) {
        (Some(entry), _) => ItemIdentity::Recorded(entry, binder.live[entry]),
        (None, Some(position)) => ItemIdentity::Unrecorded(position),
        (None, None) => ItemIdentity::New,
    };
    Ok(Identities {
        items: (0..binder.items.len()).map(identity).collect(),
        doubtful: find_doubtful(&binder),
        made_there: (0..binder.slots.len()).filter(|position| !binder.taken[*position]).collect(),
        item_of_entry: binder.item_of_entry,
        live: binder.live,
        resembling: binder.resembling,
    })
}

/// Returns the problems without those that another one includes.
fn merged(problems: Vec<IdentityProblem>) -> Vec<IdentityProblem> {
    let mut kept: Vec<IdentityProblem> = Vec::new();
    for problem in problems {
        if !kept.contains(&problem) {
            kept.push(problem);
        }
    }
    kept
}
