//! An apply of a machine, as the tool makes it.

use std::collections::{BTreeMap, BTreeSet};

use super::service::{FIELDS, ServicePage, stored};
use super::world::{Checked, World, check, plain};
use crate::apply::{ItemError, ItemProblem, Plan, PlanError, PlanOptions, same};
use crate::sync::{FileSlotId, Merge, PageBase, RemoteChange};
use links_sdk::SlotId;

impl World {
    /// Applies the file. Conflicts are settled as `choice` says, refusals by IDs.
    pub(super) fn apply(
        &mut self,
        base: Option<PageBase>,
        overwrite: bool,
        keeps_record: bool,
        choice: u16,
    ) -> Checked {
        self.figures.applies += 1;
        self.here.resolve_fields();
        let mut is_refused = false;
        // An id may leave another item in doubt that equals this one.
        for _ in 0..self.here.tags.len() + 4 {
            let options =
                PlanOptions { overwrite, types: self.types.clone(), ..PlanOptions::default() };
            match Merge::new(base.as_ref(), &self.here.file, &self.live(), &options) {
                Err(error) => {
                    if !is_refused {
                        self.figures.refusals += 1;
                        is_refused = true;
                    }
                    self.settle_identity(base.as_ref(), &error)?;
                }
                Ok(merge) if !merge.conflicts.is_empty() => {
                    self.figures.conflicts += 1;
                    self.check_conflicts(&merge)?;
                    return if choice.is_multiple_of(3) {
                        self.apply(base, true, keeps_record, choice)
                    } else {
                        self.pull(base, choice)
                    };
                }
                Ok(merge) => return self.carry_out(base, &merge, keeps_record),
            }
        }
        Err("ids do not settle a refusal".into())
    }

    pub(super) fn carry_out(
        &mut self,
        base: Option<PageBase>,
        merge: &Merge,
        keeps_record: bool,
    ) -> Checked {
        let before = self.service.clone();
        let options = self.options();
        let plan = Plan::new(&before.slots, &merge.wanted(), &options)
            .map_err(|error| format!("no plan: {error}"))?;
        let ids = self.service.execute(&plan);
        for (key, value) in merge.fields.iter() {
            self.service.fields.insert(key.clone(), stored(key, value));
        }
        let created: BTreeMap<usize, SlotId> =
            plan.creates.iter().zip(&ids).map(|(create, id)| (create.index, *id)).collect();
        let slot_of_item: BTreeMap<usize, SlotId> = merge
            .items
            .iter()
            .enumerate()
            .filter_map(|(nth, item)| {
                Some((*item, merge.desired.slots[nth].id.or(created.get(item).copied())?))
            })
            .collect();
        let next =
            merge.base_after(base.as_ref(), &self.here.file, &self.live(), &created, &self.types);
        self.check_foreign(&before, base.as_ref(), merge)?;
        self.check_items(&before, base.as_ref(), merge, &slot_of_item)?;
        self.check_fields(&before, base.as_ref(), merge)?;
        self.check_repeatable(&next, merge)?;
        self.note_writes(&before);
        self.note_applied(base.as_ref(), merge, &slot_of_item);
        if keeps_record {
            self.here.old_bases.extend(self.here.base.replace(next));
        }
        Ok(())
    }

    /// In the other branch, what this one wrote is foreign.
    pub(super) fn note_writes(&mut self, before: &ServicePage) {
        let after = self.service.clone();
        let Some(other) = self.other.as_mut().map(|other| &mut other.0) else { return };
        for slot in &after.slots {
            if before.position(slot.id).is_none() {
                other.foreign_made.insert(slot.id);
            }
            for (key, value) in slot.data.iter().filter(|(key, _)| *key != "html") {
                let was = before.value(slot.id, key);
                let is_known =
                    value.as_str().is_some_and(|text| self.ever_on_page.contains(plain(text)));
                if !same(&was, value) && !is_known {
                    other.note_foreign(slot.id, key, &was, value);
                }
            }
        }
        let gone = before.ids().into_iter().filter(|id| after.position(*id).is_none());
        other.foreign_deleted.extend(gone);
        let order = |page: &ServicePage, others: &ServicePage| {
            let ids = page.ids().into_iter();
            ids.filter(|id| others.position(*id).is_some()).collect::<Vec<SlotId>>()
        };
        other.is_foreign_moved |= order(before, &after) != order(&after, before);
        for (key, value) in after.fields.iter() {
            let was = before.fields.get(key).cloned().unwrap_or_default();
            if !same(&was, value) {
                other.note_foreign_field(key, &was, value);
            }
        }
    }

    pub(super) fn note_applied(
        &mut self,
        base: Option<&PageBase>,
        merge: &Merge,
        slot_of_item: &BTreeMap<usize, SlotId>,
    ) {
        // Equal items that change places have what the other one said.
        for (item, id) in slot_of_item {
            let (tag, data) = (self.here.tags[*item], &self.here.file.slots[*item].data);
            let slot_of = |other: &u32| self.here.slot_of.get(other);
            let others = self.here.tags.iter().zip(&self.here.file.slots);
            let mut twins = others.filter(|(other, slot)| **other != tag && slot.data == *data);
            if twins.any(|(other, _)| slot_of(other) == Some(id)) {
                self.here.edits.retain(|(edited, _), _| *edited != tag);
            }
        }
        let is_read = |key: &str| self.is_read(key);
        let unread: BTreeSet<&str> = FIELDS.into_iter().filter(|key| !is_read(key)).collect();
        let here = &mut self.here;
        for (item, id) in slot_of_item {
            let tag = here.tags[*item];
            let was = here.note_slot(tag, *id);
            if was.is_some_and(|was| was != *id) {
                self.figures.swapped += 1;
            }
            here.wanted_again.remove(&tag);
            here.foreign_made.remove(id);
            let remote: BTreeSet<&str> = merge
                .remote
                .iter()
                .filter_map(|change| match change {
                    RemoteChange::Key { item: said, key, .. } if said == item => Some(key.as_str()),
                    _ => None,
                })
                .collect();
            here.edits.retain(|(edited, key), _| *edited != tag || remote.contains(key.as_str()));
            // What file and page agree on now is not foreign.
            let data = &here.file.slots[*item].data;
            here.foreign.retain(|(slot, key), _| {
                slot != id || !data.contains_key(key) || remote.contains(key.as_str())
            });
        }
        // Without a record, the page is recorded as it is.
        here.foreign.retain(|(id, _), _| {
            Self::knows(base, *id) || !slot_of_item.values().any(|slot| slot == id)
        });
        here.foreign_fields
            .retain(|key, _| Self::knows_field(base, key) || unread.contains(key.as_str()));
        let service = &self.service;
        here.deleted.retain(|id| service.position(*id).is_some());
        here.foreign.retain(|(id, _), _| service.position(*id).is_some());
        (here.is_moved, here.is_deletion_shared) = (false, false);
        if !merge.remote.iter().any(|it| matches!(it, RemoteChange::Order { .. })) {
            here.is_foreign_moved = false;
        }
        here.field_edits.clear();
        here.once_said_fields.append(&mut here.forgotten_fields);
        let remote: Vec<&String> = merge
            .remote
            .iter()
            .filter_map(|change| match change {
                RemoteChange::Field { key, .. } => Some(key),
                _ => None,
            })
            .collect();
        let file = &here.file;
        here.foreign_fields
            .retain(|key, _| !file.fields.contains_key(key) || remote.contains(&key));
    }

    /// Writes the IDs that a refusal asks for.
    pub(super) fn settle_identity(
        &mut self,
        base: Option<&PageBase>,
        error: &PlanError,
    ) -> Checked {
        let (Some(_), PlanError::Items(problems)) = (base, error) else {
            // Two branches pulled one slot.
            let named: Vec<FileSlotId> = self.here.file.slots.iter().map(|slot| slot.id).collect();
            let is_repeated = |item: &usize| {
                matches!(named[*item], FileSlotId::Id(_)) && named[..*item].contains(&named[*item])
            };
            if let Some(item) = (0..named.len()).find(is_repeated) {
                self.remove_item(self.here.tags[item]);
                return Ok(());
            }
            // Without a record, the ids of slots that are gone are dropped.
            let mut is_changed = false;
            for (item, slot) in self.here.file.slots.iter_mut().enumerate() {
                if let FileSlotId::Id(id) = slot.id
                    && self.service.position(id).is_none()
                {
                    slot.id = FileSlotId::Absent;
                    self.here.wanted_again.insert(self.here.tags[item]);
                    is_changed = true;
                }
            }
            check!(is_changed, "{error}");
            return Ok(());
        };
        for ItemError { index, problem } in problems {
            match problem {
                ItemProblem::Ambiguous { .. } => self.figures.ambiguous += 1,
                ItemProblem::PerhapsDeleted { .. } => self.figures.perhaps_deleted += 1,
                ItemProblem::Resembles { .. } => self.figures.resembles += 1,
                ItemProblem::NotOnPage { .. } => {
                    self.here.file.slots[*index].id = FileSlotId::Absent;
                    self.here.wanted_again.insert(self.here.tags[*index]);
                    continue;
                }
                // Two branches pulled one slot.
                ItemProblem::RepeatedId { .. } => {
                    self.remove_item(self.here.tags[*index]);
                    return Ok(());
                }
                other => return Err(format!("an unexpected refusal: {other}")),
            }
            self.write_id(base, *index);
        }
        Ok(())
    }

    pub(super) fn write_id(&mut self, base: Option<&PageBase>, item: usize) {
        let tag = self.here.tags[item];
        let known = self.here.slot_of.get(&tag).copied();
        let known =
            known.filter(|id| self.service.position(*id).is_some() || Self::knows(base, *id));
        let named = self.here.file.slots.iter().map(|slot| slot.id);
        let taken: Vec<FileSlotId> = named.collect();
        if known.is_some_and(|id| taken[item] == FileSlotId::Id(id)) {
            return;
        }
        self.here.file.slots[item].id = match known {
            Some(id) if !taken.contains(&FileSlotId::Id(id)) => FileSlotId::Id(id),
            _ => FileSlotId::New,
        };
    }
}
