//! Reverse of a run: the page that is to be applied to undo it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use serde_json::Value;

use super::order::arrange;
use super::page_fields::{PAGE_FIELDS, held};
use super::run_effects::RunEffects;
use super::schema::Clearing;
use super::{
    DesiredPage, DesiredSlot, JournalEntries, PageSnapshot, Plan, PlanOptions, SlotTypes, Wanted,
    same,
};
use links_sdk::SlotId;
use links_sdk::{Object, Slot};

/// Facts that the reverse of a run needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndoFacts<'a> {
    /// Slot types of the service.
    pub(crate) types: &'a SlotTypes,
    /// Slots before the run, in page order, from its backup, if it has one.
    pub(crate) before: Option<&'a [DesiredSlot]>,
    /// Ids of slots that were created again since, by their earlier ids.
    pub(crate) recreated: &'a BTreeMap<SlotId, SlotId>,
    /// Those of them that an interrupted undo of the run has created, and perhaps not moved to their place.
    pub(crate) unplaced: &'a BTreeSet<SlotId>,
    /// Set to restore also what was changed since the run.
    pub(crate) overwrite: bool,
}

/// Reverse of a run.
///
/// Only what the run wrote is reversed: values, positions and slots that others changed since are conflicts, and slots that came since stay.
/// [`UndoSource::reverse`](crate::undo::UndoSource::reverse) makes it, and [`Apply::undo`](super::Apply::undo) the request.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Undo {
    /// Slots that the page should have: all that it has now, apart from [`deletes`](Self::deletes), and those that are created again.
    pub desired: DesiredPage,
    /// Earlier ids of the slots that are created again, by the index of the item.
    pub recreates: BTreeMap<usize, SlotId>,
    /// Slots that the run created and that are to be deleted.
    pub deletes: BTreeSet<SlotId>,
    /// Changes since the run that the reverse would overwrite.
    pub conflicts: Vec<UndoConflict>,
    /// What cannot be restored.
    pub not_restored: Vec<NotRestored>,
}

/// Change since a run that its reverse would overwrite.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum UndoConflict {
    /// A profile field is not what the run left.
    Field {
        /// Name of the field.
        name: String,
        /// The value that the run left.
        left: Value,
        /// The value on the page.
        now: Value,
    },
    /// A value is not what the run left.
    Edited {
        /// Id of the slot.
        id: SlotId,
        /// The type.
        kind: String,
        /// Key of the data.
        key: String,
        /// The value that the run left.
        left: Value,
        /// The value on the page.
        now: Value,
    },
    /// A slot that the run changed was deleted.
    Gone {
        /// Id of the slot.
        id: SlotId,
        /// The type.
        kind: String,
    },
    /// The slots are not in the order that the run left.
    Moved {
        /// Slots in the order that the run left.
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

/// Part of a run that cannot be reversed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRestored {
    /// A profile field that is no part of page files.
    Field {
        /// Name of the field.
        name: String,
    },
    /// A deleted slot of a type that cannot be created, or of which nothing is recorded.
    Slot {
        /// Id of the slot.
        id: SlotId,
        /// The type.
        kind: String,
    },
    /// A key that the run added and that the service cannot clear.
    Key {
        /// Id of the slot.
        id: SlotId,
        /// The key.
        key: String,
    },
    /// A slot that was perhaps created: the answer was lost, and which slots were there before is not recorded.
    Create {
        /// The type.
        kind: String,
    },
}

impl Undo {
    /// Returns what is wanted of the page: slots are identified by their ids alone.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted::by_id(self.desired.clone(), self.deletes.clone())
    }

    /// Returns whether there is anything to write on the page as it is now, as far as that can be planned.
    pub(crate) fn has_changes(&self, now: &PageSnapshot, types: &SlotTypes) -> bool {
        let options = PlanOptions { types: types.clone(), ..PlanOptions::default() };
        let plan = Plan::of_page(now, &self.wanted(), &options);
        plan.map_or(true, |plan| !plan.is_empty())
    }

    /// Returns the reverse of a run for the page as it is now: its slots in order, and its profile fields in the form of files.
    pub(crate) fn of(
        run: &JournalEntries,
        now: &[Slot],
        fields: &Object,
        options: &UndoFacts<'_>,
    ) -> Self {
        let effects = RunEffects::of(run, now, options.before);
        let mut undo = Self::default();
        undo.restore_fields(run, &effects, fields, options.overwrite);
        let on_page: BTreeMap<SlotId, &Slot> = now.iter().map(|slot| (slot.id, slot)).collect();
        undo.delete_created(run, &effects, &on_page, options);
        let values = undo.restore_values(run, &effects, &on_page, options);
        let recreates = undo.recreate_deleted(&effects, &on_page, options);
        let order = undo.order(&effects, now, &recreates, options);
        for id in order {
            let slot = match (on_page.get(&id), recreates.get(&id)) {
                (Some(slot), _) => DesiredSlot {
                    id: Some(id),
                    kind: slot.kind.clone(),
                    data: values.get(&id).cloned().unwrap_or_default().into_iter().collect(),
                },
                (None, Some(deleted)) => {
                    undo.recreates.insert(undo.desired.slots.len(), id);
                    let mut slot = DesiredSlot { id: None, ..(*deleted).clone() };
                    slot.data.retain(|key, _| options.types.is_writable_key(&deleted.kind, key));
                    slot
                }
                (None, None) => continue,
            };
            undo.desired.slots.push(slot);
        }
        undo
    }

    fn restore_fields(
        &mut self,
        run: &JournalEntries,
        effects: &RunEffects<'_>,
        page: &Object,
        overwrite: bool,
    ) {
        let mut changes: BTreeMap<&str, (&Value, &Value)> = BTreeMap::new();
        for (request, fields) in &effects.fields {
            for (name, sent) in fields.of(*request) {
                let left = run.stored.as_ref().and_then(|stored| stored.get(name)).unwrap_or(sent);
                let change = changes.entry(name).or_insert((held(&fields.before, name), left));
                change.1 = left;
            }
        }
        for (name, (before, left)) in changes {
            if !PAGE_FIELDS.contains(&name) {
                self.not_restored.push(NotRestored::Field { name: name.to_owned() });
                continue;
            }
            let now = held(page, name);
            if !same(now, before) && !same(now, left) && !overwrite {
                let (left, now) = (left.clone(), now.clone());
                self.conflicts.push(UndoConflict::Field { name: name.to_owned(), left, now });
            }
            self.desired.fields.insert(name.to_owned(), before.clone());
        }
    }

    fn delete_created(
        &mut self,
        run: &JournalEntries,
        effects: &RunEffects<'_>,
        on_page: &BTreeMap<SlotId, &Slot>,
        options: &UndoFacts<'_>,
    ) {
        for (id, create) in &effects.creates {
            let Some(slot) = on_page.get(id) else { continue };
            let stored = run.stored.as_ref().filter(|_| effects.creates.len() == 1);
            let left = |key: &str| {
                let stored = stored.and_then(|stored| stored.get(key));
                stored.or_else(|| create.data.get(key)).cloned().unwrap_or_default()
            };
            let is_own = |key: &str| {
                stored.is_some_and(|it| it.contains_key(key)) || create.data.contains_key(key)
            };
            let mut keys: Vec<&String> = create.data.keys().collect();
            keys.extend(slot.data.keys().filter(|key| !create.data.contains_key(*key)));
            for key in keys {
                let now = slot.data.get(key).unwrap_or(&Value::Null);
                let is_filled_in = !is_own(key) && is_filled_in(options.types, slot, key, now);
                if !is_filled_in && !same(now, &left(key)) && !options.overwrite {
                    self.conflicts.push(edited(slot, key, left(key), now));
                }
            }
            self.deletes.insert(*id);
        }
        let doubtful = effects.doubtful.iter().map(|kind| (*kind).to_owned());
        self.not_restored.extend(doubtful.map(|kind| NotRestored::Create { kind }));
    }

    /// Returns the values to write, by slot and key.
    fn restore_values(
        &mut self,
        run: &JournalEntries,
        effects: &RunEffects<'_>,
        on_page: &BTreeMap<SlotId, &Slot>,
        options: &UndoFacts<'_>,
    ) -> BTreeMap<SlotId, BTreeMap<String, Value>> {
        let gone: HashSet<SlotId> = effects.deletes.iter().map(|delete| delete.id).collect();
        let made: HashSet<SlotId> = effects.creates.iter().map(|(id, _)| *id).collect();
        let mut values: BTreeMap<SlotId, BTreeMap<String, Value>> = BTreeMap::new();
        for (id, (kind, keys)) in effects.changes_by_slot(run) {
            if gone.contains(&id) || made.contains(&id) {
                continue;
            }
            let id = now_of(id, on_page, options.recreated);
            let Some(slot) = on_page.get(&id) else {
                let kind = kind.to_owned();
                if options.overwrite {
                    self.not_restored.push(NotRestored::Slot { id, kind });
                } else {
                    self.conflicts.push(UndoConflict::Gone { id, kind });
                }
                continue;
            };
            for (key, (before, left)) in keys {
                let now = slot.data.get(key).unwrap_or(&Value::Null);
                let wanted = before.unwrap_or(&Value::Null);
                let is_restored = same(now, wanted);
                if !is_restored && !same(now, left) && !options.overwrite {
                    self.conflicts.push(edited(slot, key, left.clone(), now));
                }
                let clearing = options.types.clearing(&slot.kind, key);
                if !is_restored && wanted.is_null() && clearing == Clearing::Impossible {
                    self.not_restored.push(NotRestored::Key { id, key: key.to_owned() });
                } else if !is_restored || before.is_some() {
                    values.entry(id).or_default().insert(key.to_owned(), wanted.clone());
                }
            }
        }
        values
    }

    /// Returns the slots to create again, by their earlier ids.
    fn recreate_deleted<'a>(
        &mut self,
        effects: &RunEffects<'_>,
        on_page: &BTreeMap<SlotId, &Slot>,
        options: &UndoFacts<'a>,
    ) -> BTreeMap<SlotId, &'a DesiredSlot> {
        let mut recreates = BTreeMap::new();
        for delete in &effects.deletes {
            if on_page.contains_key(&now_of(delete.id, on_page, options.recreated)) {
                continue;
            }
            let recorded =
                options.before.into_iter().flatten().find(|slot| slot.id == Some(delete.id));
            match recorded.filter(|slot| can_be_created(slot, options.types)) {
                Some(slot) => {
                    recreates.insert(delete.id, slot);
                }
                None => self
                    .not_restored
                    .push(NotRestored::Slot { id: delete.id, kind: delete.kind.clone() }),
            }
        }
        recreates
    }

    /// Returns the slots in the order of the page to be, those that are created again by their earlier ids.
    fn order(
        &mut self,
        effects: &RunEffects<'_>,
        now: &[Slot],
        recreates: &BTreeMap<SlotId, &DesiredSlot>,
        options: &UndoFacts<'_>,
    ) -> Vec<SlotId> {
        let page: Vec<SlotId> = now.iter().map(|slot| slot.id).collect();
        let there: HashSet<SlotId> = page.iter().copied().collect();
        let on_page: BTreeMap<SlotId, &Slot> = now.iter().map(|slot| (slot.id, slot)).collect();
        let before: Vec<SlotId> = options
            .before
            .into_iter()
            .flatten()
            .filter_map(|slot| Some(now_of(slot.id?, &on_page, options.recreated)))
            .filter(|id| there.contains(id) || recreates.contains_key(id))
            .collect();
        let deletes: foldhash::HashSet<SlotId> = self.deletes.iter().copied().collect();
        if let Some(left) = &effects.order {
            let mapped: Vec<SlotId> =
                left.iter().map(|id| now_of(*id, &on_page, options.recreated)).collect();
            self.check_order(&mapped, &before, &page, options.overwrite);
            return arrange(&page, &before, &deletes);
        }
        let is_placed = |id: &SlotId| !deletes.contains(id) && !options.unplaced.contains(id);
        let mut wanted: Vec<SlotId> = page.iter().copied().filter(is_placed).collect();
        let is_to_place = |id: &SlotId| recreates.contains_key(id) || options.unplaced.contains(id);
        for (at, id) in before.iter().enumerate().filter(|(_, id)| is_to_place(id)) {
            let left = before[..at].iter().rev().find_map(|left| {
                wanted.iter().position(|id| id == left).map(|position| position + 1)
            });
            wanted.insert(left.unwrap_or(0), *id);
        }
        wanted
    }

    /// Adds a conflict if the page has neither the order that the run left nor the one before.
    fn check_order(
        &mut self,
        left: &[SlotId],
        before: &[SlotId],
        page: &[SlotId],
        overwrite: bool,
    ) {
        let known: HashSet<SlotId> = left.iter().copied().collect();
        let now: Vec<SlotId> = page.iter().copied().filter(|id| known.contains(id)).collect();
        let there: HashSet<SlotId> = now.iter().copied().collect();
        let of = |order: &[SlotId]| -> Vec<SlotId> {
            order.iter().copied().filter(|id| there.contains(id)).collect()
        };
        let (left, before) = (of(left), of(before));
        let is_before = before.iter().eq(now.iter().filter(|id| before.contains(id)));
        if left != now && !is_before && !overwrite {
            self.conflicts.push(UndoConflict::Moved { left, now });
        }
    }
}

/// Returns the id that a slot has now, if it was deleted and created again.
fn now_of(
    id: SlotId,
    on_page: &BTreeMap<SlotId, &Slot>,
    recreated: &BTreeMap<SlotId, SlotId>,
) -> SlotId {
    let mut latest = id;
    // Ids only grow, so that this ends.
    while !on_page.contains_key(&latest) {
        match recreated.get(&latest) {
            Some(next) if *next > latest => latest = *next,
            _ => return id,
        }
    }
    latest
}

fn edited(slot: &Slot, key: &str, left: Value, now: &Value) -> UndoConflict {
    UndoConflict::Edited {
        id: slot.id,
        kind: slot.kind.clone(),
        key: key.to_owned(),
        left,
        now: now.clone(),
    }
}

/// Returns whether a value that was not sent is one that the service fills in.
fn is_filled_in(types: &SlotTypes, slot: &Slot, key: &str, now: &Value) -> bool {
    !types.knows(&slot.kind) || same(now, &Value::Null) || types.fills_in(&slot.kind, key, now)
}

/// Returns whether a slot can be created again: the backup has a legacy slot without its content, and its type may not be creatable.
fn can_be_created(slot: &DesiredSlot, types: &SlotTypes) -> bool {
    types.is_creatable(&slot.kind) && (!slot.data.is_empty() || slot.kind == "divider")
}
