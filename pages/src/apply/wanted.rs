//! What a page should have, with the slot of each item: what a plan is made of.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::matching::match_items;
use super::plan_error::check_page;
use super::{DesiredPage, DesiredSlot, ItemError, PlanError, PlanOptions};
use links_sdk::{Object, Slot, SlotId};

/// What a page should have, and which slot each of its items is: the result of [matching](Self::bind) or of a
/// [merge](crate::sync::Merge::wanted).
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The fields, and the slots in page order.
    pub page: Arc<DesiredPage>,
    /// For each slot of `page`, which item and which slot it is.
    pub bound: Vec<BoundItem>,
    /// Ids of the slots to delete, unless an item is one of them.
    pub deleted: BTreeSet<SlotId>,
    /// Set if a value that the service stores in another form than it was sent in counts as written: the slots of the next run do not
    /// depend on it.
    pub is_by_id: bool,
    /// Items that fit no slot. No plan can be made.
    pub(crate) refused: Vec<ItemError>,
}

/// An item with its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundItem {
    /// The index of the item in the file. Plans and errors name items by it, and [`PlanOptions::created`] too.
    pub item: usize,
    /// Id of the slot; `None`: it is a new one.
    pub slot: Option<SlotId>,
}

impl Wanted {
    /// Finds the slot of each item of a file, by the rules of [this module](super).
    ///
    /// # Errors
    ///
    /// When the page cannot be trusted, or would have too many slots. Items that fit no slot are errors of the plan.
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

    /// Returns what is wanted of a page whose items name all slots that they do not make.
    pub fn by_id(page: impl Into<Arc<DesiredPage>>, deleted: BTreeSet<SlotId>) -> Self {
        let page = page.into();
        let slots = page.slots.iter().enumerate();
        let bound = slots.map(|(item, slot)| BoundItem { item, slot: slot.id }).collect();
        Self { bound, deleted, is_by_id: true, refused: Vec::new(), page }
    }

    /// Returns what is wanted of a page of which only fields change.
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
