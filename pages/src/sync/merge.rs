//! Three-way merge of a file with its page.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use super::bound::{Bound, ComparedKey, Decision};
use super::identity::ItemIdentity;
use super::{
    Conflict, Deletion, DeletionReason, FilePage, FileSlotId, LivePage, PageBase, RemoteChange,
    Replaced, SyncNote,
};
use crate::apply::{
    BoundItem, DesiredPage, DesiredSlot, ItemError, ItemProblem, PlanError, PlanOptions, Wanted,
    arrange, label, take_created,
};
use links_sdk::{Object, Slot, SlotId};

/// The content that a page should have, compared with changes by others since the last sync.
///
/// Nothing may be written while [`conflicts`](Self::conflicts) is not empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Merge {
    /// The slots that the page should have: existing slots with their ID, and new slots. They have only the keys to write.
    pub desired: DesiredPage,
    /// For each slot of `desired`, the index of its item in the file.
    pub items: Vec<usize>,
    /// Profile fields to write.
    pub fields: Object,
    /// Slots to delete, in page order.
    pub deletions: Vec<Deletion>,
    /// Conflicting changes.
    pub conflicts: Vec<Conflict>,
    /// Changes on the page that are not in the file.
    pub remote: Vec<RemoteChange>,
    /// Values of the page that are replaced, although another client may have set them.
    pub replaced: Vec<Replaced>,
    /// Notes for the user.
    pub notes: Vec<SyncNote>,
    /// What each item of the file is.
    pub(super) bindings: Vec<Binding>,
}

/// What an item of the file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Binding {
    /// The index of its entry in the record.
    pub(super) entry: Option<usize>,
    /// The ID of its slot on the page.
    pub(super) slot: Option<SlotId>,
}

impl Merge {
    /// Merges the file with the page, based on the record of their last sync. Without a record, the file wins, nothing is deleted unless
    /// `options` allow it, and the replaced values are listed.
    ///
    /// # Errors
    ///
    /// When it is unclear which slots some items are.
    pub fn new(
        base: Option<&PageBase>,
        file: &FilePage,
        page: &LivePage,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        let (types, wins) = (&options.types, options.overwrite);
        let bound = Bound::new(base, file, page, types, &options.created, wins)?;
        if !wins {
            refuse_doubtful(&bound)?;
        }
        let merger = Merger {
            bound: &bound,
            is_recorded: base.is_some(),
            wins,
            options,
            merge: Self::default(),
        };
        let mut merge = merger.run();
        // One that was made of a slot which is gone is bound to that slot by the record.
        let items = merge.items.iter().zip(&mut merge.desired.slots);
        let items = items.map(|(item, slot)| (*item, &*slot.kind, &mut slot.id)).collect();
        take_created(items, &page.slots, &options.created, &options.types);
        Ok(merge)
    }

    /// Keeps the slots that were created on the page, even if they were to be deleted.
    pub fn keep_made(&mut self) {
        let deletions = std::mem::take(&mut self.deletions).into_iter();
        let (made, rest): (Vec<_>, Vec<_>) =
            deletions.partition(|deletion| deletion.reason == DeletionReason::MadeThere);
        self.deletions = rest;
        let remote = |Deletion { id, kind, label, .. }| RemoteChange::Made { id, kind, label };
        self.remote.extend(made.into_iter().map(remote));
    }

    /// Returns the content that the page should have.
    pub fn wanted(&self) -> Wanted {
        let fields = self.fields.clone();
        let slots = self.desired.slots.clone();
        let bound = self.items.iter().zip(&slots);
        let bound = bound.map(|(item, slot)| BoundItem { item: *item, slot: slot.id }).collect();
        let deleted = self.deletions.iter().map(|deletion| deletion.id).collect();
        Wanted { bound, ..Wanted::by_id(DesiredPage { fields, slots }, deleted) }
    }
}

fn refuse_doubtful(bound: &Bound<'_>) -> Result<(), PlanError> {
    let new = ItemIdentity { entry: None, position: None };
    let mut problems = bound.identities.doubts();
    for (index, positions) in bound.identities.resembling.iter().enumerate() {
        if bound.identities.items[index] == new && !positions.is_empty() {
            let ids = positions.iter().map(|position| bound.id(*position)).collect();
            problems.push(ItemError { index, problem: ItemProblem::Resembles { ids } });
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(PlanError::Items(problems)) }
}

struct Merger<'c, 'a> {
    bound: &'c Bound<'a>,
    /// Set if there was a record of the last sync.
    is_recorded: bool,
    /// Set if the file wins over the page.
    wins: bool,
    options: &'c PlanOptions,
    merge: Merge,
}

impl Merger<'_, '_> {
    fn run(mut self) -> Merge {
        self.note_doubtful();
        self.merge_fields();
        let mut desired: BTreeMap<usize, DesiredSlot> = BTreeMap::new();
        let slot = |position: usize| self.bound.id(position);
        let binding = |it: &ItemIdentity| Binding { entry: it.entry, slot: it.position.map(slot) };
        self.merge.bindings = self.bound.identities.items.iter().map(binding).collect();
        for item in 0..self.bound.items.len() {
            desired.extend(self.merge_item(item).map(|slot| (item, slot)));
        }
        self.merge_deletions();
        self.merge_order();
        let takes_order = self.bound.order == Decision::ChangedThere && !self.wins;
        let present: Vec<usize> = desired.keys().copied().collect();
        let position = |item: usize| self.bound.position(item);
        for item in merged_order(&present, position, takes_order) {
            if let Some(slot) = desired.remove(&item) {
                self.merge.desired.slots.push(slot);
                self.merge.items.push(item);
            }
        }
        self.merge
    }

    /// Lists the deletions that the file may undo, where it wins.
    fn note_doubtful(&mut self) {
        for (items, ids) in &self.bound.identities.doubtful {
            let item = items.first().copied().unwrap_or_default();
            let undone = ids.iter().map(|id| Replaced::Deletion { item, id: *id });
            self.merge.replaced.extend(undone);
        }
    }

    /// Returns what the page should have for an item; `None` where the page keeps nothing for it.
    fn merge_item(&mut self, item: usize) -> Option<DesiredSlot> {
        let written = self.bound.items[item].item;
        let new = || DesiredSlot { id: None, kind: written.kind.clone(), data: written.values() };
        match (self.bound.entry(item), self.bound.position(item)) {
            (_, Some(position)) => Some(self.merge_slot(item, position)),
            (None, None) => Some(new()),
            (Some(entry), None) => {
                let keys = self.bound.edited_keys(item, entry);
                let id = entry.id;
                if self.wins {
                    self.merge.replaced.push(Replaced::Deletion { item, id });
                    return Some(new());
                }
                if keys.is_empty() {
                    self.merge.remote.push(RemoteChange::Deleted { item, id });
                } else {
                    self.merge.conflicts.push(Conflict::DeletedThere { item, id, keys });
                }
                None
            }
        }
    }

    fn merge_slot(&mut self, item: usize, position: usize) -> DesiredSlot {
        let written = self.bound.items[item].item;
        let slot = &self.bound.slots[position];
        let id = slot.slot.id;
        let mut desired =
            DesiredSlot { id: Some(id), kind: written.kind.clone(), data: Object::default() };
        if !slot.is_editable {
            // The planner refuses values that the slot does not have.
            desired.data = written.values();
            return desired;
        }
        for compared in self.bound.keys(item, position) {
            if self.merge_value(Some((item, slot.slot)), &compared) {
                desired.data.insert(compared.key.to_owned(), compared.file.clone());
            }
        }
        let entry = self.bound.entry(item);
        let removed = entry.map(|entry| self.bound.removed_keys(item, entry));
        self.note_removed(Some((item, id)), removed.unwrap_or_default());
        let named = written.id.named().filter(|_| self.is_recorded);
        match entry.map(|entry| entry.id).or(named) {
            Some(was) if was != id => {
                self.merge.notes.push(SyncNote::Recreated { item, was, id });
            }
            None if self.is_recorded && written.id == FileSlotId::Absent => {
                self.merge.notes.push(SyncNote::Adopted { item, id });
            }
            _ => {}
        }
        desired
    }

    /// Returns whether the file's value of a key of a slot, or of a profile field, has to be written.
    fn merge_value(&mut self, of: Option<(usize, &Slot)>, compared: &ComparedKey<'_>) -> bool {
        let ComparedKey { decision, file, page, .. } = *compared;
        let slot = of.map(|(item, slot)| (item, slot.id));
        let (key, page) = (compared.key.to_owned(), page.clone());
        let may_store =
            |(_, slot): (_, &Slot)| self.options.types.may_store(&slot.kind, &key, file, &page);
        match decision {
            Decision::Agreed => return false,
            Decision::ChangedHere => {}
            Decision::Unrecorded if of.is_some_and(may_store) => return false,
            Decision::ChangedThere if !self.wins => {
                let file = file.clone();
                self.merge.remote.push(match slot {
                    Some((item, id)) => RemoteChange::Key { item, id, key, file, page },
                    None => RemoteChange::Field { key, file, page },
                });
                return false;
            }
            Decision::Conflict | Decision::Unrecorded
                if !self.wins
                    && self.is_recorded
                    && (slot.is_some() || decision == Decision::Conflict) =>
            {
                let (file, recorded) = (file.clone(), decision == Decision::Conflict);
                self.merge.conflicts.push(Conflict::Value { slot, key, file, page, recorded });
                return false;
            }
            Decision::ChangedThere | Decision::Conflict | Decision::Unrecorded => {
                self.merge.replaced.push(match slot {
                    Some((item, id)) => Replaced::Key { item, id, key, page },
                    None => Replaced::Field { key, page },
                });
            }
        }
        true
    }

    fn merge_fields(&mut self) {
        let fields = self.bound.fields();
        for compared in &fields {
            if self.merge_value(None, compared) {
                self.merge.fields.insert(compared.key.to_owned(), compared.file.clone());
            }
        }
        // The service takes both fields of a status together.
        for (field, other) in [("moodText", "moodHours"), ("moodHours", "moodText")] {
            let is_kept =
                fields.iter().any(|it| it.key == other && it.decision == Decision::ChangedThere);
            let value = if is_kept {
                self.bound.page.fields.get(other)
            } else {
                self.bound.file.field(other)
            };
            if let Some(value) = value.filter(|value| !value.is_null())
                && self.merge.fields.contains_key(field)
                && !self.merge.fields.contains_key(other)
            {
                self.merge.fields.insert(other.to_owned(), value.clone());
            }
        }
        self.note_removed(None, self.bound.removed_fields());
    }

    /// Notes that the file does not mention these keys of a slot, or fields, any more.
    fn note_removed(&mut self, slot: Option<(usize, SlotId)>, removed: Vec<&str>) {
        self.merge.notes.extend(removed.into_iter().map(|key| SyncNote::stays(slot, key)));
    }

    fn merge_deletions(&mut self) {
        let bound = self.bound;
        let named = |position: usize| {
            let slot = bound.slots[position].slot;
            (slot.id, slot.kind.clone(), label(&slot.data))
        };
        let mut deleted = BTreeMap::new();
        for (entry, position) in bound.deleted_here() {
            let slot = &bound.slots[position];
            let keys = match slot.is_editable {
                true => bound.changed_there(entry, position),
                false if self.options.prunes(slot.slot) => BTreeSet::new(),
                false => continue,
            };
            if keys.is_empty() {
                deleted.insert(position, DeletionReason::DeletedHere);
            } else if self.wins {
                deleted.insert(position, DeletionReason::ChangedThere);
            } else {
                let (id, kind, label) = named(position);
                let keys = keys.into_iter().map(str::to_owned).collect();
                self.merge.conflicts.push(Conflict::DeletedHere { id, kind, label, keys });
            }
        }
        for position in &bound.identities.made_there {
            // A slot that resembles an item whose own is gone is perhaps what the file still has.
            let mut resembling = bound.identities.resembling.iter();
            if self.options.prunes(bound.slots[*position].slot)
                && !resembling.any(|slots| slots.contains(position))
            {
                deleted.insert(*position, DeletionReason::MadeThere);
            } else if self.is_recorded {
                let (id, kind, label) = named(*position);
                self.merge.remote.push(RemoteChange::Made { id, kind, label });
            }
        }
        self.merge.deletions = deleted
            .into_iter()
            .map(|(position, reason)| {
                let (id, kind, label) = named(position);
                Deletion { id, kind, label, reason }
            })
            .collect();
    }

    fn merge_order(&mut self) {
        let bound = self.bound;
        let in_file: Vec<usize> =
            (0..bound.items.len()).filter_map(|item| bound.position(item)).collect();
        let in_page: BTreeSet<usize> = in_file.iter().copied().collect();
        let page = in_page.into_iter().map(|position| bound.id(position)).collect();
        match bound.order {
            Decision::ChangedThere if !self.wins => {
                self.merge.remote.push(RemoteChange::Order { page });
            }
            Decision::Conflict if !self.wins => {
                self.merge.conflicts.push(Conflict::Order { page });
            }
            // Also the places of slots that the last sync did not know.
            Decision::Agreed | Decision::ChangedThere | Decision::Conflict
                if !in_file.is_sorted() =>
            {
                self.merge.replaced.push(Replaced::Order { page });
            }
            _ => {}
        }
    }
}

/// Returns the items in the order that they should have on the page: that of the file, or that of the page if `takes_page`. Items without
/// a place on the page then follow the item that is before them in the file.
pub(super) fn merged_order(
    items: &[usize],
    position: impl Fn(usize) -> Option<usize>,
    takes_page: bool,
) -> Vec<usize> {
    if !takes_page {
        return items.to_vec();
    }
    let mut placed = items.to_vec();
    placed.retain(|item| position(*item).is_some());
    placed.sort_by_key(|item| position(*item));
    arrange(items, &placed, &HashSet::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_without_a_place_follow_the_item_before_them() {
        // Items 0..6; 1, 2 and 5 are new, the others are on the page as 4, 0, 3.
        let position = |item: usize| [Some(2), None, None, Some(1), Some(0), None][item];
        let items: Vec<usize> = (0..6).collect();
        assert_eq!(merged_order(&items, position, false), items);
        assert_eq!(merged_order(&items, position, true), [4, 5, 3, 0, 1, 2]);
        assert_eq!(merged_order(&[1, 0], position, true), [1, 0]);
    }
}
