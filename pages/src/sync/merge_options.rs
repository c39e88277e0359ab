//! Options of a merge.

use std::collections::BTreeMap;

use crate::apply::SlotTypes;
use links_sdk::SlotId;

/// Options of a merge, and the facts that it needs.
#[derive(Clone, Debug, Default)]
pub struct MergeOptions {
    /// Set if the file wins where the page changed. Slots that were made on the page stay.
    pub overwrite: bool,
    /// Set to delete the slots that were made on the page.
    pub prune: bool,
    /// Set to compare the file with the page alone: decides as `overwrite`, so that every difference counts as one to write. The record is
    /// used only to find the slots, and for values that the service normalises.
    pub exact: bool,
    /// Slot types of the service.
    pub types: SlotTypes,
    /// Ids of slots that an interrupted run created, by the index of the item in the file.
    pub created: BTreeMap<usize, SlotId>,
}
