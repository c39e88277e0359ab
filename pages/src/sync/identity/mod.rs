//! Identity: which slot each item of a file is. An item is bound to an entry of the record of the last sync, the entry to a slot of the
//! page by its id. The first of these rules that fits decides:
//!
//! 1. The `id` that the item gives, also an earlier id of the slot.
//! 2. Equal hashes of all keys that the file mentions: a longest common subsequence first, then anywhere.
//! 3. An item that equals a slot of the page which the last sync did not know is that slot (it was made on both sides).
//! 4. A telling value in common, most of them first, then neighbours in common.
//! 5. The only item and the only entry of a type between the same neighbours.
//! 6. An item that equals what the page has now in a slot that no other item is.
//!
//! Where nothing tells which of several slots an item is, and the slots differ on the page, it is refused.

mod adoption;
mod binder;
mod by_id;
mod equal;
mod resembling;

use std::collections::BTreeMap;

use self::adoption::{
    adopt_after_neighbour, adopt_equal, adopt_for_gone, adopt_nearest, bind_changed_there,
    bind_recreated, find_resembling, refuse_adopted, release_recreated,
};
use self::binder::Binder;
use self::by_id::{bind_by_id, bind_created, bind_read_only};
use self::equal::{bind_equal, refuse_fewer, refuse_reduced};
use self::resembling::{
    bind_between_neighbours, bind_for_gone, bind_resembling, find_doubtful, refuse_copies,
    refuse_edited_copies, refuse_untelling,
};
use super::hashed::{HashedItem, HashedSlot};
use super::{IdentityProblem, SlotBase};
use crate::apply::{PlanError, SlotTypes};
use links_sdk::SlotId;

/// What an item is. Without an entry and a position it is a new slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ItemIdentity {
    /// The index of its entry in the record, if the last sync knew the slot.
    pub(super) entry: Option<usize>,
    /// The position of its slot, if it is on the page.
    pub(super) position: Option<usize>,
}

/// What each item, each entry and each slot is.
#[derive(Debug)]
pub(super) struct Identities {
    pub(super) items: Vec<ItemIdentity>,
    /// For each entry, the item that is bound to it.
    pub(super) item_of_entry: Vec<Option<usize>>,
    /// For each entry, the position of its slot.
    pub(super) live: Vec<Option<usize>>,
    /// For each item without a slot, the new slots of the page that share a telling value with it, the most similar first.
    pub(super) resembling: Vec<Vec<usize>>,
    /// New items that may be slots which were deleted on the page.
    pub(super) doubtful: Vec<IdentityProblem>,
    /// The slots of the page that belong to no item and no entry.
    pub(super) made_there: Vec<usize>,
}

/// Finds what each item is: by the record of the last sync, never by its place or by the whole page.
///
/// `created` are the ids of slots that an interrupted run created, by item.
pub(super) fn identify(
    items: &[HashedItem<'_>],
    entries: &[SlotBase],
    slots: &[HashedSlot<'_>],
    types: &SlotTypes,
    created: &BTreeMap<usize, SlotId>,
) -> Result<Identities, PlanError> {
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
    bind_changed_there(&mut binder);
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

fn finished(mut binder: Binder<'_>) -> Result<Identities, PlanError> {
    let mut problems: Vec<IdentityProblem> = Vec::new();
    for problem in binder.problems.drain(..) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if !problems.is_empty() {
        return Err(PlanError::Unclear(problems));
    }
    let identity = |item: usize| {
        let entry = binder.entry_of_item[item];
        ItemIdentity { entry, position: binder.position_of(item) }
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
