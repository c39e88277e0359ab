//! State of the page and of its profile fields as a run knows them, to distinguish the run's own changes from those of other clients.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::page_fields::{FieldsRequest, PlannedFields, held, keys_of_both, page_fields};
use super::{PageSnapshot, Plan, PlannedUpdate, SlotTypes, fingerprint, ids_of, same};
use links_sdk::runs::{ReadTime, WriteStop, patch_page};
use links_sdk::{Object, ProfileHandle, Slot, SlotId};

/// State of the page as the run last read it, with the changes that the run has made since.
pub(super) struct KnownPage {
    plan: Arc<Plan>,
    types: SlotTypes,
    /// The slots that were there when the plan was made and that the run has not deleted. Updated slots are as in the service's answer.
    old: HashMap<SlotId, Slot>,
    /// The slots that the run created, as they were first seen.
    new: BTreeMap<SlotId, Slot>,
    /// The slots that the run updated.
    updated: HashSet<SlotId>,
    /// The slots that another client edited before the run updated other keys of them.
    edited: HashSet<SlotId>,
    /// Every slot that the run knows of, in the order of the page.
    pub order: Vec<SlotId>,
    /// Set if no order remains to be written.
    pub is_ordered: bool,
    /// Time of the read that the next write relies on.
    pub at: Option<ReadTime>,
    /// Set if the page has to be as it was planned when it is read for the first time.
    is_uncompared: bool,
}

/// Words for a page that is not as it was planned.
pub(super) const OTHER_STATE: &str = "the plan is based on an earlier state";

impl KnownPage {
    pub(super) fn new(plan: Arc<Plan>, types: SlotTypes, page: &PageSnapshot) -> Self {
        Self {
            old: page.slots.iter().map(|slot| (slot.id, slot.clone())).collect(),
            new: BTreeMap::new(),
            updated: HashSet::new(),
            edited: HashSet::new(),
            order: ids_of(&page.slots),
            is_ordered: !plan.reorder,
            at: page.read_time,
            is_uncompared: page.read_time.is_none(),
            plan,
            types,
        }
    }

    /// Applies updates that the run made; `answered` is what the service shows of the slots, if anything.
    pub(super) fn updated(&mut self, updates: &[PlannedUpdate], answered: &[Slot]) {
        let answered: HashMap<SlotId, &Slot> =
            answered.iter().map(|slot| (slot.id, slot)).collect();
        for update in updates {
            self.updated.insert(update.id);
            let Some(slot) = self.old.get_mut(&update.id) else { continue };
            let answer = answered.get(&update.id);
            for (key, sent) in update.changed.iter() {
                let stored = answer.map_or(Some(sent), |slot| slot.data.get(key));
                slot.data.insert(key.clone(), stored.cloned().unwrap_or_default());
            }
            // Without the types it is unknown which of the other keys the service computes.
            if let Some(answer) = answer
                && !self.types.knows(&update.kind)
            {
                slot.data = answer.data.clone();
            }
        }
    }

    /// Adds slots that the run created, in the order of the page.
    pub(super) fn created(&mut self, slots: impl IntoIterator<Item = Slot>) {
        for slot in slots {
            let id = slot.id;
            if self.new.insert(id, slot).is_none() {
                self.order.push(id);
            }
        }
    }

    /// Removes slots that the run deleted.
    pub(super) fn deleted(&mut self, ids: &[SlotId]) {
        self.old.retain(|id, _| !ids.contains(id));
        self.new.retain(|id, _| !ids.contains(id));
        self.order.retain(|id| !ids.contains(id));
    }

    /// Returns the slots of the page.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let slot = |id: &SlotId| self.old.get(id).or_else(|| self.new.get(id)).cloned();
        self.order.iter().filter_map(slot).collect()
    }

    fn pending(&self) -> impl Iterator<Item = &PlannedUpdate> {
        self.plan.updates.iter().filter(|update| !self.updated.contains(&update.id))
    }

    /// Takes over a page that was read, unless it has conflicts. Returns those; the next write reads the page once more.
    pub(super) fn accept(&mut self, page: &[Slot], at: ReadTime) -> Vec<String> {
        let found = self.compare(page, &[]);
        if !found.is_empty() {
            self.at = None;
            return found;
        }
        let is_edited = |update: &&PlannedUpdate| {
            let now = page.iter().find(|slot| slot.id == update.id);
            self.old.get(&update.id).zip(now).is_some_and(|(before, now)| {
                self.edits_of(before, now).any(|key| !update.changed.contains_key(key))
            })
        };
        let edited: Vec<SlotId> = self.pending().filter(is_edited).map(|it| it.id).collect();
        self.edited.extend(edited);
        self.order = ids_of(page);
        self.at = Some(at);
        found
    }

    /// Describes changes as [`conflicts`](Self::conflicts) does; before the first write every change counts.
    pub(super) fn compare(&mut self, page: &[Slot], deleting: &[SlotId]) -> Vec<String> {
        if std::mem::take(&mut self.is_uncompared) && fingerprint(page) != self.plan.page {
            return vec![OTHER_STATE.to_owned()];
        }
        self.conflicts(page, deleting)
    }

    /// Describes changes by other clients to slots that the run still has to write, which the run would undo. The slots in `deleting` may
    /// be gone already.
    pub(super) fn conflicts(&self, page: &[Slot], deleting: &[SlotId]) -> Vec<String> {
        let now: HashMap<SlotId, &Slot> = page.iter().map(|slot| (slot.id, slot)).collect();
        let mut found = Vec::new();
        // In the order of the page, so that the message is the same every time.
        let old = self.order.iter().filter_map(|id| self.old.get(id));
        for before in old {
            let (id, kind) = (before.id, &before.kind);
            match now.get(&id) {
                None if deleting.contains(&id) => {}
                None => found.push(format!("slot {id} ({kind}) was deleted")),
                Some(now)
                    if self.plan.deletes.iter().any(|delete| delete.id == id)
                        && self.is_edited(before, now) =>
                {
                    found.push(format!("slot {id} ({kind}) was to be deleted, but it was edited"));
                }
                Some(_) => {}
            }
        }
        let gone = self.new.keys().filter(|id| !now.contains_key(id));
        found.extend(gone.map(|id| format!("the new slot {id} was deleted")));
        for update in self.pending() {
            let Some(now) = now.get(&update.id) else { continue };
            let theirs = update.changed.iter().filter(|(key, wanted)| {
                let now = held(&now.data, key);
                !same(now, held(&update.before, key)) && !same(now, wanted)
            });
            found.extend(theirs.map(|(key, _)| {
                let PlannedUpdate { id, kind, .. } = update;
                format!("{key} of slot {id} ({kind}) was to be changed, but it was edited")
            }));
        }
        if !self.is_ordered {
            let known: HashSet<SlotId> = self.order.iter().copied().collect();
            let after = page.iter().map(|slot| slot.id).filter(|id| known.contains(id));
            let before = self.order.iter().copied().filter(|id| now.contains_key(id));
            if !before.eq(after) {
                found.push("slots were moved".to_owned());
            }
        }
        found
    }

    /// Describes slots that were neither on the page nor created by this run, and those that another client edited. Values that the service
    /// computes do not count.
    pub(super) fn foreign_changes(&self, page: &[Slot]) -> Vec<String> {
        let is_known =
            |now: &Slot| self.old.contains_key(&now.id) || self.new.contains_key(&now.id);
        let is_edited = |now: &Slot| {
            self.edited.contains(&now.id)
                || self.old.get(&now.id).is_some_and(|before| self.is_edited(before, now))
        };
        let told =
            |now: &Slot, how| format!("slot {} ({}) {how} and was left alone", now.id, now.kind);
        let new = page.iter().filter(|now| !is_known(now)).map(|now| told(now, "is new"));
        new.chain(page.iter().filter(|now| is_edited(now)).map(|now| told(now, "was edited")))
            .collect()
    }

    /// Removes the differences of values that the run wrote and that the service stores in another form than they were sent in.
    pub(super) fn accept_stored(&self, left: &mut Vec<PlannedUpdate>) {
        for PlannedUpdate { id, kind, changed, before, .. } in left.iter_mut() {
            let written = self.plan.updates.iter().find(|update| update.id == *id);
            let is_accepted = |key: &str, wanted: &Value| {
                let now = held(before, key);
                match written.filter(|_| self.updated.contains(id)) {
                    // A key that still holds its first value was not written, whatever the service answered.
                    Some(update) => {
                        update.changed.contains_key(key) && !same(held(&update.before, key), now)
                    }
                    None => {
                        self.new.contains_key(id) && self.types.may_store(kind, key, wanted, now)
                    }
                }
            };
            changed.retain(|key, wanted| !is_accepted(key, wanted));
        }
        left.retain(|update| !update.changed.is_empty());
    }

    fn is_edited(&self, before: &Slot, now: &Slot) -> bool {
        before.kind != now.kind || self.edits_of(before, now).next().is_some()
    }

    /// Returns the keys whose values differ from before.
    fn edits_of<'s>(&'s self, before: &'s Slot, now: &'s Slot) -> impl Iterator<Item = &'s str> {
        keys_of_both(&before.data, &now.data).map(String::as_str).filter(move |key| {
            // The schema of a type does not describe the data of its older versions.
            let counts = !before.supported || self.types.is_writable_key(&before.kind, key);
            counts && !same(held(&before.data, key), held(&now.data, key))
        })
    }
}

/// Profile fields of a page as a run last read them.
pub(super) struct KnownFields {
    /// The record of the page, with the code of its language.
    pub record: Object,
    at: Option<ReadTime>,
    /// Fields when the run began. A field that still holds its first value was not written, whatever the service answered.
    first: Object,
    /// Fields that the run wrote, as the service stored them.
    stored: Object,
}

impl KnownFields {
    pub(super) fn new(page: &PageSnapshot) -> Self {
        Self {
            record: page.record.clone(),
            at: page.read_time,
            first: page.fields(),
            stored: Object::default(),
        }
    }

    /// Sends a request, if the fields that it writes hold what they held when the page was read.
    pub(super) async fn write(
        &mut self,
        handle: &ProfileHandle,
        request: FieldsRequest,
        planned: &PlannedFields,
    ) -> Result<(), WriteStop> {
        let (of_settings, body) = planned.body(request);
        let names: Vec<String> = body.keys().cloned().collect();
        let answer = patch_page(handle, of_settings, body, self.record.clone(), self.at).await?;
        for name in &names {
            // The decoded record leaves out what is null.
            let value = held(&answer, name).clone();
            if name == "languageId" {
                self.record.insert("languageCode".to_owned(), Value::Null);
            }
            self.record.insert(name.clone(), value);
        }
        // The login and the language are written by requests of their own. If another client has changed one, the next request reads first.
        let is_known = |name: &str| same(held(&answer, name), held(&self.record, name));
        let is_language_known =
            is_known("languageId") || names.iter().any(|it| it == "languageCode");
        self.at = (is_known("login") && is_language_known).then(|| ReadTime::now(&handle.client));
        let now = page_fields(&self.record);
        let stored = planned.of(request).map(|(name, _)| (name.clone(), held(&now, name).clone()));
        self.stored.extend(stored);
        Ok(())
    }

    /// Describes changes that other clients made to the fields that the run wrote.
    pub(super) fn edits(&self, planned: &PlannedFields, page: &PageSnapshot) -> Vec<String> {
        let now = page.fields();
        let is_edited = |name: &&String| {
            let stored = self.stored.get(*name);
            stored.is_some_and(|stored| !same(stored, held(&now, name)))
        };
        let edited = planned.changed.keys().filter(is_edited);
        edited.map(|name| format!("{name} was edited and was left alone")).collect()
    }

    /// Removes the differences of fields that the service stores in another form than they were sent in.
    pub(super) fn accept_stored(&self, left: &mut PlannedFields) {
        let is_left = |name: &String| {
            let stored = self.stored.get(name);
            stored.is_none_or(|stored| same(stored, held(&self.first, name)))
        };
        left.changed.retain(|name, _| is_left(name));
        left.before.retain(|name, _| is_left(name));
    }
}
