//! Three-way sync of page files with pages: changes in the file, changes on the page, and conflicts between them.
//!
//! Everything here is a pure function on plain data. The record of the last sync, [`PageBase`], has a pair of hashes for each value: the
//! value in the file, and the value that the page stored. [`Merge`] decides what to write to the page, [`Pull`] what to write into the
//! file, and both return the record of the next sync. [`Lock`] is the document `links.lock` with the records of an account.
//!
//! For every value, compared with the record of the last sync:
//!
//! | file | page | [`Merge`] | [`Pull`] |
//! |---|---|---|---|
//! | same value in both | | nothing | nothing |
//! | changed | unchanged | written | not changed |
//! | unchanged | changed | kept, and listed as [`RemoteChange`] | written into the file |
//! | changed | changed | [`Conflict`] | [`ConflictMark`]; the file keeps its value |
//! | missing | any | not changed | written into the file if it changed |
//!
//! Slots in the record of the last sync that are missing from the file are deleted, unless they changed on the page. Slots that are missing
//! from the page are not created again. Slots that exist only on the page are kept. The order of the slots counts as one value.
//!
//! ```
//! use links_pages::apply::PlanOptions;
//! use links_pages::sync::{FilePage, LivePage, Merge, Pull, RemoteChange};
//! use serde_json::json;
//!
//! let file: FilePage = serde_json::from_value(json!({"slots": [{"type": "text", "data": {"title": "Hours"}}]}))?;
//! let page = |title: &str, note: &str| {
//!     let slots = json!([{"id": 7, "type": "text", "data": {"title": title, "note": note}, "supported": true}]);
//!     serde_json::from_value::<LivePage>(json!({"id": 1, "login": "cafe", "fields": {}, "slots": slots}))
//! };
//! let options = PlanOptions::default();
//! let first = Merge::new(None, &file, &page("Hours", "")?, &options)?;
//! let base = first.base_after(None, &file, &page("Hours", "")?, &Default::default(), &options.types);
//!
//! // Another client changes the title; the file changes nothing.
//! let merge = Merge::new(Some(&base), &file, &page("Opening hours", "")?, &options)?;
//! assert!(matches!(merge.remote[..], [RemoteChange::Key { .. }]));
//! let pull = Pull::new(Some(&base), &file, &page("Opening hours", "")?, &options.types, &Default::default())?;
//! assert_eq!(pull.keys[0].value, "Opening hours");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use base::{HashPair, PageBase, SlotBase, held_slots};
pub use conflict::{
    Conflict, ConflictMark, Deletion, DeletionReason, PulledItem, PulledKey, RemoteChange,
    Replaced, SyncNote,
};
pub use file_page::{FilePage, FileSlot, FileSlotId, LivePage};
pub use known_base::{KnownBase, LineContent, LineKey, Lines, LockLine, RecordHistory};
use links_sdk::{Object, Slot};
pub use lock::{Lock, LockFileError, PageName, RecordOf};
pub use merge::Merge;
pub use next_base::sent_keys;
pub use pull::Pull;
use serde_json::Value;

pub use crate::apply::value_hash::ValueHash;
use crate::apply::{SchemaNode, SlotTypes, tells};

mod base;
mod bound;
mod conflict;
mod file_page;
mod identity;
mod known_base;
mod lock;
mod merge;
mod next_base;
mod pull;
#[cfg(test)]
mod tests;

/// An item of the file.
#[derive(Debug)]
struct HashedItem<'a> {
    item: &'a FileSlot,
    /// Hashes of the keys that the item mentions.
    keys: BTreeMap<&'a str, ValueHash>,
    /// The keys whose values identify a slot.
    telling: BTreeSet<&'a str>,
}

/// A slot of the page.
#[derive(Debug)]
struct HashedSlot<'a> {
    slot: &'a Slot,
    /// Hashes of the keys that are not empty.
    keys: BTreeMap<&'a str, ValueHash>,
    /// The keys among them that a client may write.
    writable: BTreeSet<&'a str>,
    /// The keys whose values identify a slot.
    telling: BTreeSet<&'a str>,
    /// Set unless the slot can only be read and moved.
    is_editable: bool,
}

/// Returns the keys of data, each with the hash of its value.
fn hashes(data: &Object) -> impl Iterator<Item = (&str, ValueHash)> {
    data.iter().map(|(key, value)| (key.as_str(), ValueHash::of(value)))
}

/// Returns the hashes of the values that are not empty.
fn full<'k>(hashes: impl Iterator<Item = (&'k str, ValueHash)>) -> BTreeMap<&'k str, ValueHash> {
    hashes.filter(|(_, hash)| !hash.is_empty()).collect()
}

fn hashed_items<'a>(file: &'a FilePage, types: &SlotTypes) -> Vec<HashedItem<'a>> {
    let mut rules = KeyRules::new(types);
    let item = |item: &'a FileSlot| {
        let values = item.data.keys().filter_map(|key| Some((key.as_str(), item.value(key)?)));
        HashedItem {
            item,
            keys: hashes(&item.data).collect(),
            telling: rules.telling(&item.kind, values),
        }
    };
    file.slots.iter().map(item).collect()
}

fn hashed_slots<'a>(slots: &'a [Slot], types: &SlotTypes) -> Vec<HashedSlot<'a>> {
    let mut rules = KeyRules::new(types);
    let slot = |slot: &'a Slot| {
        let keys = full(hashes(&slot.data));
        let mut is_writable = |key: &'a str| rules.of(&slot.kind, key).0;
        let writable = keys.keys().copied().filter(|key| is_writable(key)).collect();
        let values = slot.data.iter().map(|(key, value)| (key.as_str(), value));
        HashedSlot {
            slot,
            writable,
            telling: rules.telling(&slot.kind, values),
            is_editable: types.is_editable(slot),
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
    fn hash(&self, key: &str) -> ValueHash {
        self.keys.get(key).copied().unwrap_or(ValueHash::EMPTY)
    }

    /// Returns the keys, mentioned or not, that changed since the record was written.
    fn changed<'k>(&'k self, entry: &'k SlotBase) -> impl Iterator<Item = &'k str> {
        let keys = entry.keys.keys().map(String::as_str).chain(self.writable.iter().copied());
        keys.filter(|key| self.hash(key) != entry.pair(key).page)
    }

    /// Returns the hashes of the keys that a client may write.
    fn writable_hashes(&self) -> BTreeMap<&'a str, ValueHash> {
        self.writable.iter().map(|key| (*key, self.hash(key))).collect()
    }

    /// Returns the value of a key; null where it is absent.
    fn value(&self, key: &str) -> &'a Value {
        self.slot.data.get(key).unwrap_or(&Value::Null)
    }
}
