//! Reverse of a run: the page that is to be applied to undo it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use serde_json::Value;

use super::page_fields::{MOOD, PAGE_FIELDS, held, keys_of_both};
use super::run_effects::RunEffects;
use super::schema::Clearing;
use super::{
    DesiredPage, DesiredSlot, JournalEntries, PageSnapshot, Plan, PlanOptions, SlotTypes, Wanted,
    arrange, fingerprint, ids_of, same,
};
use links_sdk::{Object, Slot, SlotId};

/// Facts that the reverse of a run needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoFacts<'a> {
    /// Slot types of the service.
    pub types: &'a SlotTypes,
    /// Slots before the run, in page order, from its backup, if it has one.
    pub before: Option<&'a [DesiredSlot]>,
    /// IDs of slots that were created again since, by their earlier IDs.
    pub recreated: &'a BTreeMap<SlotId, SlotId>,
    /// Those of them that an interrupted undo of the run has created, and perhaps not moved to their place.
    pub unplaced: &'a BTreeSet<SlotId>,
    /// Set to restore also what was changed since the run; otherwise it stays, and is a conflict.
    pub overwrite: bool,
}

/// Reverse of a run.
///
/// Only the writes of the run are reversed. Values, positions and slots that others changed later are conflicts, and slots that were added
/// later are kept. [`UndoSource::reverse`](crate::undo::UndoSource::reverse) creates it, and [`Apply::undo`](super::Apply::undo) creates
/// the request.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Undo {
    /// Slots that the page should have: all current slots, except [`deletes`](Self::deletes), and the slots that are created again.
    /// Everything in [`conflicts`](Self::conflicts) stays unchanged.
    pub desired: DesiredPage,
    /// Earlier IDs of the slots that are created again, by the index of the item.
    pub recreates: BTreeMap<usize, SlotId>,
    /// Slots that the run created and that will be deleted.
    pub deletes: BTreeSet<SlotId>,
    /// Changes since the run that a complete undo would overwrite.
    pub conflicts: Vec<UndoConflict>,
    /// Parts that cannot be restored.
    pub not_restored: Vec<NotRestored>,
}

/// A change since a run that its undo would overwrite.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum UndoConflict {
    /// A profile field has another value than after the run.
    Field {
        /// Name of the field.
        name: String,
        /// The value after the run.
        left: Value,
        /// The value on the page.
        now: Value,
    },
    /// A value of a slot is different than after the run.
    Edited {
        /// ID of the slot.
        id: SlotId,
        /// The type.
        kind: String,
        /// Key of the data.
        key: String,
        /// The value after the run.
        left: Value,
        /// The value on the page.
        now: Value,
    },
    /// A slot that the run changed was deleted.
    Gone {
        /// ID of the slot.
        id: SlotId,
        /// The type.
        kind: String,
    },
    /// The slots are in another order than after the run.
    Moved {
        /// Slots in the order after the run.
        left: Vec<SlotId>,
        /// The same slots in the order of the page.
        now: Vec<SlotId>,
    },
}

/// Names what was changed.
impl fmt::Display for UndoConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field { name, .. } => f.write_str(name),
            Self::Edited { id, key, .. } => write!(f, "slot {id}, {key}"),
            Self::Gone { id, .. } => write!(f, "slot {id}"),
            Self::Moved { .. } => f.write_str("order"),
        }
    }
}

/// Part of a run that cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRestored {
    /// A profile field that page files cannot contain.
    Field {
        /// Name of the field.
        name: String,
    },
    /// A deleted slot whose type cannot be created, or whose content is not recorded.
    Slot {
        /// ID of the slot.
        id: SlotId,
        /// The type.
        kind: String,
    },
    /// A key that the run added and that the service cannot clear.
    Key {
        /// ID of the slot.
        id: SlotId,
        /// The key.
        key: String,
    },
    /// A slot that was perhaps created. The response was lost, and the slots before are not recorded.
    Create {
        /// The type.
        kind: String,
    },
    /// The status from before the run, because it had expired: visitors would see it again.
    ExpiredStatus,
}

impl Undo {
    /// Returns the wanted content of a page, with slots identified only by their IDs; `None` if others have changed the page since the undo
    /// was made for it as it was in `seen`. `created` are the slots that an interrupted undo has created, by the index of their item.
    pub fn wanted(
        &self,
        seen: &PageSnapshot,
        now: &PageSnapshot,
        created: &BTreeMap<usize, SlotId>,
    ) -> Option<Wanted> {
        // A create in doubt may just have been settled.
        let others = |slots: &[Slot]| {
            let others = slots.iter().filter(|slot| created.values().all(|id| *id != slot.id));
            fingerprint(&others.cloned().collect::<Vec<_>>())
        };
        let (before, after) = (seen.fields(), now.fields());
        let mut names = self.desired.fields.keys();
        if others(&seen.slots) != others(&now.slots)
            || names.any(|name| !same(held(&before, name), held(&after, name)))
        {
            return None;
        }
        let wanted = Wanted::by_id(self.desired.clone(), self.deletes.clone());
        Some(wanted.with_created(&now.slots, created, &SlotTypes::default()))
    }

    /// Returns whether there is anything to write to the current page, as far as it can be planned.
    pub fn has_changes(&self, now: &PageSnapshot, types: &SlotTypes) -> bool {
        let options = PlanOptions { types: types.clone(), ..PlanOptions::default() };
        let wanted = self.wanted(now, now, &BTreeMap::new());
        let plan = wanted.and_then(|wanted| Plan::of_page(now, &wanted, &options).ok());
        plan.is_none_or(|plan| !plan.is_empty())
    }

    /// Returns the reverse of a run for the page as it is now: its slots in order, and its profile fields in the form of files.
    pub(crate) fn of(
        run: &JournalEntries,
        now: &[Slot],
        fields: &Object,
        facts: &UndoFacts<'_>,
    ) -> Self {
        let effects = RunEffects::of(run, now, facts.before);
        let before = &*effects.before(run, facts.before.unwrap_or_default());
        let on_page: BTreeMap<SlotId, &Slot> = now.iter().map(|slot| (slot.id, slot)).collect();
        let mut reverse = Reverse { facts, before, run, effects, on_page, undo: Self::default() };
        reverse.restore_fields(fields);
        reverse.delete_created();
        let mut values = reverse.restore_values();
        let recreates = reverse.recreate_deleted();
        for id in reverse.order(now, &recreates) {
            let slot = match (reverse.on_page.get(&id), recreates.get(&id)) {
                (Some(slot), _) => DesiredSlot {
                    id: Some(id),
                    kind: slot.kind.clone(),
                    data: values.remove(&id).unwrap_or_default(),
                },
                (None, Some(deleted)) => {
                    let undo = &mut reverse.undo;
                    undo.recreates.insert(undo.desired.slots.len(), id);
                    let mut slot = DesiredSlot { id: None, ..(*deleted).clone() };
                    slot.data.retain(|key, _| facts.types.is_writable_key(&deleted.kind, key));
                    slot
                }
                (None, None) => continue,
            };
            reverse.undo.desired.slots.push(slot);
        }
        reverse.undo
    }
}

/// The reverse of a run while it is made.
struct Reverse<'a> {
    facts: &'a UndoFacts<'a>,
    /// Slots before the run, as far as they are known.
    before: &'a [DesiredSlot],
    run: &'a JournalEntries,
    effects: RunEffects<'a>,
    on_page: BTreeMap<SlotId, &'a Slot>,
    undo: Undo,
}

impl<'a> Reverse<'a> {
    fn restore_fields(&mut self, page: &Object) {
        let mut has_status = false;
        for (name, (before, left)) in std::mem::take(&mut self.effects.fields) {
            let before = before.unwrap_or(&Value::Null);
            if !PAGE_FIELDS.contains(&name) {
                self.undo.not_restored.push(NotRestored::Field { name: name.to_owned() });
                continue;
            }
            let now = held(page, name);
            if !same(now, before) && !same(now, left) && !self.facts.overwrite {
                let (name, left, now) = (name.to_owned(), left.clone(), now.clone());
                self.undo.conflicts.push(UndoConflict::Field { name, left, now });
                continue;
            }
            has_status |= MOOD.contains(&name) && (same(now, left) || !same(now, before));
            self.undo.desired.fields.insert(name.to_owned(), before.clone());
        }
        self.restore_status(has_status);
    }

    /// Leaves both fields of a status alone if one of them is a conflict: the other one would change the status of another client. A status that
    /// had expired is cleared, because its values would post it again. `has_status` says that the page has the status of the run.
    fn restore_status(&mut self, has_status: bool) {
        let Undo { desired, conflicts, not_restored, .. } = &mut self.undo;
        let fields = &mut desired.fields;
        let is_of_status = |name: &str| MOOD.contains(&name);
        let is_contested = conflicts.iter().any(|conflict| match conflict {
            UndoConflict::Field { name, .. } => is_of_status(name),
            _ => false,
        });
        if is_contested {
            fields.retain(|name, _| !is_of_status(name));
            return;
        }
        if !self.run.had_expired_mood() || !has_status {
            return;
        }
        if fields.contains_key("moodText") {
            for (_, value) in fields.iter_mut().filter(|(name, _)| is_of_status(name)) {
                *value = Value::Null;
            }
            not_restored.push(NotRestored::ExpiredStatus);
        } else if fields.remove("moodHours").is_some() {
            // The text may be that of another client.
            not_restored.push(NotRestored::Field { name: "moodHours".to_owned() });
        }
    }

    fn delete_created(&mut self) {
        let types = self.facts.types;
        let stored = self.run.stored.as_ref();
        for (id, create) in self.effects.creates.clone() {
            let id = self.now_of(id);
            let Some(&slot) = self.on_page.get(&id) else { continue };
            let mut is_edited = false;
            for key in keys_of_both(&create.data, &slot.data) {
                let now = held(&slot.data, key);
                let own = stored.and_then(|it| it.get(key)).or_else(|| create.data.get(key));
                // A value that was not sent may be one that the service fills in.
                let is_filled_in = own.is_none()
                    && (!types.knows(&slot.kind)
                        || now.is_null()
                        || types.fills_in(&slot.kind, key, now));
                let left = own.unwrap_or(&Value::Null);
                if !is_filled_in && !same(now, left) {
                    is_edited |= self.stays(slot, key, left);
                }
            }
            if !is_edited {
                self.undo.deletes.insert(id);
            }
        }
        let lost = |kind: &&str| NotRestored::Create { kind: (*kind).to_owned() };
        self.undo.not_restored.extend(self.effects.doubtful.iter().map(lost));
    }

    /// Returns the values to write, by slot.
    fn restore_values(&mut self) -> BTreeMap<SlotId, Object> {
        let gone: HashSet<SlotId> = self.effects.deletes.iter().map(|delete| delete.id).collect();
        let made: HashSet<SlotId> = self.effects.creates.iter().map(|(id, _)| *id).collect();
        let mut values: BTreeMap<SlotId, Object> = BTreeMap::new();
        for (id, (kind, keys)) in std::mem::take(&mut self.effects.updates) {
            if gone.contains(&id) || made.contains(&id) {
                continue;
            }
            let id = self.now_of(id);
            let Some(&slot) = self.on_page.get(&id) else {
                let kind = kind.to_owned();
                if self.facts.overwrite {
                    self.undo.not_restored.push(NotRestored::Slot { id, kind });
                } else {
                    self.undo.conflicts.push(UndoConflict::Gone { id, kind });
                }
                continue;
            };
            for (key, (before, left)) in keys {
                let now = held(&slot.data, key);
                let wanted = before.unwrap_or(&Value::Null);
                let is_restored = same(now, wanted);
                if !is_restored && !same(now, left) && self.stays(slot, key, left) {
                    continue;
                }
                let clearing = self.facts.types.clearing(&slot.kind, key);
                if !is_restored && wanted.is_null() && clearing == Clearing::Impossible {
                    self.undo.not_restored.push(NotRestored::Key { id, key: key.to_owned() });
                } else if !is_restored || before.is_some() {
                    values.entry(id).or_default().insert(key.to_owned(), wanted.clone());
                }
            }
        }
        values
    }

    /// Returns the slots to create again, by their earlier IDs.
    fn recreate_deleted(&mut self) -> BTreeMap<SlotId, &'a DesiredSlot> {
        let mut recreates = BTreeMap::new();
        let mut since = self.slots_since();
        for delete in &self.effects.deletes {
            let (id, kind) = (delete.id, &delete.kind);
            if self.on_page.contains_key(&self.now_of(id)) {
                continue;
            }
            let recorded = self.before.iter().find(|slot| slot.id == Some(id));
            match recorded.filter(|slot| can_be_created(slot, self.facts.types)) {
                Some(slot) => {
                    match since.iter().position(|it| is_equal(it, slot, self.facts.types)) {
                        Some(again) => drop(since.remove(again)),
                        None => drop(recreates.insert(id, slot)),
                    }
                }
                None => {
                    self.undo.not_restored.push(NotRestored::Slot { id, kind: kind.clone() });
                }
            }
        }
        recreates
    }

    /// Returns the slots that came to the page since the run, so that none of them is made a second time.
    fn slots_since(&self) -> Vec<&'a Slot> {
        let before = || self.before.iter().filter_map(|slot| slot.id);
        let mut known: BTreeSet<SlotId> = before().map(|id| self.now_of(id)).collect();
        known.extend(self.effects.creates.iter().map(|(id, _)| self.now_of(*id)));
        // One that was gone before the run, and was created again since, did not come since. IDs only grow.
        let newest = before().max();
        for (old, new) in self.facts.recreated {
            if Some(*old) <= newest || known.contains(old) {
                known.insert(*new);
            }
        }
        self.on_page.values().copied().filter(|slot| !known.contains(&slot.id)).collect()
    }

    /// Returns the slots in the order of the page to be, those that are created again by their earlier IDs.
    fn order(&mut self, now: &[Slot], recreates: &BTreeMap<SlotId, &DesiredSlot>) -> Vec<SlotId> {
        let page = ids_of(now);
        let before: Vec<SlotId> = self
            .before
            .iter()
            .filter_map(|slot| Some(self.now_of(slot.id?)))
            .filter(|id| self.on_page.contains_key(id) || recreates.contains_key(id))
            .collect();
        let deletes: foldhash::HashSet<SlotId> = self.undo.deletes.iter().copied().collect();
        if let Some(left) = self.effects.order.take() {
            let left: Vec<SlotId> = left.into_iter().map(|id| self.now_of(id)).collect();
            if !self.is_moved(left, &before, &page) {
                return arrange(&page, &before, &deletes);
            }
        }
        let unplaced = self.facts.unplaced;
        let is_placed = |id: &SlotId| !deletes.contains(id) && !unplaced.contains(id);
        let mut wanted: Vec<SlotId> = page.iter().copied().filter(is_placed).collect();
        let is_to_place = |id: &SlotId| recreates.contains_key(id) || unplaced.contains(id);
        for (at, id) in before.iter().enumerate().filter(|(_, id)| is_to_place(id)) {
            let left = before[..at].iter().rev().find_map(|left| {
                wanted.iter().position(|id| id == left).map(|position| position + 1)
            });
            wanted.insert(left.unwrap_or(0), *id);
        }
        wanted
    }

    /// Returns whether the order of the page stays, because it is neither the one that the run left nor the one before: a conflict.
    fn is_moved(&mut self, mut left: Vec<SlotId>, before: &[SlotId], page: &[SlotId]) -> bool {
        let now: Vec<SlotId> = page.iter().copied().filter(|id| left.contains(id)).collect();
        left.retain(|id| now.contains(id));
        let before = before.iter().filter(|id| now.contains(id));
        let is_before =
            before.clone().eq(now.iter().filter(|id| before.clone().any(|it| it == *id)));
        let is_moved = left != now && !is_before && !self.facts.overwrite;
        if is_moved {
            self.undo.conflicts.push(UndoConflict::Moved { left, now });
        }
        is_moved
    }

    /// Returns the ID that a slot has now, if it was deleted and created again.
    fn now_of(&self, id: SlotId) -> SlotId {
        let mut latest = id;
        // Ids only grow, so that this ends.
        while !self.on_page.contains_key(&latest) {
            match self.facts.recreated.get(&latest) {
                Some(next) if *next > latest => latest = *next,
                _ => return id,
            }
        }
        latest
    }

    /// Returns whether a value that is not what the run left stays: a conflict.
    fn stays(&mut self, slot: &Slot, key: &str, left: &Value) -> bool {
        if !self.facts.overwrite {
            let (id, kind, key) = (slot.id, slot.kind.clone(), key.to_owned());
            let (left, now) = (left.clone(), held(&slot.data, &key).clone());
            self.undo.conflicts.push(UndoConflict::Edited { id, kind, key, left, now });
        }
        !self.facts.overwrite
    }
}

/// Returns whether a slot of the page has the values of a deleted one that can be written.
fn is_equal(slot: &Slot, deleted: &DesiredSlot, types: &SlotTypes) -> bool {
    let keys = keys_of_both(&slot.data, &deleted.data);
    let mut keys = keys.filter(|key| types.is_writable_key(&slot.kind, key));
    slot.kind == deleted.kind
        && keys.all(|key| same(held(&slot.data, key), held(&deleted.data, key)))
}

/// Returns whether a slot can be created again: the backup has a legacy slot without its content, and its type may not be creatable.
fn can_be_created(slot: &DesiredSlot, types: &SlotTypes) -> bool {
    types.is_creatable(&slot.kind) && (!slot.data.is_empty() || slot.kind == "divider")
}
