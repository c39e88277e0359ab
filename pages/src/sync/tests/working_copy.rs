//! A machine's file and record, with the edits that the other side has not seen.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::service::stored;
use crate::apply::same;
use crate::sync::{FilePage, PageBase};
use links_sdk::SlotId;

/// A working copy: the file, the record, and which edits of either side the other has not seen.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkingCopy {
    pub(super) file: FilePage,
    /// For each item, its name in this model.
    pub(super) tags: Vec<u32>,
    /// The items that others were copied from.
    pub(super) copy_of: BTreeMap<u32, u32>,
    pub(super) base: Option<PageBase>,
    pub(super) old_bases: Vec<PageBase>,
    /// The slot that each item is.
    pub(super) slot_of: BTreeMap<u32, SlotId>,
    /// Edits of the file that are not on the page.
    pub(super) edits: BTreeMap<(u32, String), Value>,
    /// Slots whose item was deleted in the file.
    pub(super) said: BTreeMap<(u32, String), Value>,
    pub(super) said_fields: BTreeMap<String, Value>,
    pub(super) deleted: BTreeSet<SlotId>,
    /// Set if both sides deleted a slot: where another one equals it, it may have been created again, and the deletion of the item means that one.
    pub(super) is_deletion_shared: bool,
    pub(super) is_moved: bool,
    pub(super) field_edits: BTreeMap<String, Value>,
    /// What the file said of profile fields that it does not mention any more, since the last sync and since earlier ones.
    pub(super) forgotten_fields: BTreeMap<String, Value>,
    pub(super) once_said_fields: BTreeMap<String, Value>,
    /// Items that are to be created again although their slot was deleted on the page.
    pub(super) wanted_again: BTreeSet<u32>,
    /// Values that others wrote to the page, by slot and key.
    pub(super) foreign: BTreeMap<(SlotId, String), Value>,
    /// Values that these replaced.
    pub(super) seen: BTreeMap<(SlotId, String), Value>,
    pub(super) foreign_made: BTreeSet<SlotId>,
    pub(super) foreign_deleted: BTreeSet<SlotId>,
    pub(super) is_foreign_moved: bool,
    pub(super) foreign_fields: BTreeMap<String, Value>,
    pub(super) seen_fields: BTreeMap<String, Value>,
}

impl WorkingCopy {
    /// Notes that another client wrote a value to the page. One that was there before is not foreign.
    pub(super) fn note_foreign(&mut self, id: SlotId, key: &str, before: &Value, value: &Value) {
        let place = (id, key.to_owned());
        if !self.foreign.contains_key(&place) {
            self.seen.insert(place.clone(), before.clone());
        }
        if self.seen.get(&place).is_some_and(|seen| same(seen, value)) {
            self.foreign.remove(&place);
        } else {
            self.foreign.insert(place, value.clone());
        }
    }

    /// Notes that the user wrote a value into the file. One that was there before is no edit.
    pub(super) fn note_edit(&mut self, tag: u32, key: &str, before: &Value, value: &Value) {
        let place = (tag, key.to_owned());
        if !self.edits.contains_key(&place) {
            self.said.insert(place.clone(), before.clone());
        }
        if self.said.get(&place).is_some_and(|said| same(said, value)) {
            self.edits.remove(&place);
        } else {
            self.edits.insert(place, value.clone());
        }
    }

    /// Resolves the references in the profile fields.
    pub(super) fn resolve_fields(&mut self) {
        let fields = self.file.fields.iter().filter(|(_, value)| value.is_object());
        let resolved = fields.map(|(key, value)| (key.clone(), stored(key, value)));
        self.file.resolved = resolved.collect();
    }

    pub(super) fn note_field_edit(&mut self, key: &str, before: &Value, value: &Value) {
        if !self.field_edits.contains_key(key) {
            self.said_fields.insert(key.to_owned(), before.clone());
        }
        if self.said_fields.get(key).is_some_and(|said| same(said, value)) {
            self.field_edits.remove(key);
        } else {
            self.field_edits.insert(key.to_owned(), value.clone());
        }
    }

    /// Notes which slot an item is.
    pub(super) fn note_slot(&mut self, tag: u32, id: SlotId) -> Option<SlotId> {
        self.slot_of.retain(|other, slot| *other == tag || *slot != id);
        self.slot_of.insert(tag, id)
    }

    pub(super) fn note_foreign_field(&mut self, key: &str, before: &Value, value: &Value) {
        if !self.foreign_fields.contains_key(key) {
            self.seen_fields.insert(key.to_owned(), before.clone());
        }
        if self.seen_fields.get(key).is_some_and(|seen| same(seen, value)) {
            self.foreign_fields.remove(key);
        } else {
            self.foreign_fields.insert(key.to_owned(), value.clone());
        }
    }
}
