//! Items and slots with the hashes of their values.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::{FilePage, FileSlot, ValueHash};
use crate::apply::{SchemaNode, SlotTypes, tells};
use links_sdk::{Object, Slot};

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
    let mut rules = KeyRules::new(types);
    let item = |item: &'a FileSlot| {
        let hash = |(key, value): (&'a String, &Value)| (key.as_str(), ValueHash::of(value));
        let values = item.data.keys().filter_map(|key| Some((key.as_str(), item.value(key)?)));
        HashedItem {
            item,
            keys: item.data.iter().map(hash).collect(),
            telling: rules.telling(&item.kind, values),
        }
    };
    file.slots.iter().map(item).collect()
}

pub(super) fn hashed_slots<'a>(slots: &'a [Slot], types: &SlotTypes) -> Vec<HashedSlot<'a>> {
    let mut rules = KeyRules::new(types);
    let slot = |slot: &'a Slot| {
        let hash = |(key, value): (&'a String, &Value)| (key.as_str(), ValueHash::of(value));
        let keys: BTreeMap<&str, ValueHash> =
            slot.data.iter().map(hash).filter(|(_, hash)| !hash.is_empty()).collect();
        let mut is_writable = |key: &'a str| rules.of(&slot.kind, key).0;
        let writable = keys.keys().copied().filter(|key| is_writable(key)).collect();
        let values = slot.data.iter().map(|(key, value)| (key.as_str(), value));
        HashedSlot {
            slot,
            writable,
            telling: rules.telling(&slot.kind, values),
            is_editable: slot.supported && !types.is_read_only(&slot.kind),
            keys,
        }
    };
    slots.iter().map(slot).collect()
}

/// What the slot types say of the keys of slots. Each key of a type is looked up once, because slots of a type share their keys.
struct KeyRules<'t, 'a> {
    types: &'t SlotTypes,
    /// Whether a client may write the key, and its schema.
    known: HashMap<(&'a str, &'a str), (bool, Option<SchemaNode<'t>>)>,
}

impl<'t, 'a> KeyRules<'t, 'a> {
    fn new(types: &'t SlotTypes) -> Self {
        Self { types, known: HashMap::new() }
    }

    fn of(&mut self, kind: &'a str, key: &'a str) -> (bool, Option<SchemaNode<'t>>) {
        let types = self.types;
        *self.known.entry((kind, key)).or_insert_with(|| {
            let property = types.schema(kind).and_then(|schema| schema.property(key));
            (types.is_writable_key(kind, key), property)
        })
    }

    /// Returns the keys whose values identify a slot of a type.
    fn telling<'v>(
        &mut self,
        kind: &'a str,
        values: impl Iterator<Item = (&'a str, &'v Value)>,
    ) -> BTreeSet<&'a str> {
        let mut is_telling = |(key, value): &(&'a str, &Value)| {
            let (is_writable, property) = self.of(kind, key);
            is_writable && tells(value, property)
        };
        values.filter(|telling| is_telling(telling)).map(|(key, _)| key).collect()
    }
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
