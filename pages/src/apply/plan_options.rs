//! Options of a plan.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{DesiredSlot, SlotTypes};
use links_sdk::SlotId;
use links_sdk::{Object, Slot};

/// Options of a plan, and the facts that planning needs.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Set to delete the slots that the file does not mention. Read-only and unsupported ones stay.
    pub prune: bool,
    /// Set to delete the unsupported slots that the file does not mention. The supported ones are not affected.
    pub prune_unsupported: bool,
    /// Slot types of the service.
    pub types: SlotTypes,
    /// Ids of slots that an earlier run of the same file created, by the index of the item. An id that is not on the page any more
    /// leads to a [`Notice`](super::Notice).
    pub created: BTreeMap<usize, SlotId>,
    /// Items without an id, by index, that match only the slot that [`created`](Self::created) has for them, or a slot with exactly their
    /// content, apart from what [`types`](Self::types) says that the service fills in. Any other slot, however it resembles such an item,
    /// is another one, and the item is created.
    pub exact: BTreeSet<usize>,
    /// Decisions of a three-way merge, if the desired page is the result of one. Its slots are then matched by their ids only, and
    /// [`prune`](Self::prune) is not looked at.
    pub merged: Option<MergedItems>,
    /// Fields of the status badge to write again if the status has expired.
    pub renewed_mood: Object,
    /// Maximum number of slots on a page. 500 (the interface, section 8); `getMe` reports it as `limits.slotsPerProfile`.
    pub max_slots: usize,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            prune: false,
            prune_unsupported: false,
            types: SlotTypes::default(),
            created: BTreeMap::new(),
            exact: BTreeSet::new(),
            merged: None,
            renewed_mood: Object::default(),
            max_slots: 500,
        }
    }
}

/// Decisions of a three-way merge about the slots of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedItems {
    /// For each slot of the desired page, the index of its item in the file. Plans and errors name items by it, and
    /// [`PlanOptions::created`] too.
    pub items: Vec<usize>,
    /// Ids of the supported slots to delete, and of no others.
    pub deleted: BTreeSet<SlotId>,
    /// What the journal says of the merge.
    pub run: Option<SyncedRun>,
}

/// What the journal of a run says of the merge that the run carries out, so that a later run can tell its writes from those of other clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedRun {
    /// The page file.
    pub file: String,
    /// [Digest](crate::sync::PageBase::digest) of the record of the last sync.
    pub base: String,
    /// Set if the file won where the page had changed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overwrite: bool,
    /// Set if the file was compared with the page alone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact: bool,
    /// Set if only what the record identified could be written, and the record was kept apart.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Reason why a slot that the file does not mention stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RetainReason {
    /// Pruning was not asked for.
    NotInFile,
    /// Slots of its type are never deleted.
    ReadOnly,
    /// A legacy slot, and pruning those was not asked for.
    Unsupported,
}

impl PlanOptions {
    /// Returns whether an item matches only a slot with exactly its content.
    pub(super) fn is_exact(&self, index: usize, item: &DesiredSlot) -> bool {
        item.id.is_none() && self.exact.contains(&index)
    }

    /// Returns the index in the file of a slot of the desired page.
    pub(super) fn item(&self, position: usize) -> usize {
        self.merged.as_ref().and_then(|it| it.items.get(position).copied()).unwrap_or(position)
    }

    /// Returns why a slot that no item matched is kept; `None`: it is deleted.
    pub(super) fn keeps(&self, slot: &Slot) -> Option<RetainReason> {
        if self.types.is_read_only(&slot.kind) {
            Some(RetainReason::ReadOnly)
        } else if !slot.supported {
            (!self.prune_unsupported).then_some(RetainReason::Unsupported)
        } else if let Some(merged) = &self.merged {
            (!merged.deleted.contains(&slot.id)).then_some(RetainReason::NotInFile)
        } else {
            (!self.prune).then_some(RetainReason::NotInFile)
        }
    }
}
