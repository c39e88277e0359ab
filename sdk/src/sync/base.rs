//! Record of the last sync of a page.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::unique_map::unique_map;
use super::{HashPair, ValueHash};

/// Record of the last sync of a page and its file: identities and hashes, never content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageBase {
    /// Id of the page.
    pub id: i64,
    /// Login of the page.
    pub login: String,
    /// Pairs of the profile fields. A field without a pair has never been read.
    #[serde(deserialize_with = "unique_map")]
    pub fields: BTreeMap<String, HashPair>,
    /// The slots that the file holds, in the order that file and page last agreed on. Slots that were deleted on the page stay here until
    /// their item goes.
    pub slots: Vec<SlotBase>,
}

/// Record of the last sync of a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotBase {
    /// Id of the slot.
    pub id: i64,
    /// Earlier ids of the slot, which was deleted and created again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<i64>,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Pairs of the keys of its data. A key without a pair was neither in the file nor on the page. Slots that cannot be edited have none.
    #[serde(deserialize_with = "unique_map")]
    pub keys: BTreeMap<String, HashPair>,
}

impl SlotBase {
    /// Returns the pair of a key.
    pub fn pair(&self, key: &str) -> HashPair {
        self.keys.get(key).copied().unwrap_or(HashPair::UNMENTIONED)
    }

    /// Returns whether this is or was the id of the slot.
    pub fn is_named(&self, id: i64) -> bool {
        self.id == id || self.was.contains(&id)
    }
}

impl PageBase {
    /// Returns a short digest, which two equal records share.
    pub fn digest(&self) -> String {
        ValueHash::of(&serde_json::to_value(self).unwrap_or_default()).to_string()
    }

    /// Returns an id that two slots have, or a slot has twice.
    pub(super) fn repeated_id(&self) -> Option<i64> {
        let mut seen = BTreeSet::new();
        let ids = self.slots.iter().flat_map(|slot| std::iter::once(&slot.id).chain(&slot.was));
        ids.copied().find(|id| !seen.insert(*id))
    }
}
