//! What may be done to reach what is wanted: options of a plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SlotTypes;
use links_sdk::{Object, Slot, SlotId};

/// Options of a plan, and the data that matching, merging and planning need.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Set to delete slots that are not in the file. Read-only and unsupported slots are kept.
    pub prune: bool,
    /// Set to delete unsupported slots that are not in the file. Supported slots are not affected.
    pub prune_unsupported: bool,
    /// Set if the file wins in a merge where the page changed. Slots that were created on the page are kept.
    pub overwrite: bool,
    /// Slot types of the service.
    pub types: SlotTypes,
    /// IDs of slots that an earlier run of the same file created, by the index of the item. An ID that is no longer on the page leads to a
    /// [`Notice`](super::Notice).
    pub created: BTreeMap<usize, SlotId>,
    /// Information for the journal about the merge, if the run carries out a merge.
    pub sync: Option<SyncedRun>,
    /// Fields of the status badge to write again if the status has expired.
    pub renewed_mood: Object,
    /// Maximum number of slots on a page. By default 500; `getMe` reports it as `limits.slotsPerProfile`.
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

/// Information in the journal about the merge that a run carries out. With it, a later run can distinguish the run's own writes from writes
/// of other clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedRun {
    /// The page file, with the Git branch that it is on: several branches can have the same record.
    pub file: String,
    /// Digest of the record of the last sync.
    pub base: String,
    /// Set if the file won where the page had changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overwrite: bool,
    /// Set if the file was compared only with the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Set if only slots that the record identifies could be written, and the record was kept separately.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
}

/// Reason why a slot that is not in the file stays on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RetainReason {
    /// Pruning was not requested.
    NotInFile,
    /// Slots of its type are never deleted.
    ReadOnly,
    /// A legacy slot, and pruning legacy slots was not requested.
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
