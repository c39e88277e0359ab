//! The rules in the order in which they are tried, on which everything depends.

use std::collections::BTreeMap;

use super::adoption::{
    adopt_after_neighbour, adopt_equal, adopt_for_gone, adopt_nearest, bind_changed_there,
    bind_recreated, find_resembling, refuse_adopted, release_recreated,
};
use super::exact::{bind_by_id, bind_created, bind_read_only};
use super::exact::{bind_equal, refuse_fewer, refuse_reduced};
use super::resembling::{
    bind_between_neighbours, bind_for_gone, bind_resembling, find_doubtful, refuse_copies,
    refuse_edited_copies, refuse_untelling,
};
use super::{Binder, Identities, ItemIdentity};
use crate::apply::{IdentityProblem, PlanError, SlotTypes};
use crate::sync::{HashedItem, HashedSlot, SlotBase};
use links_sdk::SlotId;

/// Finds what each item is: by the record of the last sync, never by its place or by the whole page.
///
/// `created` are the IDs of slots that an interrupted run created, by item.
pub(in super::super) fn identify(
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
