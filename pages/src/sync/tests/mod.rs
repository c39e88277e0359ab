//! Tests of syncs, by example and over random histories.

mod apply_checks;
mod applying;
mod examples;
mod field_edits;
mod git_model;
mod histories;
mod identity_rules;
mod large_locks;
mod lock_document;
mod merge_branches;
mod merge_rules;
mod own_writes;
mod pull_checks;
mod pull_rules;
mod pulling;
mod service;
mod settling;
mod status_rules;
mod working_copy;
mod world;

use super::{FilePage, FileSlot, FileSlotId, Pull, PulledItem, PulledKey};
use crate::apply::DesiredSlot;

impl Pull {
    /// Returns whether the file is not changed. The record may change even then.
    fn is_empty(&self) -> bool {
        self.fields.is_empty()
            && self.keys.is_empty()
            && self.inserted.is_empty()
            && self.removed.is_empty()
            && self.unnamed.is_empty()
            && self.marks.is_empty()
            && !self.is_reordered
    }

    /// Returns what the file says after the pull, marks aside. References in values that are set are not resolved any more.
    fn apply_to(&self, file: &FilePage) -> FilePage {
        let mut patched = file.clone();
        for (key, value) in self.fields.iter() {
            patched.fields.insert(key.clone(), value.clone());
            patched.resolved.remove(key);
        }
        for PulledKey { item, key, value } in &self.keys {
            let Some(slot) = patched.slots.get_mut(*item) else { continue };
            slot.data.insert(key.clone(), value.clone());
            slot.resolved.remove(key);
        }
        for item in &self.unnamed {
            if let Some(slot) = patched.slots.get_mut(*item) {
                slot.id = FileSlotId::Absent;
            }
        }
        let inserted = |slot: &DesiredSlot| FileSlot {
            id: slot.id.map_or(FileSlotId::Absent, FileSlotId::Id),
            kind: slot.kind.clone(),
            data: slot.data.clone(),
            ..FileSlot::default()
        };
        let item = |item: &PulledItem| match item {
            PulledItem::Item(item) => patched.slots.get(*item).cloned(),
            PulledItem::Inserted(nth) => self.inserted.get(*nth).map(inserted),
        };
        FilePage { slots: self.order.iter().filter_map(item).collect(), ..patched.clone() }
    }
}
