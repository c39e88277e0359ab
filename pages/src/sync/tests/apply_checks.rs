//! Checks after an apply: nothing is lost, made twice or changed without a word.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::service::{ServicePage, stored};
use super::world::{Checked, LockMode, World, check, telling_strings};
use crate::apply::{Plan, PlanOptions, same};
use crate::sync::{
    Conflict, DeletionReason, FileSlotId, Merge, PageBase, RemoteChange, Replaced, SyncNote,
    ValueHash,
};
use links_sdk::SlotId;

impl World {
    /// Checks that nothing that others made is lost.
    pub(super) fn check_foreign(
        &self,
        before: &ServicePage,
        base: Option<&PageBase>,
        merge: &Merge,
    ) -> Checked {
        for ((id, key), value) in &self.here.foreign {
            if before.position(*id).is_none() || before.value(*id, key) != *value {
                continue;
            }
            if self.service.position(*id).is_none() {
                let is_said = merge.deletions.iter().any(|deletion| {
                    deletion.id == *id && deletion.reason != DeletionReason::DeletedHere
                });
                check!(is_said, "slot {id} was deleted with the foreign value {key}={value}");
            } else if !same(&self.service.value(*id, key), value) {
                let is_said = merge.replaced.iter().any(
                    |it| matches!(it, Replaced::Key { id: said, key: k, .. } if said == id && k == key),
                );
                // An older record may hold the same empty value.
                let is_unknowable = self.mode == LockMode::Unreliable && value.is_null();
                check!(
                    is_said || is_unknowable,
                    "the foreign value {key}={value} of {id} was replaced"
                );
            }
        }
        for id in &self.here.foreign_made {
            if before.position(*id).is_some() && self.service.position(*id).is_none() {
                return Err(format!("slot {id}, which another client made, was deleted"));
            }
        }
        for slot in &before.slots {
            let is_gone = self.service.position(slot.id).is_none();
            let is_said = merge.deletions.iter().any(|deletion| deletion.id == slot.id);
            check!(!is_gone || is_said, "slot {} was deleted without a word", slot.id);
        }
        let is_moved = self.here.is_moved || !self.here.copy_of.is_empty();
        if self.here.is_foreign_moved && !is_moved && base.is_some() {
            let known = |page: &ServicePage| {
                let ids = page.ids().into_iter();
                ids.filter(|id| {
                    Self::knows(base, *id)
                        && before.position(*id).is_some()
                        && self.service.position(*id).is_some()
                })
                .collect::<Vec<SlotId>>()
            };
            let is_said = merge.replaced.iter().any(|it| matches!(it, Replaced::Order { .. }));
            let is_kept = known(before) == known(&self.service);
            check!(
                is_kept || is_said || self.mode == LockMode::Unreliable,
                "a foreign move was reverted: {:?} {:?}",
                known(before),
                known(&self.service)
            );
        }
        Ok(())
    }

    /// Checks that everything that the file says is on the page, or reported.
    pub(super) fn check_items(
        &self,
        before: &ServicePage,
        base: Option<&PageBase>,
        merge: &Merge,
        slot_of_item: &BTreeMap<usize, SlotId>,
    ) -> Checked {
        let mut seen = BTreeSet::new();
        for (item, slot) in self.here.file.slots.iter().enumerate() {
            let tag = self.here.tags[item];
            let Some(id) = slot_of_item.get(&item) else {
                let is_said = merge.remote.iter().any(
                    |it| matches!(it, RemoteChange::Deleted { item: said, .. } if *said == item),
                );
                check!(is_said, "item {item} has no slot");
                let was = self.here.slot_of.get(&tag);
                check!(
                    was.is_none_or(|id| {
                        before.position(*id).is_none()
                            || !Self::knows(base, *id)
                            || slot_of_item.values().any(|other| other == id)
                    }),
                    "item {item} is said to be deleted, but slot {was:?} is there"
                );
                continue;
            };
            check!(seen.insert(*id), "slot {id} serves two items");
            check!(self.service.position(*id).is_some(), "slot {id} of item {item} is not there");
            for (key, value) in slot.data.iter() {
                let is_said = merge.remote.iter().any(
                    |it| matches!(it, RemoteChange::Key { item: said, key: k, .. } if *said == item && k == key),
                );
                let held = self.service.value(*id, key);
                check!(
                    is_said || same(&held, &stored(key, value)),
                    "item {item} says {key}={value}, slot {id} holds {held}"
                );
            }
            self.check_created(before, base, merge, item, slot_of_item)?;
        }
        let is_said = merge.remote.iter().any(|it| matches!(it, RemoteChange::Order { .. }));
        if !is_said {
            let in_file: Vec<SlotId> = (0..self.here.file.slots.len())
                .filter_map(|item| slot_of_item.get(&item).copied())
                .collect();
            let mut in_page = in_file.clone();
            in_page.sort_by_key(|id| self.service.position(*id));
            check!(in_file == in_page, "the order of the file is not that of the page");
        }
        for id in &self.here.deleted {
            if self.service.position(*id).is_some() && !seen.contains(id) {
                check!(!Self::knows(base, *id), "the deletion of slot {id} was not carried out");
            }
        }
        Ok(())
    }

    /// Checks that a slot was not created although it is there, or although another client deleted it.
    pub(super) fn check_created(
        &self,
        before: &ServicePage,
        base: Option<&PageBase>,
        merge: &Merge,
        item: usize,
        slot_of_item: &BTreeMap<usize, SlotId>,
    ) -> Checked {
        let id = slot_of_item[&item];
        let tag = self.here.tags[item];
        let Some(was) = self.here.slot_of.get(&tag).filter(|was| **was != id) else {
            return Ok(());
        };
        if before.position(id).is_some() {
            return Ok(());
        }
        if before.position(*was).is_some() {
            let slot = &self.here.file.slots[item];
            let is_equal = slot
                .data
                .iter()
                .all(|(key, value)| same(&before.value(*was, key), &stored(key, value)));
            let is_telling = ["title", "link", "description"].iter().any(|key| {
                slot.data.get(*key).and_then(Value::as_str).is_some_and(|text| !text.is_empty())
            });
            // An item that is said to be new is another slot than one with a further telling value, which the record does not know.
            let says_less = ["title", "link", "description"]
                .iter()
                .any(|key| before.value(*was, key).is_string() && !slot.data.contains_key(*key));
            let is_separate = slot.id == FileSlotId::New && says_less;
            let is_unknowable =
                !(Self::knows(base, *was) || is_equal && is_telling && !is_separate);
            let is_gone = self.service.position(*was).is_none()
                || slot_of_item.values().any(|other| other == was);
            check!(is_gone || is_unknowable, "item {item} is slot {was}, and was created again");
        } else if self.here.foreign_deleted.contains(was) {
            let is_it = |id: SlotId| {
                let entries = base.into_iter().flat_map(|base| &base.slots);
                id == *was
                    || entries.filter(|entry| entry.id == id).any(|entry| entry.is_named(*was))
            };
            let is_said = merge
                .replaced
                .iter()
                .any(|replaced| matches!(replaced, Replaced::Deletion { id, .. } if is_it(*id)));
            // One of several equal items stays without a slot.
            let is_said = is_said
                || merge
                    .remote
                    .iter()
                    .any(|it| matches!(it, RemoteChange::Deleted { id, .. } if id == was));
            let is_said = is_said
                || merge
                    .notes
                    .iter()
                    .any(|it| matches!(it, SyncNote::Recreated { was: id, .. } if id == was));
            // The slot came back, and is that of another item.
            let is_said = is_said || slot_of_item.values().any(|other| is_it(*other));
            // An item that was rewritten from end to end is a new slot: nothing of the deleted one comes back.
            let telling = ["title", "link", "description"];
            let slot = &self.here.file.slots[item];
            let written = telling_strings(&slot.data);
            let deleted = self.deleted_strings.get(was);
            let is_said = is_said || deleted.is_some_and(|deleted| deleted.is_disjoint(&written));
            // An older record may know nothing of what the item says now.
            let entry = base.and_then(|base| base.slots.iter().find(|entry| entry.is_named(*was)));
            let is_said = is_said
                || self.mode == LockMode::Unreliable
                    && entry.is_some_and(|entry| {
                        let mut told =
                            slot.data.iter().filter(|(key, _)| telling.contains(&key.as_str()));
                        !told.any(|(key, value)| entry.pair(key).file == Some(ValueHash::of(value)))
                    });
            let is_wanted = slot.id == FileSlotId::New
                || self.here.wanted_again.contains(&tag)
                || !Self::knows(base, *was);
            check!(
                is_said || is_wanted,
                "slot {was} was deleted, and created again for item {item}"
            );
        }
        Ok(())
    }

    pub(super) fn check_fields(
        &self,
        before: &ServicePage,
        base: Option<&PageBase>,
        merge: &Merge,
    ) -> Checked {
        let is_mentioned = |key: &str| self.here.file.fields.contains_key(key);
        for (key, was) in before.fields.iter().filter(|(key, _)| !is_mentioned(key)) {
            let is_kept = self.service.fields.get(key) == Some(was);
            check!(is_kept, "the field {key}, which the file does not mention, was replaced");
            // Of a field that was not read nothing is said.
            let is_removed = self.is_read(key)
                && base.and_then(|it| it.fields.get(key)).is_some_and(|pair| pair.file.is_some());
            let is_said = merge
                .notes
                .iter()
                .any(|it| matches!(it, SyncNote::FieldStays { key: said } if said == key));
            check!(is_removed == is_said, "it was not said, or said again, that {key} stays");
        }
        for (key, value) in &self.here.foreign_fields {
            let was = before.fields.get(key).cloned().unwrap_or_default();
            let is_said = merge
                .replaced
                .iter()
                .any(|it| matches!(it, Replaced::Field { key: said, .. } if said == key));
            let is_kept = was != *value || self.service.fields.get(key) == Some(value);
            let is_unknowable = self.mode == LockMode::Unreliable && value.is_null();
            check!(
                is_kept || is_said || is_unknowable,
                "the foreign field {key}={value} was replaced"
            );
        }
        for (key, value) in self.here.file.fields.iter() {
            let is_said = merge
                .remote
                .iter()
                .any(|it| matches!(it, RemoteChange::Field { key: said, .. } if said == key));
            let is_edited = self.here.field_edits.contains_key(key) && base.is_some();
            check!(
                !(is_said && is_edited && self.mode == LockMode::Shared),
                "the edit {key}={value} was taken for what the file said before"
            );
            let held = self.service.fields.get(key).cloned().unwrap_or_default();
            check!(
                is_said || same(&held, &stored(key, value)),
                "the file says {key}={value}, the page {held}"
            );
        }
        Ok(())
    }

    /// Checks that there is nothing left to do.
    pub(super) fn check_repeatable(&self, base: &PageBase, first: &Merge) -> Checked {
        let options = PlanOptions { types: self.types.clone(), ..PlanOptions::default() };
        let live = self.live();
        let merge = Merge::new(Some(base), &self.here.file, &live, &options)
            .map_err(|error| format!("a second run is refused: {error}"))?;
        check!(merge.conflicts.is_empty(), "a second run has conflicts: {:?}", merge.conflicts);
        let plan = Plan::new(&live.slots, &merge.wanted(), &self.options()).unwrap();
        check!(
            plan.is_empty() && merge.fields.is_empty(),
            "a second run would change: {plan:?} {:?}",
            merge.fields
        );
        let next =
            merge.base_after(Some(base), &self.here.file, &live, &BTreeMap::new(), &self.types);
        // Where a deleted slot may be one of several equal ones, a slot that came back is found only by the second run.
        let is_in_doubt =
            first.remote.iter().any(|change| matches!(change, RemoteChange::Deleted { .. }));
        check!(is_in_doubt || next == *base, "a second run changes the record: {base:?} {next:?}");
        Ok(())
    }

    /// Checks that conflicts are between edits of both sides, where the record is the newest.
    pub(super) fn check_conflicts(&self, merge: &Merge) -> Checked {
        let has_copies = self.has_copies || !self.here.copy_of.is_empty();
        if self.mode == LockMode::Unreliable || has_copies {
            return Ok(());
        }
        for conflict in &merge.conflicts {
            match conflict {
                Conflict::Value { slot: Some((item, id)), key, file, .. } => {
                    let tag = self.here.tags[*item];
                    // The key may be mentioned as empty for the first time.
                    let is_ours = same(file, &Value::Null)
                        || self.here.edits.contains_key(&(tag, key.clone()));
                    let is_theirs = self.here.foreign.contains_key(&(*id, key.clone()))
                        || self.here.foreign_made.contains(id);
                    let is_twin = self.here.slot_of.get(&tag) != Some(id);
                    check!(
                        is_ours && is_theirs || is_twin,
                        "a conflict between no edits: {conflict:?}"
                    );
                }
                Conflict::Value { slot: None, key, file, .. } => {
                    let is_real = same(file, &Value::Null)
                        || self.here.field_edits.contains_key(key)
                            && self.here.foreign_fields.contains_key(key);
                    check!(is_real, "a conflict between no edits: {conflict:?}");
                }
                Conflict::Order { .. } => {
                    // A slot that was deleted and created again may have moved, also one that equals a slot made elsewhere.
                    let is_back = |it: &SyncNote| matches!(it, SyncNote::Recreated { .. });
                    let is_real = self.here.is_foreign_moved || merge.notes.iter().any(is_back);
                    check!(is_real, "a conflict of orders that no side changed");
                }
                Conflict::DeletedHere { id, .. } => {
                    let is_real = self.here.foreign.keys().any(|(slot, _)| slot == id);
                    check!(is_real, "a conflict between no edits: {conflict:?}");
                }
                Conflict::DeletedThere { .. } => {}
            }
        }
        Ok(())
    }
}
