//! Items and slots with the hashes of their values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{FilePage, FileSlot, ValueHash};
use crate::apply::{SlotTypes, tells};
use crate::{Object, Slot};

/// An item of the file.
#[derive(Debug)]
pub(super) struct HashedItem<'a> {
    pub(super) item: &'a FileSlot,
    /// Hashes of the keys that the item mentions.
    pub(super) keys: BTreeMap<&'a str, ValueHash>,
    /// The keys whose values identify a slot.
    pub(super) telling: BTreeSet<&'a str>,
}

/// A slot of the page.
#[derive(Debug)]
pub(super) struct HashedSlot<'a> {
    pub(super) slot: &'a Slot,
    /// Hashes of the keys that are not empty.
    keys: BTreeMap<&'a str, ValueHash>,
    /// The keys among them that a client may write.
    writable: BTreeSet<&'a str>,
    /// The keys whose values identify a slot.
    pub(super) telling: BTreeSet<&'a str>,
    /// Set unless the slot can only be read and moved.
    pub(super) is_editable: bool,
}

pub(super) fn hashed_items<'a>(file: &'a FilePage, types: &SlotTypes) -> Vec<HashedItem<'a>> {
    let item = |item: &'a FileSlot| {
        let hash = |(key, value): (&'a String, &Value)| (key.as_str(), ValueHash::of(value));
        let values = item.data.keys().filter_map(|key| Some((key, item.value(key)?)));
        HashedItem {
            item,
            keys: item.data.iter().map(hash).collect(),
            telling: telling(&item.kind, values, types),
        }
    };
    file.slots.iter().map(item).collect()
}

pub(super) fn hashed_slots<'a>(slots: &'a [Slot], types: &SlotTypes) -> Vec<HashedSlot<'a>> {
    let slot = |slot: &'a Slot| {
        let hash = |(key, value): (&'a String, &Value)| (key.as_str(), ValueHash::of(value));
        let keys: BTreeMap<&str, ValueHash> =
            slot.data.iter().map(hash).filter(|(_, hash)| !hash.is_empty()).collect();
        let writable =
            keys.keys().copied().filter(|key| types.is_writable_key(&slot.kind, key)).collect();
        HashedSlot {
            slot,
            writable,
            telling: telling(&slot.kind, slot.data.iter(), types),
            is_editable: slot.supported && !types.is_read_only(&slot.kind),
            keys,
        }
    };
    slots.iter().map(slot).collect()
}

fn telling<'a, 'v>(
    kind: &str,
    values: impl Iterator<Item = (&'a String, &'v Value)>,
    types: &SlotTypes,
) -> BTreeSet<&'a str> {
    let schema = types.schema(kind);
    values
        .filter(|(key, value)| {
            types.is_writable_key(kind, key)
                && tells(value, schema.and_then(|schema| schema.property(key)))
        })
        .map(|(key, _)| key.as_str())
        .collect()
}

impl<'a> HashedSlot<'a> {
    /// Returns the hash of a key.
    pub(super) fn hash(&self, key: &str) -> ValueHash {
        self.keys.get(key).copied().unwrap_or(ValueHash::EMPTY)
    }

    /// Returns the keys that are not empty and that a client may write.
    pub(super) fn writable_keys(&self) -> impl Iterator<Item = &'a str> {
        self.writable.iter().copied()
    }

    /// Returns the hashes of the keys that a client may write.
    pub(super) fn writable_hashes(&self) -> BTreeMap<&'a str, ValueHash> {
        self.writable.iter().map(|key| (*key, self.hash(key))).collect()
    }

    /// Returns the value of a key.
    pub(super) fn value(&self, key: &str) -> &'a Value {
        value(&self.slot.data, key)
    }
}

/// Returns the value of a key; null where it is absent.
pub(super) fn value<'a>(data: &'a Object, key: &str) -> &'a Value {
    data.get(key).unwrap_or(&Value::Null)
}
