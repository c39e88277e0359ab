//! Record of the last sync of a page.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::unique_map::unique_map;
use super::{HashPair, LivePage, ValueHash};
use links_sdk::{ProfileId, SlotId};

/// Record of the last sync of a page and its file: identities and hashes, never content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageBase {
    /// Id of the page.
    pub id: ProfileId,
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
    pub id: SlotId,
    /// Earlier ids of the slot, which was deleted and created again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<SlotId>,
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
    pub fn is_named(&self, id: SlotId) -> bool {
        self.id == id || self.was.contains(&id)
    }
}

impl PageBase {
    /// Returns a short digest, which two equal records share.
    pub fn digest(&self) -> String {
        ValueHash::of_bytes(&serde_json::to_vec(self).unwrap_or_default()).to_string()
    }

    /// Makes the order one that neither the file nor the page has, if theirs differ: nothing tells which of the two is newer, so that both count
    /// as changed. Two slots have no third order; theirs counts as changed on the page.
    pub fn forget_order(&mut self, page: &LivePage) {
        let on_page: Vec<SlotId> = page.slots.iter().map(|slot| slot.id).collect();
        let place = |entry: &SlotBase| on_page.iter().position(|id| *id == entry.id);
        let places: Vec<usize> =
            (0..self.slots.len()).filter(|nth| place(&self.slots[*nth]).is_some()).collect();
        let file: Vec<usize> = places.iter().filter_map(|nth| place(&self.slots[*nth])).collect();
        if file.is_sorted() {
            return;
        }
        let reversed = (0..file.len()).rev().collect::<Vec<_>>();
        let rotated = (1..file.len()).chain([0]).collect::<Vec<_>>();
        let swapped = [1, 0].into_iter().chain(2..file.len()).collect::<Vec<_>>();
        let is_third = |order: &Vec<usize>| !order.iter().map(|nth| file[*nth]).is_sorted();
        let Some(order) = [reversed, rotated, swapped].into_iter().find(is_third) else { return };
        let moved: Vec<SlotBase> =
            order.iter().map(|nth| self.slots[places[*nth]].clone()).collect();
        for (nth, entry) in places.into_iter().zip(moved) {
            self.slots[nth] = entry;
        }
    }

    /// Returns an id that two slots have, or a slot has twice.
    pub(super) fn repeated_id(&self) -> Option<SlotId> {
        let mut seen = BTreeSet::new();
        let ids = self.slots.iter().flat_map(|slot| std::iter::once(&slot.id).chain(&slot.was));
        ids.copied().find(|id| !seen.insert(*id))
    }
}
