//! Steps of a run, and the changes that they made.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{FieldsRequest, PlanBatch};
use links_sdk::SlotId;

/// Step of a run, for its observer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Step {
    /// The page is created.
    CreatePage,
    /// Profile fields are written.
    Fields(FieldsRequest),
    /// This number of slots is updated.
    Update(usize),
    /// The creates are sent as a dry run.
    TryCreate(usize),
    /// This number of slots is created.
    Create(usize),
    /// The page is reordered.
    Reorder,
    /// The page is read again, because deletes cannot be undone.
    Check,
    /// This number of slots is deleted.
    Delete(usize),
    /// The page is read to check that it matches the file.
    Verify,
}

/// Changes that a run has made so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AppliedChanges {
    /// Set if the page was created.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_page_created: bool,
    /// Names of the profile fields that were written.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub fields: BTreeSet<String>,
    /// Number of slots that were updated.
    pub updated: usize,
    /// IDs of new slots, by the index of their item in the file.
    pub created: BTreeMap<usize, SlotId>,
    /// Set if the page was reordered.
    pub reordered: bool,
    /// Number of slots that were deleted.
    pub deleted: usize,
}

impl AppliedChanges {
    /// Returns whether nothing was written.
    pub fn is_nothing(&self) -> bool {
        self == &Self::default()
    }

    /// Returns the changes made after `before`.
    pub(super) fn since(&self, before: &Self) -> Self {
        let is_new = |(index, id): &(&usize, &SlotId)| before.created.get(index) != Some(id);
        Self {
            is_page_created: self.is_page_created && !before.is_page_created,
            fields: self.fields.difference(&before.fields).cloned().collect(),
            updated: self.updated.saturating_sub(before.updated),
            created: self.created.iter().filter(is_new).map(|(index, id)| (*index, *id)).collect(),
            reordered: self.reordered && !before.reordered,
            deleted: self.deleted.saturating_sub(before.deleted),
        }
    }
}

impl From<PlanBatch<'_>> for Step {
    fn from(batch: PlanBatch<'_>) -> Self {
        match batch {
            PlanBatch::Fields(request, _) => Self::Fields(request),
            PlanBatch::Update(updates) => Self::Update(updates.len()),
            PlanBatch::TryCreate(creates) => Self::TryCreate(creates.len()),
            PlanBatch::Create(creates) => Self::Create(creates.len()),
            PlanBatch::Reorder => Self::Reorder,
            PlanBatch::MakeRoom(deletes) | PlanBatch::Delete(deletes) => {
                Self::Delete(deletes.len())
            }
        }
    }
}
