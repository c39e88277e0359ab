//! Changes to a file that take over what changed on its page.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::bound::{Bound, ComparedKey, Decision};
use super::merge::merged_order;
use super::next_base::{earlier_ids, unmentioned};
use super::{
    ConflictMark, FilePage, FileSlot, HashPair, LivePage, PageBase, PulledItem, PulledKey,
    SlotBase, SyncNote, ValueHash,
};
use crate::apply::{DesiredPage, DesiredSlot, PlanError, SlotTypes};
use links_sdk::{Object, SlotId};

/// Changes of a pull to a file, and the record after the pull. Edits of the file are never discarded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Pull {
    /// Profile fields to set.
    pub fields: Object,
    /// Keys of items to set; `null` clears a key.
    pub keys: Vec<PulledKey>,
    /// Slots to insert.
    pub inserted: Vec<DesiredSlot>,
    /// Items to remove, because their slot was deleted on the page.
    pub removed: Vec<usize>,
    /// Items whose `id` must be removed, because the slot no longer exists on the page.
    pub unnamed: Vec<usize>,
    /// All items after the pull, in order.
    pub order: Vec<PulledItem>,
    /// Set if items of the file change places among themselves.
    pub is_reordered: bool,
    /// Places to mark as conflicts.
    pub marks: Vec<ConflictMark>,
    /// Notes for the user.
    pub notes: Vec<SyncNote>,
    /// The record of the sync. Write it after the file.
    pub base: PageBase,
}

impl Pull {
    /// Decides what a pull changes, based on the record of the last sync. Without a record, different values are marked as conflicts. Keys of
    /// items, and fields (`None`), that are `refused` are left as the file and the record have them.
    ///
    /// # Errors
    ///
    /// When it is unclear which slots some items are.
    pub fn new(
        base: Option<&PageBase>,
        file: &FilePage,
        page: &LivePage,
        types: &SlotTypes,
        refused: &BTreeSet<(Option<usize>, String)>,
    ) -> Result<Self, PlanError> {
        let bound = Bound::new(base, file, page, types, &BTreeMap::new(), false)?;
        let doubts = bound.identities.doubts();
        if !doubts.is_empty() {
            return Err(PlanError::Items(doubts));
        }
        let puller = Puller {
            bound: &bound,
            types,
            refused,
            entries: BTreeMap::new(),
            inserted: BTreeMap::new(),
            pull: Self::default(),
        };
        Ok(puller.run())
    }
}

struct Puller<'c, 'a> {
    bound: &'c Bound<'a>,
    types: &'c SlotTypes,
    /// Keys and fields that stay as they are.
    refused: &'c BTreeSet<(Option<usize>, String)>,
    /// The entries of the next record, by the position of their slot.
    entries: BTreeMap<usize, SlotBase>,
    /// The index in the pull of each inserted slot, by its position.
    inserted: BTreeMap<usize, usize>,
    pull: Pull,
}

impl Puller<'_, '_> {
    fn run(mut self) -> Pull {
        self.pull_fields();
        for item in 0..self.bound.items.len() {
            self.pull_item(item);
        }
        self.pull_deleted_here();
        for position in &self.bound.identities.made_there {
            self.insert(*position, None);
        }
        self.arrange();
        self.pull.base.id = self.bound.page.id;
        self.pull.base.login = self.bound.page.login.clone();
        self.pull.base.slots = if self.bound.file.keeps_slots {
            self.bound.entries.to_vec()
        } else {
            self.entries.into_values().collect()
        };
        self.pull
    }

    fn pull_item(&mut self, item: usize) {
        let bound = self.bound;
        match (bound.entry(item), bound.position(item)) {
            (_, Some(position)) => self.pull_slot(item, position),
            (None, None) => {
                let resembling = &bound.identities.resembling[item];
                if !resembling.is_empty() {
                    let ids = resembling.iter().map(|at| bound.id(*at)).collect();
                    self.pull.marks.push(ConflictMark::Resembles { item, ids });
                }
            }
            (Some(entry), None) => {
                if bound.edited_keys(item, entry).is_empty() {
                    self.pull.removed.push(item);
                    return;
                }
                self.pull.marks.push(ConflictMark::DeletedThere { item, id: entry.id });
                if bound.items[item].item.id.named().is_some() {
                    self.pull.unnamed.push(item);
                }
            }
        }
    }

    fn pull_slot(&mut self, item: usize, position: usize) {
        let bound = self.bound;
        let (said, slot) = (bound.items[item].item, &bound.slots[position]);
        let old = bound.entry(item);
        let (id, kind) = (slot.slot.id, said.kind.clone());
        // Only `apply` may unlock a slot.
        let is_locked = said.is_locked || old.is_some_and(|old| old.is_locked);
        let (was, keys) = (earlier_ids(id, old, said.id.named()), BTreeMap::new());
        let mut entry = SlotBase { id, was, kind, is_locked, keys };
        if slot.is_editable {
            entry.keys = old.map_or_else(|| unmentioned(slot, &said.data), |old| old.keys.clone());
            for compared in bound.keys(item, position) {
                self.pull_value(Some(item), &compared, &mut entry.keys);
            }
            if let Some(old) = old {
                let removed = bound.removed_keys(item, old);
                self.note_removed(Some((item, id)), removed, &mut entry.keys);
                for key in bound.changed_there(old, position) {
                    if !bound.items[item].keys.contains_key(key) {
                        let value = slot.value(key);
                        self.pull_unmentioned(Some(item), key, value, &mut entry.keys);
                    }
                }
            }
            entry.keys.retain(|_, pair| *pair != HashPair::UNMENTIONED);
        }
        self.entries.insert(position, entry);
    }

    /// Takes over a key of an item or a profile field that the file mentions, and moves its pair.
    fn pull_value(
        &mut self,
        item: Option<usize>,
        compared: &ComparedKey<'_>,
        pairs: &mut BTreeMap<String, HashPair>,
    ) {
        let ComparedKey { file, page, decision, .. } = *compared;
        let (key, hash) = (compared.key.to_owned(), ValueHash::of(page));
        let said = item.map(|item| self.bound.items[item].item);
        let agreed = || {
            let said = &said.map_or(&self.bound.file.fields, |said| &said.data)[compared.key];
            HashPair { file: Some(ValueHash::of(said)), page: hash }
        };
        let may_store = |said: &FileSlot| self.types.may_store(&said.kind, &key, file, page);
        let pair = match decision {
            Decision::ChangedHere => return,
            Decision::Agreed => agreed(),
            Decision::Unrecorded if said.is_some_and(may_store) => agreed(),
            _ if self.refused.contains(&(item, key.clone())) => return,
            Decision::ChangedThere => {
                self.set(item, &key, page);
                HashPair::of(hash)
            }
            Decision::Conflict | Decision::Unrecorded => {
                let (key, page) = (key.clone(), page.clone());
                self.pull.marks.push(ConflictMark::Value { item, key, page });
                HashPair::of(hash)
            }
        };
        pairs.insert(key, pair);
    }

    /// Takes over a value that the file does not mention and that changed on the page.
    fn pull_unmentioned(
        &mut self,
        item: Option<usize>,
        key: &str,
        value: &Value,
        pairs: &mut BTreeMap<String, HashPair>,
    ) {
        if self.refused.contains(&(item, key.to_owned())) {
            return;
        }
        let hash = ValueHash::of(value);
        let pair = if hash.is_empty() {
            HashPair::UNMENTIONED
        } else {
            self.set(item, key, value);
            HashPair::of(hash)
        };
        pairs.insert(key.to_owned(), pair);
    }

    /// Notes that the file does not mention these keys of a slot, or fields, any more.
    fn note_removed(
        &mut self,
        slot: Option<(usize, SlotId)>,
        removed: Vec<&str>,
        pairs: &mut BTreeMap<String, HashPair>,
    ) {
        for key in removed {
            if let Some(pair) = pairs.get_mut(key) {
                pair.file = None;
            }
            self.pull.notes.push(SyncNote::stays(slot, key));
        }
    }

    fn set(&mut self, item: Option<usize>, key: &str, value: &Value) {
        let (key, value) = (key.to_owned(), value.clone());
        match item {
            Some(item) => self.pull.keys.push(PulledKey { item, key, value }),
            None => drop(self.pull.fields.insert(key, value)),
        }
    }

    /// Takes over the slots whose item was deleted in the file and that changed on the page. The others are still to be deleted.
    fn pull_deleted_here(&mut self) {
        for (entry, position) in self.bound.deleted_here() {
            let is_editable = self.bound.slots[position].is_editable;
            if is_editable && !self.bound.changed_there(entry, position).is_empty() {
                let inserted = self.insert(position, Some(entry));
                self.pull.marks.push(ConflictMark::DeletedHere { inserted, id: entry.id });
            } else {
                self.entries.insert(position, entry.clone());
            }
        }
    }

    fn insert(&mut self, position: usize, old: Option<&SlotBase>) -> usize {
        let slot = self.bound.slots[position].slot;
        let inserted = DesiredPage::from_page(std::slice::from_ref(slot), self.types).slots;
        let values = inserted.iter().flat_map(|slot| slot.data.iter());
        let keys = values.map(|(key, value)| (key.clone(), HashPair::of(ValueHash::of(value))));
        let (was, kind) = (earlier_ids(slot.id, old, None), slot.kind.clone());
        let is_locked = old.is_some_and(|old| old.is_locked);
        let entry = SlotBase { id: slot.id, was, kind, is_locked, keys: keys.collect() };
        let nth = self.pull.inserted.len();
        self.pull.inserted.extend(inserted);
        self.entries.insert(position, entry);
        self.inserted.insert(position, nth);
        nth
    }

    fn pull_fields(&mut self) {
        let bound = self.bound;
        let mut pairs = bound.field_pairs.clone();
        for (key, value) in bound.page.fields.iter() {
            if !bound.file.fields.contains_key(key) {
                let page = ValueHash::of(value);
                pairs.entry(key.clone()).or_insert(HashPair { file: None, page });
            }
        }
        for compared in bound.fields() {
            self.pull_value(None, &compared, &mut pairs);
        }
        self.note_removed(None, bound.removed_fields(), &mut pairs);
        for (key, value) in bound.unmentioned_fields_changed_there() {
            self.pull_unmentioned(None, key, value, &mut pairs);
        }
        self.pull.base.fields = pairs;
    }

    /// Computes the order of the items: that of the page if only the page changed. Inserted slots follow their left neighbor on the page.
    fn arrange(&mut self) {
        let bound = self.bound;
        let stays = |item: &usize| !self.pull.removed.contains(item);
        let staying: Vec<usize> = (0..bound.items.len()).filter(stays).collect();
        let takes_page = bound.order == Decision::ChangedThere;
        let items = merged_order(&staying, |item| bound.position(item), takes_page);
        self.pull.is_reordered = items != staying;
        let mut place: BTreeMap<usize, PulledItem> = BTreeMap::new();
        for item in &items {
            place.extend(bound.position(*item).map(|at| (at, PulledItem::Item(*item))));
        }
        self.pull.order = items.into_iter().map(PulledItem::Item).collect();
        for (position, nth) in &self.inserted {
            let left = place.range(..position).next_back().map(|(_, left)| *left);
            let at = left.and_then(|left| self.pull.order.iter().position(|other| *other == left));
            let inserted = PulledItem::Inserted(*nth);
            self.pull.order.insert(at.map_or(0, |at| at + 1), inserted);
            place.insert(*position, inserted);
        }
        if bound.order == Decision::Conflict {
            let ids = place.keys().map(|at| bound.id(*at)).collect();
            self.pull.marks.push(ConflictMark::Order { page: ids });
        }
    }
}
