//! What may be done to reach what is wanted: options of a plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SlotTypes;
use links_sdk::{Object, Slot, SlotId};

/// Options of a plan, and the facts that matching, merging and planning need.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Set to delete the slots that the file does not mention. Read-only and unsupported ones stay.
    pub prune: bool,
    /// Set to delete the unsupported slots that the file does not mention. The supported ones are not affected.
    pub prune_unsupported: bool,
    /// Set if the file wins a merge where the page changed. Slots that were made on the page stay.
    pub overwrite: bool,
    /// Slot types of the service.
    pub types: SlotTypes,
    /// Ids of slots that an earlier run of the same file created, by the index of the item. An id that is not on the page any more
    /// leads to a [`Notice`](super::Notice).
    pub created: BTreeMap<usize, SlotId>,
    /// What the journal says of the merge, if a run carries out the result of one.
    pub sync: Option<SyncedRun>,
    /// Fields of the status badge to write again if the status has expired.
    pub renewed_mood: Object,
    /// Maximum number of slots on a page. 500; `getMe` reports it as `limits.slotsPerProfile`.
    pub max_slots: usize,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            prune: false,
            prune_unsupported: false,
            overwrite: false,
            types: SlotTypes::default(),
            created: BTreeMap::new(),
            sync: None,
            renewed_mood: Object::default(),
            max_slots: 500,
        }
    }
}

/// What the journal of a run says of the merge that the run carries out, so that a later run can tell its writes from those of other clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedRun {
    /// The page file.
    pub file: String,
    /// [Digest](crate::sync::PageBase::digest) of the record of the last sync.
    pub base: String,
    /// Set if the file won where the page had changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overwrite: bool,
    /// Set if the file was compared with the page alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Set if only what the record identified could be written, and the record was kept apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
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

impl RetainReason {
    /// Returns why a slot stays that the file does not mention, where nothing asks to delete it.
    pub(super) fn of(slot: &Slot, types: &SlotTypes) -> Self {
        if types.is_read_only(&slot.kind) {
            Self::ReadOnly
        } else if slot.supported {
            Self::NotInFile
        } else {
            Self::Unsupported
        }
    }
}

impl PlanOptions {
    /// Returns whether a slot that the file does not mention is to be deleted.
    pub(crate) fn prunes(&self, slot: &Slot) -> bool {
        match RetainReason::of(slot, &self.types) {
            RetainReason::NotInFile => self.prune,
            RetainReason::Unsupported => self.prune_unsupported,
            RetainReason::ReadOnly => false,
        }
    }
}
