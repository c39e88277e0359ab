//! What a page should have, with the slot of each item: what a plan is made of.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::matching::match_items;
use super::plan_error::check_page;
use super::{DesiredPage, DesiredSlot, ItemError, PlanError, PlanOptions, SlotTypes};
use links_sdk::{Object, Slot, SlotId};

/// The content that a page should have, and the slot of each of its items. It is the result of [matching](Self::bind) or of a
/// [merge](crate::sync::Merge::wanted).
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The fields, and the slots in page order.
    pub page: Arc<DesiredPage>,
    /// For each slot of `page`, which item and which slot it is.
    pub bound: Vec<BoundItem>,
    /// IDs of the slots to delete, unless they belong to an item.
    pub deleted: BTreeSet<SlotId>,
    /// Set if a value counts as written even if the service stores it in another form. The next run does not depend on it to find the
    /// slots.
    pub is_by_id: bool,
    /// Items that fit no slot. No plan can be made.
    pub(crate) refused: Vec<ItemError>,
}

/// An item with its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundItem {
    /// The index of the item in the file. Plans, errors and [`PlanOptions::created`] identify items by it.
    pub item: usize,
    /// ID of the slot; `None` for a new slot.
    pub slot: Option<SlotId>,
}

impl Wanted {
    /// Finds the slot of each item of a file, by the rules of [this module](super).
    ///
    /// # Errors
    ///
    /// When the page cannot be trusted, or would have too many slots. Items that match no slot are errors of the plan.
    pub fn bind(
        page: &[Slot],
        desired: impl Into<Arc<DesiredPage>>,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        let desired = desired.into();
        let items = &desired.slots;
        check_page(page, items.len(), options.max_slots)?;
        let (found, refused) = match_items(page, items, options);
        let bound = found.into_iter().enumerate().map(|(item, slot)| BoundItem { item, slot });
        let bound = bound.collect();
        let deleted = page.iter().filter(|slot| options.prunes(slot)).map(|slot| slot.id).collect();
        Ok(Self { bound, deleted, is_by_id: false, refused, page: desired })
    }

    /// Returns the wanted content of a page whose items name all existing slots.
    pub fn by_id(page: impl Into<Arc<DesiredPage>>, deleted: BTreeSet<SlotId>) -> Self {
        let page = page.into();
        let slots = page.slots.iter().enumerate();
        let bound = slots.map(|(item, slot)| BoundItem { item, slot: slot.id }).collect();
        Self { bound, deleted, is_by_id: true, refused: Vec::new(), page }
    }

    /// Returns the same content with the slots that were `created` for its items.
    pub(super) fn with_created(
        mut self,
        page: &[Slot],
        created: &BTreeMap<usize, SlotId>,
        types: &SlotTypes,
    ) -> Self {
        let items = self.bound.iter_mut().zip(&self.page.slots);
        let items = items.map(|(bound, item)| (bound.item, &*item.kind, &mut bound.slot));
        take_created(items.collect(), page, created, types);
        self
    }

    /// Returns the wanted content of a page if only fields change.
    pub fn of_fields(page: &[Slot], fields: Object) -> Self {
        let slot = |slot: &Slot| DesiredSlot {
            id: Some(slot.id),
            kind: slot.kind.clone(),
            data: Object::default(),
        };
        let slots = page.iter().map(slot).collect();
        Self::by_id(DesiredPage { fields, slots }, BTreeSet::new())
    }
}

/// Gives each item without a slot the one that was created for it, by the index of the item in the file, if that is on the page and belongs to
/// no other item. The items have their indexes and types.
pub(crate) fn take_created(
    items: Vec<(usize, &str, &mut Option<SlotId>)>,
    page: &[Slot],
    created: &BTreeMap<usize, SlotId>,
    types: &SlotTypes,
) {
    let mut served: HashSet<SlotId> = items.iter().filter_map(|(.., slot)| **slot).collect();
    for (item, kind, slot) in items.into_iter().filter(|(.., slot)| slot.is_none()) {
        let Some(id) = created.get(&item) else { continue };
        let is_its = |it: &Slot| it.id == *id && it.kind == kind && types.is_editable(it);
        *slot = Some(*id).filter(|id| page.iter().any(is_its) && served.insert(*id));
    }
}
