//! Checks after a pull: every edit of the page is in the file, and every edit of the file stays.

use std::collections::BTreeSet;

use serde_json::Value;

use super::service::stored;
use super::world::{Checked, LockMode, World, check, strings, telling_strings};
use crate::apply::same;
use crate::sync::{ConflictMark, FilePage, PageBase, Pull, ValueHash};

impl World {
    pub(super) fn check_pulled(
        &self,
        base: Option<&PageBase>,
        pull: &Pull,
        patched: &FilePage,
        tags: &[u32],
    ) -> Checked {
        let mut shown = BTreeSet::new();
        strings(&serde_json::to_value((patched, &pull.marks)).unwrap(), &mut shown);
        let is_shown = |value: &Value| {
            let mut held = BTreeSet::new();
            strings(value, &mut held);
            held.is_subset(&shown)
        };
        let item_of = |tag: u32| tags.iter().position(|other| *other == tag);
        for ((tag, key), value) in &self.here.edits {
            if self.stands_for_original(*tag) || self.became_a_twin(base, *tag) {
                continue;
            }
            let Some(item) = item_of(*tag) else {
                // One of several equal items may stay.
                check!(
                    is_shown(value) || self.may_be_old(value),
                    "the edit {key}={value} was thrown away with its item"
                );
                continue;
            };
            let held = patched.slots[item].data.get(key).cloned().unwrap_or_default();
            let is_on_page =
                self.service.slots.iter().any(|slot| {
                    slot.data.get(key).is_some_and(|page| same(page, &stored(key, value)))
                });
            check!(
                same(&held, value)
                    || is_on_page
                    || self.may_be_old(value)
                    || value.is_string() && is_shown(value),
                "the edit {key}={value} of the file was replaced by {held}"
            );
        }
        for (key, value) in &self.here.field_edits {
            let held = patched.fields.get(key).cloned().unwrap_or_default();
            let page = self.service.fields.get(key).cloned().unwrap_or_default();
            check!(
                same(&held, value)
                    || same(&page, &stored(key, value))
                    || self.may_be_old(&stored(key, value)),
                "the edit {key}={value} of the file was replaced by {held}"
            );
        }
        for ((id, key), value) in &self.here.foreign {
            let is_current =
                self.service.position(*id).is_some() && self.service.value(*id, key) == *value;
            if !is_current
                || !value.is_string()
                || !Self::knows(base, *id) && !self.here.foreign_made.contains(id)
            {
                continue;
            }
            // Without the newest record, a key that the file does not mention may be recorded as it is.
            let is_mentioned = tags.iter().zip(&patched.slots).any(|(tag, slot)| {
                self.here.slot_of.get(tag) == Some(id) && slot.data.contains_key(key)
            });
            if self.mode == LockMode::Unreliable && !is_mentioned {
                continue;
            }
            let is_adopted = self.here.foreign_made.contains(id)
                && !pull.inserted.iter().any(|slot| slot.id == Some(*id));
            check!(
                is_adopted || is_shown(value),
                "the foreign value {key}={value} of {id} was not pulled"
            );
        }
        for (key, value) in &self.here.foreign_fields {
            let is_current = self.service.fields.get(key) == Some(value) && !value.is_null();
            let held = patched.fields.get(key).map(|said| stored(key, said));
            check!(
                !is_current
                    || !Self::knows_field(base, key)
                    || !self.is_read(key)
                    || self.mode == LockMode::Unreliable && !patched.fields.contains_key(key)
                    || held.is_some_and(|held| same(&held, value))
                    || is_shown(value),
                "the foreign field {key}={value} was not pulled"
            );
        }
        self.check_pulled_slots(base, pull, patched, tags)
    }

    /// Checks that slots that were made or deleted on the page are so in the file, unless that is marked.
    fn check_pulled_slots(
        &self,
        base: Option<&PageBase>,
        pull: &Pull,
        patched: &FilePage,
        tags: &[u32],
    ) -> Checked {
        for slot in &self.service.slots {
            let is_recorded = pull.base.slots.iter().any(|entry| entry.id == slot.id);
            check!(is_recorded, "slot {} is not in the file after a pull", slot.id);
        }
        for (item, tag) in tags.iter().enumerate() {
            let Some(id) = self.here.slot_of.get(tag) else { continue };
            if self.here.foreign_deleted.contains(id) && Self::knows(base, *id) {
                let is_said = pull
                    .marks
                    .iter()
                    .any(|mark| matches!(mark, ConflictMark::DeletedThere { id: said, .. } if base.is_some_and(|base| base.slots.iter().any(|entry| entry.id == *said && entry.is_named(*id)))));
                let is_back = pull.base.slots.iter().any(|entry| entry.was.contains(id));
                let is_twin = pull
                    .removed
                    .iter()
                    .any(|removed| self.here.file.slots[*removed].data == patched.slots[item].data);
                let is_twin = is_twin
                    || pull.base.slots.iter().any(|entry| entry.kind == patched.slots[item].kind);
                let held = telling_strings(&patched.slots[item].data);
                let deleted = self.deleted_strings.get(id);
                let is_rewritten = deleted.is_some_and(|deleted| deleted.is_disjoint(&held));
                // An older record may know nothing of what the item says now.
                let entry =
                    base.and_then(|base| base.slots.iter().find(|entry| entry.is_named(*id)));
                let is_rewritten = is_rewritten
                    || self.mode == LockMode::Unreliable
                        && entry.is_some_and(|entry| {
                            patched.slots[item].data.iter().all(|(key, value)| {
                                key == "style" || entry.pair(key).file != Some(ValueHash::of(value))
                            })
                        });
                check!(
                    is_said || is_back || is_twin || is_rewritten,
                    "item {item} stays, but slot {id} was deleted"
                );
            }
        }
        for slot in &pull.inserted {
            let Some(id) = slot.id else { continue };
            let is_said = pull.marks.iter().any(
                |mark| matches!(mark, ConflictMark::DeletedHere { id: said, .. } if *said == id),
            );
            let is_undone = self.here.deleted.contains(&id) && Self::knows(base, id) && !is_said;
            check!(!is_undone, "the deletion of slot {id} was undone by a pull");
        }
        Ok(())
    }

    /// Returns whether an item is a copy of one that is gone, or was rewritten from end to end, also through other copies: then it is the original.
    pub(super) fn stands_for_original(&self, tag: u32) -> bool {
        let Some(original) = self.here.copy_of.get(&tag) else { return false };
        let told = |tag: u32| {
            let at = self.here.tags.iter().position(|other| *other == tag)?;
            Some(telling_strings(&self.here.file.slots[at].data))
        };
        match (told(tag), told(*original)) {
            (Some(told), Some(said)) => {
                told.is_disjoint(&said) || self.stands_for_original(*original)
            }
            _ => true,
        }
    }

    /// Returns whether an item came to say what the file said of another slot.
    pub(super) fn became_a_twin(&self, base: Option<&PageBase>, tag: u32) -> bool {
        let (Some(base), Some(at)) = (base, self.here.tags.iter().position(|other| *other == tag))
        else {
            return false;
        };
        let data = &self.here.file.slots[at].data;
        base.slots.iter().any(|entry| {
            let said = entry.keys.iter().filter(|(_, pair)| pair.file.is_some());
            self.here.slot_of.get(&tag) != Some(&entry.id)
                && said.count() == data.len()
                && data
                    .iter()
                    .all(|(key, value)| entry.pair(key).file == Some(ValueHash::of(value)))
        })
    }

    /// Returns whether an edit sets a value that an older record may know as the one of the last sync.
    pub(super) fn may_be_old(&self, value: &Value) -> bool {
        let mut held = BTreeSet::new();
        strings(value, &mut held);
        let was_there = |text: &String| text.is_empty() || self.ever_on_page.contains(text);
        self.mode == LockMode::Unreliable && held.iter().all(was_there)
    }
}
