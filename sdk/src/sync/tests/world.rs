//! A page, and the machines that hold a file of it, with what is known about who edited what.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::service::{ServicePage, stored, types};
use crate::Object;
use crate::apply::{Plan, PlanOptions, SlotTypes, same};
use crate::sync::{
    Conflict, ConflictMark, DeletionReason, FilePage, FileSlot, FileSlotId, IdentityProblem,
    LivePage, Merge, MergeOptions, PageBase, Pull, PulledItem, RemoteChange, Replaced, SyncError,
    SyncNote, ValueHash,
};

/// Which record of the last sync a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockMode {
    /// Always the newest.
    Shared,
    /// Sometimes an older one, none, or one side of a merge.
    Unreliable,
}

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
    pub(super) slot_of: BTreeMap<u32, i64>,
    /// Edits of the file that are not on the page.
    pub(super) edits: BTreeMap<(u32, String), Value>,
    /// Slots whose item was deleted in the file.
    said: BTreeMap<(u32, String), Value>,
    said_fields: BTreeMap<String, Value>,
    pub(super) deleted: BTreeSet<i64>,
    pub(super) is_moved: bool,
    pub(super) field_edits: BTreeMap<String, Value>,
    /// Items that are to be created again although their slot was deleted on the page.
    pub(super) wanted_again: BTreeSet<u32>,
    /// Values that others wrote to the page, by slot and key.
    pub(super) foreign: BTreeMap<(i64, String), Value>,
    /// Values that these replaced.
    seen: BTreeMap<(i64, String), Value>,
    pub(super) foreign_made: BTreeSet<i64>,
    pub(super) foreign_deleted: BTreeSet<i64>,
    pub(super) is_foreign_moved: bool,
    pub(super) foreign_fields: BTreeMap<String, Value>,
    seen_fields: BTreeMap<String, Value>,
}

impl WorkingCopy {
    /// Notes that another client wrote a value to the page. One that was there before is not foreign.
    pub(super) fn note_foreign(&mut self, id: i64, key: &str, before: &Value, value: &Value) {
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
    pub(super) fn note_slot(&mut self, tag: u32, id: i64) -> Option<i64> {
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

/// Figures of a history.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) applies: usize,
    pub(super) pulls: usize,
    pub(super) conflicts: usize,
    pub(super) refusals: usize,
    pub(super) ambiguous: usize,
    pub(super) perhaps_deleted: usize,
    pub(super) resembles: usize,
    pub(super) swapped: usize,
}

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) service: ServicePage,
    pub(super) here: WorkingCopy,
    /// Another branch, and the file and the tags where both parted.
    pub(super) other: Option<Box<(WorkingCopy, WorkingCopy)>>,
    pub(super) mode: LockMode,
    pub(super) types: SlotTypes,
    pub(super) figures: Figures,
    /// The strings of slots that were deleted.
    deleted_strings: BTreeMap<i64, BTreeSet<String>>,
    /// Every string that was on the page.
    ever_on_page: BTreeSet<String>,
    /// Set if a slot was copied on the page.
    pub(super) has_copies: bool,
    words: u32,
    last_tag: u32,
}

pub(super) type Checked = Result<(), String>;

macro_rules! check {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}

impl World {
    pub(super) fn new(mode: LockMode) -> Self {
        Self {
            service: ServicePage::default(),
            here: WorkingCopy::default(),
            other: None,
            mode,
            types: types(),
            figures: Figures::default(),
            deleted_strings: BTreeMap::new(),
            ever_on_page: BTreeSet::new(),
            has_copies: false,
            words: 0,
            last_tag: 0,
        }
    }

    /// Returns a value that was never used.
    pub(super) fn word(&mut self, key: &str) -> Value {
        self.words += 1;
        match (key, self.words % 3) {
            ("link", 0) => format!("https://w{}.example", self.words).into(),
            ("link", _) => format!("w{}.example", self.words).into(),
            (_, 0) => format!(" Word {} ", self.words).into(),
            _ => format!("Word {}", self.words).into(),
        }
    }

    pub(super) fn tag(&mut self) -> u32 {
        self.last_tag += 1;
        self.last_tag
    }

    pub(super) fn live(&self) -> LivePage {
        LivePage {
            id: 1,
            login: "cafe".into(),
            fields: self.service.fields.clone(),
            slots: self.service.slots.clone(),
        }
    }

    pub(super) fn note_page(&mut self) {
        for slot in &self.service.slots {
            let mut held = BTreeSet::new();
            slot.data.values().for_each(|value| strings(value, &mut held));
            self.ever_on_page.extend(held.iter().cloned());
            self.deleted_strings.insert(slot.id, held);
        }
        self.service.fields.values().for_each(|value| strings(value, &mut self.ever_on_page));
    }

    /// Returns whether an item is a copy of one that is gone, or was rewritten from end to end: then it is the original.
    fn stands_for_original(&self, tag: u32) -> bool {
        let Some(original) = self.here.copy_of.get(&tag) else { return false };
        let told = |tag: u32| {
            let at = self.here.tags.iter().position(|other| *other == tag)?;
            let mut told = BTreeSet::new();
            let telling = ["title", "link", "description"];
            let data = self.here.file.slots[at].data.iter();
            let values = data.filter(|(key, _)| telling.contains(&key.as_str()));
            values.for_each(|(_, value)| strings(value, &mut told));
            Some(told)
        };
        match (told(tag), told(*original)) {
            (Some(told), Some(original)) => told.is_disjoint(&original),
            _ => true,
        }
    }

    /// Returns whether an item came to say what the file said of another slot.
    fn became_a_twin(&self, base: Option<&PageBase>, tag: u32) -> bool {
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
    fn may_be_old(&self, value: &Value) -> bool {
        let was_there =
            |text: &str| plain(text).is_empty() || self.ever_on_page.contains(plain(text));
        self.mode == LockMode::Unreliable && value.as_str().is_none_or(was_there)
    }

    /// Describes the state, for a message.
    pub(super) fn state(&self) -> String {
        let items = self.here.tags.iter().zip(&self.here.file.slots);
        let items: Vec<String> = items
            .map(|(tag, slot)| {
                let was = self.here.slot_of.get(tag);
                format!(
                    "  item {tag} ({was:?}) {:?} {} {}",
                    slot.id,
                    slot.kind,
                    Value::from(slot.data.0.clone())
                )
            })
            .collect();
        let slots: Vec<String> = self
            .service
            .slots
            .iter()
            .map(|slot| {
                format!("  slot {} {} {}", slot.id, slot.kind, Value::from(slot.data.0.clone()))
            })
            .collect();
        format!(
            "\nfile\n{}\npage\n{}\nrecord {}\nedits {:?}\nforeign {:?}\n",
            items.join("\n"),
            slots.join("\n"),
            serde_json::to_string(&self.here.base).unwrap(),
            self.here.edits,
            self.here.foreign
        )
    }

    fn options(&self) -> PlanOptions {
        PlanOptions { types: self.types.clone(), ..PlanOptions::default() }
    }

    fn knows(base: Option<&PageBase>, id: i64) -> bool {
        base.is_some_and(|base| base.slots.iter().any(|entry| entry.is_named(id)))
    }

    /// Applies the file. Conflicts are settled as `choice` says, refusals by ids.
    pub(super) fn apply(
        &mut self,
        base: Option<PageBase>,
        overwrite: bool,
        keeps_record: bool,
        choice: u16,
    ) -> Checked {
        self.figures.applies += 1;
        let mut is_refused = false;
        for _ in 0..4 {
            let options =
                MergeOptions { overwrite, types: self.types.clone(), ..MergeOptions::default() };
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

    fn carry_out(&mut self, base: Option<PageBase>, merge: &Merge, keeps_record: bool) -> Checked {
        let before = self.service.clone();
        let options = merge.plan_options(&self.options());
        let plan = Plan::new(&before.slots, &merge.desired, &options)
            .map_err(|error| format!("no plan: {error}"))?;
        let ids = self.service.execute(&plan);
        for (key, value) in merge.fields.iter() {
            self.service.fields.insert(key.clone(), stored(key, value));
        }
        let created: BTreeMap<usize, i64> =
            plan.creates.iter().zip(&ids).map(|(create, id)| (create.index, *id)).collect();
        let slot_of_item: BTreeMap<usize, i64> = merge
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
        self.check_fields(&before, merge)?;
        self.check_repeatable(&next)?;
        self.note_writes(&before);
        self.note_applied(base.as_ref(), merge, &slot_of_item);
        if keeps_record {
            self.here.old_bases.extend(self.here.base.replace(next));
        }
        Ok(())
    }

    /// Checks that nothing that others made is lost.
    fn check_foreign(
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
                .collect::<Vec<i64>>()
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
    fn check_items(
        &self,
        before: &ServicePage,
        base: Option<&PageBase>,
        merge: &Merge,
        slot_of_item: &BTreeMap<usize, i64>,
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
            let in_file: Vec<i64> = (0..self.here.file.slots.len())
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
    fn check_created(
        &self,
        before: &ServicePage,
        base: Option<&PageBase>,
        merge: &Merge,
        item: usize,
        slot_of_item: &BTreeMap<usize, i64>,
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
            let is_unknowable = !Self::knows(base, *was) && !(is_equal && is_telling);
            let is_gone = self.service.position(*was).is_none()
                || slot_of_item.values().any(|other| other == was);
            check!(is_gone || is_unknowable, "item {item} is slot {was}, and was created again");
        } else if self.here.foreign_deleted.contains(was) {
            let is_said = merge
                .replaced
                .iter()
                .any(|it| matches!(it, Replaced::Deletion { id, .. } if id == was));
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
            // An item that was rewritten from end to end is a new slot: nothing of the deleted one comes back.
            let mut written = BTreeSet::new();
            let telling = ["title", "link", "description"];
            let slot = &self.here.file.slots[item];
            let values = slot.data.iter().filter(|(key, _)| telling.contains(&key.as_str()));
            values.for_each(|(_, value)| strings(value, &mut written));
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
            let is_wanted = self.here.wanted_again.contains(&tag) || !Self::knows(base, *was);
            check!(
                is_said || is_wanted,
                "slot {was} was deleted, and created again for item {item}"
            );
        }
        Ok(())
    }

    fn check_fields(&self, before: &ServicePage, merge: &Merge) -> Checked {
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
            let held = self.service.fields.get(key).cloned().unwrap_or_default();
            check!(
                is_said || same(&held, &stored(key, value)),
                "the file says {key}={value}, the page {held}"
            );
        }
        Ok(())
    }

    /// Checks that there is nothing left to do.
    fn check_repeatable(&self, base: &PageBase) -> Checked {
        let options = MergeOptions { types: self.types.clone(), ..MergeOptions::default() };
        let live = self.live();
        let merge = Merge::new(Some(base), &self.here.file, &live, &options)
            .map_err(|error| format!("a second run is refused: {error}"))?;
        check!(merge.conflicts.is_empty(), "a second run has conflicts: {:?}", merge.conflicts);
        let plan =
            Plan::new(&live.slots, &merge.desired, &merge.plan_options(&self.options())).unwrap();
        check!(merge.is_empty(&plan), "a second run would change: {plan:?} {:?}", merge.fields);
        let next =
            merge.base_after(Some(base), &self.here.file, &live, &BTreeMap::new(), &self.types);
        check!(next == *base, "a second run changes the record: {base:?} {next:?}");
        Ok(())
    }

    /// In the other branch, what this one wrote is foreign.
    fn note_writes(&mut self, before: &ServicePage) {
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
            ids.filter(|id| others.position(*id).is_some()).collect::<Vec<i64>>()
        };
        other.is_foreign_moved |= order(before, &after) != order(&after, before);
        for (key, value) in after.fields.iter() {
            let was = before.fields.get(key).cloned().unwrap_or_default();
            if !same(&was, value) {
                other.note_foreign_field(key, &was, value);
            }
        }
    }

    fn note_applied(
        &mut self,
        base: Option<&PageBase>,
        merge: &Merge,
        slot_of_item: &BTreeMap<usize, i64>,
    ) {
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
                .filter_map(|it| match it {
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
        if base.is_none() {
            here.foreign_fields.clear();
        }
        let service = &self.service;
        here.deleted.retain(|id| service.position(*id).is_some());
        here.foreign.retain(|(id, _), _| service.position(*id).is_some());
        here.is_moved = false;
        if !merge.remote.iter().any(|it| matches!(it, RemoteChange::Order { .. })) {
            here.is_foreign_moved = false;
        }
        here.field_edits.clear();
        let remote: Vec<&String> = merge
            .remote
            .iter()
            .filter_map(|it| match it {
                RemoteChange::Field { key, .. } => Some(key),
                _ => None,
            })
            .collect();
        let file = &here.file;
        here.foreign_fields
            .retain(|key, _| !file.fields.contains_key(key) || remote.contains(&key));
    }

    /// Checks that conflicts are between edits of both sides, where the record is the newest.
    fn check_conflicts(&self, merge: &Merge) -> Checked {
        if self.mode == LockMode::Unreliable {
            return Ok(());
        }
        for conflict in &merge.conflicts {
            match conflict {
                Conflict::Key { item, id, key, file, .. } => {
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
                Conflict::Field { key, file, .. } => {
                    let is_real = same(file, &Value::Null)
                        || self.here.field_edits.contains_key(key)
                            && self.here.foreign_fields.contains_key(key);
                    check!(is_real, "a conflict between no edits: {conflict:?}");
                }
                Conflict::Order { .. } => {
                    // A slot that was deleted and created again may have moved.
                    let is_real = self.here.is_foreign_moved || self.has_copies;
                    check!(is_real, "a conflict of orders that nobody changed");
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

    /// Writes the ids that a refusal asks for.
    fn settle_identity(&mut self, base: Option<&PageBase>, error: &SyncError) -> Checked {
        let SyncError::Identity(error) = error else {
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
        for problem in &error.0 {
            match problem {
                IdentityProblem::Ambiguous { .. } => self.figures.ambiguous += 1,
                IdentityProblem::PerhapsDeleted { .. } => self.figures.perhaps_deleted += 1,
                IdentityProblem::Resembles { .. } => self.figures.resembles += 1,
                _ => {}
            }
            match problem {
                IdentityProblem::Ambiguous { items, .. }
                | IdentityProblem::PerhapsDeleted { items, .. } => {
                    items.iter().for_each(|item| self.write_id(base, *item));
                }
                IdentityProblem::Resembles { item, .. } => self.write_id(base, *item),
                IdentityProblem::NotOnPage { item, .. } => {
                    self.here.file.slots[*item].id = FileSlotId::Absent;
                    self.here.wanted_again.insert(self.here.tags[*item]);
                }
                // Two branches pulled one slot.
                IdentityProblem::RepeatedId { item, .. } => {
                    self.remove_item(self.here.tags[*item]);
                    return Ok(());
                }
                other => return Err(format!("an unexpected refusal: {other}")),
            }
        }
        Ok(())
    }

    fn write_id(&mut self, base: Option<&PageBase>, item: usize) {
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

    /// Pulls, and settles the marks as `choice` says.
    pub(super) fn pull(&mut self, base: Option<PageBase>, choice: u16) -> Checked {
        self.figures.pulls += 1;
        let mut is_refused = false;
        for _ in 0..4 {
            match Pull::new(base.as_ref(), &self.here.file, &self.live(), &self.types) {
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

    fn take_over(&mut self, base: Option<PageBase>, pull: &Pull, choice: u16) -> Checked {
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
            && self.here.field_edits.is_empty()
            && !self.here.is_moved
            && self.here.wanted_again.is_empty()
            && self.here.tags.iter().all(|tag| self.here.slot_of.contains_key(tag))
            && pull.marks.is_empty()
            && self.mode == LockMode::Shared;

        let old_tags = std::mem::replace(&mut self.here.tags, tags);
        self.here.file = patched;
        self.here.old_bases.extend(self.here.base.replace(pull.base.clone()));
        self.note_pulled(pull);
        self.settle_marks(pull, &old_tags, choice);

        // What was a pending edit may be in doubt after the pull.
        let Ok(again) = Pull::new(Some(&pull.base), &self.here.file, &self.live(), &self.types)
        else {
            check!(!is_untouched, "a second pull is refused");
            return Ok(());
        };
        if choice % 2 == 0 {
            check!(again.is_empty(), "a second pull would change: {again:?}\nafter {pull:?}");
        }
        let options = MergeOptions { types: self.types.clone(), ..MergeOptions::default() };
        let live = self.live();
        let merge = Merge::new(self.here.base.as_ref(), &self.here.file, &live, &options)
            .map_err(|error| format!("apply after pull is refused, pull is not: {error}"))?;
        check!(merge.conflicts.is_empty(), "conflicts after a pull: {:?}", merge.conflicts);
        check!(merge.remote.is_empty(), "remote changes after a pull: {:?}", merge.remote);
        if is_untouched {
            let plan = Plan::new(&live.slots, &merge.desired, &merge.plan_options(&self.options()))
                .unwrap();
            check!(merge.is_empty(&plan), "apply after pull would change: {plan:?}");
        }
        for (item, binding) in merge.bindings.iter().enumerate() {
            let tag = self.here.tags[item];
            if binding.entry.is_none() && binding.slot.is_none() {
                self.here.slot_of.remove(&tag);
            }
            let Some(id) = binding.slot else { continue };
            // An adopted slot may have another place on the page than its item has in the file.
            self.here.is_moved |= !self.here.slot_of.contains_key(&tag);
            self.here.note_slot(tag, id);
            let service = &self.service;
            self.here.edits.retain(|(edited, key), value| {
                *edited != tag || !same(&service.value(id, key), &stored(key, value))
            });
        }
        Ok(())
    }

    fn check_pulled(
        &self,
        base: Option<&PageBase>,
        pull: &Pull,
        patched: &FilePage,
        tags: &[u32],
    ) -> Checked {
        let mut shown = BTreeSet::new();
        strings(&serde_json::to_value((patched, &pull.marks)).unwrap(), &mut shown);
        let is_shown =
            |value: &Value| value.as_str().is_none_or(|text| shown.contains(plain(text)));
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
                same(&held, value) || same(&page, &stored(key, value)) || self.may_be_old(value),
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
            let is_current = self.service.fields.get(key) == Some(value) && value.is_string();
            check!(
                !is_current
                    || self.mode == LockMode::Unreliable && !patched.fields.contains_key(key)
                    || is_shown(value),
                "the foreign field {key}={value} was not pulled"
            );
        }
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
                let mut held = BTreeSet::new();
                patched.slots[item].data.values().for_each(|value| strings(value, &mut held));
                held.remove("primary");
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

    fn note_pulled(&mut self, pull: &Pull) {
        let here = &mut self.here;
        let service = &self.service;
        here.field_edits.retain(|key, value| {
            let page = service.fields.get(key).cloned().unwrap_or_default();
            !same(&page, &stored(key, value))
        });
        here.foreign.clear();
        here.foreign_fields.clear();
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

    fn settle_marks(&mut self, pull: &Pull, old_tags: &[u32], choice: u16) {
        for (nth, mark) in pull.marks.iter().enumerate() {
            let takes_theirs = choice >> (nth % 8) & 2 != 0;
            match mark {
                ConflictMark::Key { item, key, file, page } => {
                    let tag = old_tags[*item];
                    let Some(at) = self.here.tags.iter().position(|other| *other == tag) else {
                        continue;
                    };
                    if takes_theirs {
                        self.here.file.slots[at].data.insert(key.clone(), page.clone());
                        self.here.edits.remove(&(tag, key.clone()));
                    } else {
                        self.here.said.insert((tag, key.clone()), page.clone());
                        self.here.edits.insert((tag, key.clone()), file.clone());
                    }
                }
                ConflictMark::Field { key, file, page } => {
                    if takes_theirs {
                        self.here.file.fields.insert(key.clone(), page.clone());
                        self.here.field_edits.remove(key);
                    } else {
                        self.here.said_fields.insert(key.clone(), page.clone());
                        self.here.field_edits.insert(key.clone(), file.clone());
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
                        tag.into_iter().for_each(|tag| self.remove_item(tag));
                        self.here.deleted.insert(*id);
                    }
                }
                ConflictMark::Order { .. } => {
                    self.here.is_moved = true;
                }
            }
        }
    }

    /// Removes an item from the file.
    pub(super) fn remove_item(&mut self, tag: u32) {
        let Some(at) = self.here.tags.iter().position(|other| *other == tag) else { return };
        self.here.tags.remove(at);
        self.here.file.slots.remove(at);
        self.here.edits.retain(|(edited, _), _| *edited != tag);
        self.here.slot_of.remove(&tag);
        self.here.wanted_again.remove(&tag);
    }

    /// Adds an item to the file.
    pub(super) fn add_item(&mut self, at: usize, slot: FileSlot) -> u32 {
        let tag = self.tag();
        let at = at.min(self.here.tags.len());
        for (key, value) in slot.data.iter() {
            self.here.edits.insert((tag, key.clone()), value.clone());
        }
        self.here.tags.insert(at, tag);
        self.here.file.slots.insert(at, slot);
        tag
    }
}

pub(super) fn object(pairs: &[(&str, Value)]) -> Object {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

/// Returns a string without what the service adds or removes.
fn plain(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("https://").unwrap_or(text)
}

fn strings(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.insert(plain(text).to_owned());
        }
        Value::Array(all) => all.iter().for_each(|value| strings(value, found)),
        Value::Object(all) => all.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}
