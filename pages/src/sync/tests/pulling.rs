//! A pull of a machine, with the marks that its user settles.

use std::collections::BTreeSet;

use serde_json::Value;

use super::service::{FIELDS, stored};
use super::world::{Checked, LockMode, World, check};
use crate::apply::{Plan, PlanOptions, same};
use crate::sync::{ConflictMark, Merge, PageBase, Pull, PulledItem, SlotBase, ValueHash};

impl World {
    /// Pulls, and settles the marks as `choice` says.
    pub(super) fn pull(&mut self, base: Option<PageBase>, choice: u16) -> Checked {
        self.figures.pulls += 1;
        self.here.resolve_fields();
        let (mut is_refused, none) = (false, BTreeSet::new());
        // An id may leave another item in doubt that equals this one.
        for _ in 0..self.here.tags.len() + 4 {
            let live = self.live();
            match Pull::new(base.as_ref(), &self.here.file, &live, &self.types, &none) {
                Err(error) => {
                    if !is_refused {
                        self.figures.refusals += 1;
                        is_refused = true;
                    }
                    self.settle_identity(base.as_ref(), &error)?;
                }
                Ok(pull) => return self.take_over(base, &pull, choice),
            }
        }
        Err("ids do not settle a refusal".into())
    }

    pub(super) fn take_over(
        &mut self,
        base: Option<PageBase>,
        pull: &Pull,
        choice: u16,
    ) -> Checked {
        let patched = pull.apply_to(&self.here.file);
        let mut tags = Vec::new();
        for item in &pull.order {
            match item {
                PulledItem::Item(item) => tags.push(self.here.tags[*item]),
                PulledItem::Inserted(nth) => {
                    let tag = self.tag();
                    tags.push(tag);
                    self.here.slot_of.extend(pull.inserted[*nth].id.map(|id| (tag, id)));
                }
            }
        }
        self.check_pulled(base.as_ref(), pull, &patched, &tags)?;
        let is_untouched = self.here.edits.is_empty()
            && self.here.deleted.is_empty()
            && !self.here.is_deletion_shared
            && self.here.field_edits.is_empty()
            && !self.here.is_moved
            && self.here.wanted_again.is_empty()
            && self.here.tags.iter().all(|tag| self.here.slot_of.contains_key(tag))
            && pull.marks.is_empty()
            && self
                .here
                .file
                .slots
                .iter()
                .all(|slot| slot.data.values().all(|value| !same(value, &Value::Null)))
            && self.mode == LockMode::Shared;

        let is_twin = |tag: &u32| self.became_a_twin(base.as_ref(), *tag);
        let twins: BTreeSet<u32> = self.here.tags.iter().copied().filter(is_twin).collect();
        let old_tags = std::mem::replace(&mut self.here.tags, tags);
        self.here.file = patched;
        self.forget_edits_of(&twins);
        self.here.old_bases.extend(self.here.base.replace(pull.base.clone()));
        self.here.resolve_fields();
        self.note_pulled(pull);
        self.settle_marks(pull, &old_tags, choice);
        self.here.resolve_fields();

        // What was a pending edit may be in doubt after the pull.
        let none = BTreeSet::new();
        let Ok(again) =
            Pull::new(Some(&pull.base), &self.here.file, &self.live(), &self.types, &none)
        else {
            check!(!is_untouched, "a second pull is refused");
            return Ok(());
        };
        if choice.is_multiple_of(2) {
            check!(again.is_empty(), "a second pull would change: {again:?}\nafter {pull:?}");
        }
        let options = PlanOptions { types: self.types.clone(), ..PlanOptions::default() };
        let live = self.live();
        let merge = Merge::new(self.here.base.as_ref(), &self.here.file, &live, &options)
            .map_err(|error| format!("apply after pull is refused, pull is not: {error}"))?;
        check!(merge.conflicts.is_empty(), "conflicts after a pull: {:?}", merge.conflicts);
        check!(merge.remote.is_empty(), "remote changes after a pull: {:?}", merge.remote);
        if is_untouched {
            let plan = Plan::new(&live.slots, &merge.wanted(), &self.options()).unwrap();
            // Equal slots may change places.
            let mut after = self.service.clone();
            after.execute(&plan);
            let is_kept = merge.fields.is_empty() && after.contents() == self.service.contents();
            let is_same = is_kept && plan.creates.is_empty() && plan.deletes.is_empty();
            check!(is_same, "apply after pull would change: {plan:?}");
        }
        for (item, binding) in merge.bindings.iter().enumerate() {
            let tag = self.here.tags[item];
            if binding.entry.is_none() && binding.slot.is_none() {
                self.here.slot_of.remove(&tag);
            }
            let Some(id) = binding.slot else { continue };
            // An adopted slot may have another place on the page than its item has in the file.
            self.here.is_moved |= !self.here.slot_of.contains_key(&tag);
            if let Some(entry) = binding.entry
                && self.here.slot_of.get(&tag) != Some(&id)
            {
                self.note_replacement(item, &pull.base.slots[entry]);
            }
            self.here.note_slot(tag, id);
            let service = &self.service;
            self.here.edits.retain(|(edited, key), value| {
                *edited != tag || !same(&service.value(id, key), &stored(key, value))
            });
        }
        Ok(())
    }

    /// Forgets what twins of other slots said where a pull replaced it: it is what the file said of these slots before, and no edit.
    fn forget_edits_of(&mut self, twins: &BTreeSet<u32>) {
        let (tags, slots) = (&self.here.tags, &self.here.file.slots);
        let is_said = |tag: u32, key: &str, value: &Value| {
            let at = tags.iter().position(|other| *other == tag);
            at.and_then(|at| slots[at].data.get(key)).is_some_and(|said| same(said, value))
        };
        self.here
            .edits
            .retain(|(tag, key), value| !twins.contains(tag) || is_said(*tag, key, value));
    }

    /// Notes that an item takes the place of another one, which was deleted here: all that it says and the other one did not is an edit.
    fn note_replacement(&mut self, item: usize, entry: &SlotBase) {
        let tag = self.here.tags[item];
        for (key, value) in self.here.file.slots[item].data.iter() {
            if entry.pair(key).file != Some(ValueHash::of(value)) {
                self.here.edits.entry((tag, key.clone())).or_insert_with(|| value.clone());
            }
        }
    }

    pub(super) fn note_pulled(&mut self, pull: &Pull) {
        let is_read = |key: &str| self.is_read(key);
        let unread: BTreeSet<&str> = FIELDS.into_iter().filter(|key| !is_read(key)).collect();
        let here = &mut self.here;
        let service = &self.service;
        here.once_said_fields.append(&mut here.forgotten_fields);
        here.field_edits.retain(|key, value| {
            let page = service.fields.get(key).cloned().unwrap_or_default();
            !same(&page, &stored(key, value))
        });
        here.foreign.clear();
        here.foreign_fields.retain(|key, _| unread.contains(key.as_str()));
        here.foreign_made.clear();
        here.is_foreign_moved = false;
        for slot in &pull.inserted {
            slot.id.iter().for_each(|id| {
                here.deleted.remove(id);
            });
        }
        let tags = here.tags.clone();
        here.slot_of.retain(|tag, _| tags.contains(tag));
        here.edits.retain(|(tag, _), _| tags.contains(tag));
    }

    pub(super) fn settle_marks(&mut self, pull: &Pull, old_tags: &[u32], choice: u16) {
        for (nth, mark) in pull.marks.iter().enumerate() {
            let takes_theirs = choice >> (nth % 8) & 2 != 0;
            match mark {
                ConflictMark::Value { item: Some(item), key, page } => {
                    let tag = old_tags[*item];
                    let Some(at) = self.here.tags.iter().position(|other| *other == tag) else {
                        continue;
                    };
                    if takes_theirs {
                        self.here.file.slots[at].data.insert(key.clone(), page.clone());
                        self.here.edits.remove(&(tag, key.clone()));
                    } else {
                        self.here.said.insert((tag, key.clone()), page.clone());
                        let file = self.here.file.slots[at].data[key.as_str()].clone();
                        self.here.edits.insert((tag, key.clone()), file);
                    }
                }
                ConflictMark::Value { item: None, key, page } => {
                    if takes_theirs {
                        self.here.file.fields.insert(key.clone(), page.clone());
                        self.here.field_edits.remove(key);
                    } else {
                        self.here.said_fields.insert(key.clone(), page.clone());
                        let said = self.here.file.fields[key.as_str()].clone();
                        self.here.field_edits.insert(key.clone(), said);
                    }
                }
                ConflictMark::DeletedThere { item, .. } => {
                    let tag = old_tags[*item];
                    self.here.slot_of.remove(&tag);
                    if takes_theirs {
                        self.remove_item(tag);
                    } else {
                        self.here.wanted_again.insert(tag);
                    }
                }
                ConflictMark::Resembles { item, .. } => {
                    self.here.slot_of.remove(&old_tags[*item]);
                    if takes_theirs {
                        self.remove_item(old_tags[*item]);
                    }
                }
                ConflictMark::DeletedHere { id, .. } => {
                    if !takes_theirs {
                        let tag = self.here.slot_of.iter().find(|(_, slot)| *slot == id);
                        let tag = tag.map(|(tag, _)| *tag);
                        if let Some(tag) = tag {
                            self.remove_item(tag);
                        }
                        self.here.deleted.insert(*id);
                    }
                }
                ConflictMark::Order { .. } => {
                    self.here.is_moved = true;
                }
            }
        }
    }
}
