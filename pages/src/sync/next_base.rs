//! How the record moves on: after a run, and with what this program itself has sent since.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::base::insert_after;
use super::{
    FilePage, FileSlot, HashPair, HashedSlot, LineKey, LivePage, Merge, PageBase, RemoteChange,
    SlotBase, ValueHash, full, hashed_slots, hashes,
};
use crate::apply::{SentSlot, SentValues, SlotTypes, ids_of, may_be_stored_as, same};
use links_sdk::{Object, SlotId};

impl Merge {
    /// Returns the record after a run that carried out and verified this merge. `base` and `file` are the inputs of the merge; `created`
    /// are the IDs of the new slots by the index of their item in the file.
    ///
    /// A hash pair is updated only if file and page agree after the run; a value that was only kept keeps its pair. `after` is the page
    /// after the run, with the values from the responses to the writes. So if another client changed a value between a write and the last
    /// read, the next run finds the change.
    pub fn base_after(
        &self,
        base: Option<&PageBase>,
        file: &FilePage,
        after: &LivePage,
        created: &BTreeMap<usize, SlotId>,
        types: &SlotTypes,
    ) -> PageBase {
        let slots = hashed_slots(&after.slots, types);
        let by_id = slots.iter().map(|slot| (slot.slot.id, slot)).collect();
        let written = self
            .items
            .iter()
            .zip(&self.desired.slots)
            .map(|(item, desired)| (*item, (created.get(item).copied(), &desired.data)));
        let next = NextBase { by_id, written: written.collect(), types };
        let mut entries: Vec<SlotBase> = Vec::with_capacity(file.slots.len());
        for (item, binding) in self.bindings.iter().enumerate() {
            let old = binding.entry.and_then(|entry| base?.slots.get(entry));
            let Some(said) = file.slots.get(item) else { continue };
            entries.extend(next.entry(item, said, old, binding.slot));
        }
        match base {
            Some(base) if file.keeps_slots => entries.clone_from(&base.slots),
            Some(base) => {
                // An entry without an item whose slot is still on the page stays after the entry that it followed.
                for (nth, entry) in base.slots.iter().enumerate() {
                    if next.by_id.contains_key(&entry.id)
                        && self.bindings.iter().all(|binding| binding.entry != Some(nth))
                        && !entries.iter().any(|other| other.is_named(entry.id))
                    {
                        let before = base.slots[..nth].iter().map(|entry| entry.id);
                        insert_after(&mut entries, before, entry.clone());
                    }
                }
            }
            None => {}
        }
        PageBase {
            id: after.id,
            login: after.login.clone(),
            fields: self.fields_after(base, file, after),
            slots: entries,
        }
    }

    /// Returns the keys that a run of this merge writes to existing slots and fields.
    pub fn written(&self) -> BTreeSet<LineKey> {
        let fields = self.fields.keys().map(|name| LineKey::Field(name.clone()));
        let slots = self.desired.slots.iter().filter_map(|slot| Some((slot.id?, &slot.data)));
        let keys =
            slots.flat_map(|(id, data)| data.keys().map(move |key| LineKey::Key(id, key.clone())));
        fields.chain(keys).collect()
    }

    /// Returns whether a field is written as the file has it. One that was kept may be written as the page has it.
    fn writes_field(&self, name: &str) -> bool {
        let is_kept = |change: &RemoteChange| matches!(change, RemoteChange::Field { key, .. } if key == name);
        self.fields.contains_key(name) && !self.remote.iter().any(is_kept)
    }

    fn fields_after(
        &self,
        base: Option<&PageBase>,
        file: &FilePage,
        after: &LivePage,
    ) -> BTreeMap<String, HashPair> {
        let mut fields = base.map(|base| base.fields.clone()).unwrap_or_default();
        for (key, pair) in &mut fields {
            // A field that was not read was not looked at.
            if after.fields.contains_key(key) && !file.fields.contains_key(key) {
                pair.file = None;
            }
        }
        for (key, page) in after.fields.iter() {
            let hash = ValueHash::of(page);
            match file.fields.get(key) {
                None => {
                    fields.entry(key.clone()).or_insert(HashPair { file: None, page: hash });
                }
                Some(said) => {
                    let sent = file.field(key).unwrap_or(said);
                    let agrees = self.writes_field(key) || same(sent, page);
                    if agrees || !fields.contains_key(key) {
                        let page = if agrees { hash } else { ValueHash::of(sent) };
                        fields.insert(
                            key.clone(),
                            HashPair { file: Some(ValueHash::of(said)), page },
                        );
                    }
                }
            }
        }
        fields
    }
}

struct NextBase<'a> {
    by_id: HashMap<SlotId, &'a HashedSlot<'a>>,
    /// For each item that was written, the ID of the slot that was created for it, and the values.
    written: BTreeMap<usize, (Option<SlotId>, &'a Object)>,
    types: &'a SlotTypes,
}

impl NextBase<'_> {
    fn entry(
        &self,
        item: usize,
        said: &FileSlot,
        old: Option<&SlotBase>,
        slot: Option<SlotId>,
    ) -> Option<SlotBase> {
        let written = self.written.get(&item);
        let created = written.and_then(|(created, _)| *created).filter(|_| slot.is_none());
        let held = slot.or(created).and_then(|id| self.by_id.get(&id));
        let (Some(id), true) = (slot.or(created), created.is_some() || held.is_some()) else {
            // A slot that was deleted on the page and stays so.
            return old.map(|old| without_removed(old, said));
        };
        let (kind, was) = (said.kind.clone(), earlier_ids(id, old, said.id.named()));
        let is_locked = said.is_locked;
        if created.is_none() && held.is_some_and(|slot| !slot.is_editable) {
            let (was, keys) = (Vec::new(), BTreeMap::new());
            return Some(SlotBase { id, was, kind, is_locked, keys });
        }
        let known = old.filter(|_| created.is_none());
        let mut keys = match (known, held) {
            (Some(old), _) => without_removed(old, said).keys,
            (None, held) => held.map(|slot| unmentioned(slot, &said.data)).unwrap_or_default(),
        };
        for (key, value) in said.data.iter() {
            let sent = said.value(key).unwrap_or(value);
            let is_written =
                created.is_some() || written.is_some_and(|(_, data)| data.contains_key(key));
            let may_store =
                |page: &Value| known.is_none() && self.types.may_store(&said.kind, key, sent, page);
            let shown = held.filter(|slot| {
                let page = slot.value(key);
                is_written || same(sent, page) || may_store(page)
            });
            if shown.is_some() || known.is_none() {
                // Another client may have deleted a slot that the run created.
                let page = shown.map_or_else(|| ValueHash::of(sent), |slot| slot.hash(key));
                keys.insert(key.clone(), HashPair { file: Some(ValueHash::of(value)), page });
            }
        }
        keys.retain(|_, pair| *pair != HashPair::UNMENTIONED);
        Some(SlotBase { id, was, kind, is_locked, keys })
    }
}

/// Returns an entry in which the keys that the item does not mention have no file half.
fn without_removed(old: &SlotBase, said: &FileSlot) -> SlotBase {
    let mut entry = old.clone();
    for (key, pair) in &mut entry.keys {
        if !said.data.contains_key(key) {
            pair.file = None;
        }
    }
    entry
}

/// Returns the pairs of the keys that a slot holds and that `mentioned` does not have.
pub(super) fn unmentioned(slot: &HashedSlot<'_>, mentioned: &Object) -> BTreeMap<String, HashPair> {
    let keys = slot.writable.iter().copied().filter(|key| !mentioned.contains_key(*key));
    keys.map(|key| (key.to_owned(), HashPair { file: None, page: slot.hash(key) })).collect()
}

/// Returns the earlier IDs of a slot, with the one by which the file still names it.
pub(super) fn earlier_ids(
    id: SlotId,
    old: Option<&SlotBase>,
    named: Option<SlotId>,
) -> Vec<SlotId> {
    let mut was = Vec::new();
    let recorded = old.into_iter().flat_map(|old| old.was.iter().copied().chain([old.id]));
    for earlier in recorded.chain(named) {
        if earlier != id && !was.contains(&earlier) {
            was.push(earlier);
        }
    }
    was
}

impl PageBase {
    /// Returns the record with the values that runs of the same file have sent since it was written, as far as the page shows them. A value
    /// that an interrupted run has written is not a change of another client, even if the service stores it in another form.
    ///
    /// `file` has the references whose values were sent.
    #[must_use]
    pub fn with_sent(
        &self,
        sent: &SentValues,
        file: &FilePage,
        page: &LivePage,
        types: &SlotTypes,
    ) -> Self {
        if *sent == SentValues::default() {
            return self.clone();
        }
        let slots = hashed_slots(&page.slots, types);
        let by_id: BTreeMap<SlotId, &HashedSlot<'_>> =
            slots.iter().map(|slot| (slot.slot.id, slot)).collect();
        let writes = OwnWrites { sent, file, types, by_id };
        let mut base = self.clone();
        base.slots.retain(|entry| {
            writes.by_id.contains_key(&entry.id) || !sent.deleted.contains(&entry.id)
        });
        for (id, slot) in &sent.created {
            writes.create(&mut base, *id, slot);
        }
        base.slots.iter_mut().for_each(|entry| writes.update(entry));
        writes.reorder(&mut base, page);
        writes.update_fields(&mut base, page);
        base
    }
}

/// Returns the keys whose values runs have sent.
pub fn sent_keys(sent: &SentValues) -> BTreeSet<LineKey> {
    let fields = sent.fields.keys().map(|name| LineKey::Field(name.clone()));
    let updated = sent.values.iter().flat_map(|(id, keys)| keys.keys().map(move |key| (id, key)));
    let created = sent.created.iter();
    let created = created.flat_map(|(id, slot)| slot.sent.data.keys().map(move |key| (id, key)));
    let keys = updated.chain(created).map(|(id, key)| LineKey::Key(*id, key.clone()));
    fields.chain(keys).collect()
}

struct OwnWrites<'a> {
    sent: &'a SentValues,
    file: &'a FilePage,
    types: &'a SlotTypes,
    by_id: BTreeMap<SlotId, &'a HashedSlot<'a>>,
}

impl OwnWrites<'_> {
    /// Moves the pairs of the values that were written to a slot.
    fn update(&self, entry: &mut SlotBase) {
        let (Some(keys), Some(slot)) = (self.sent.values.get(&entry.id), self.by_id.get(&entry.id))
        else {
            return;
        };
        for (key, values) in keys {
            let page = slot.hash(key);
            let is_stored =
                |sent: &&Value| self.types.may_store(&entry.kind, key, sent, slot.value(key));
            if let Some(sent) = values.iter().rev().find(is_stored)
                && entry.pair(key).page != page
            {
                let file = Some(self.said(&entry.kind, key, sent));
                entry.keys.insert(key.clone(), HashPair { file, page });
            }
        }
    }

    /// Moves the pairs of the profile fields that were written.
    fn update_fields(&self, base: &mut PageBase, page: &LivePage) {
        for (key, values) in &self.sent.fields {
            let Some(held) = page.fields.get(key) else { continue };
            let hash = ValueHash::of(held);
            let sent = values.iter().rev().find(|sent| may_be_stored_as(sent, held));
            if let Some(sent) = sent
                && base.fields.get(key).is_none_or(|pair| pair.page != hash)
            {
                let resolved = self.file.resolved.get(key).filter(|value| same(value, sent));
                let said = resolved.and_then(|_| self.file.fields.get(key));
                let file = Some(ValueHash::of(said.unwrap_or(sent)));
                base.fields.insert(key.clone(), HashPair { file, page: hash });
            }
        }
    }

    /// Adds a slot that was created.
    fn create(&self, base: &mut PageBase, id: SlotId, created: &SentSlot) {
        let (Some(slot), create) = (self.by_id.get(&id), &created.sent) else { return };
        let is_known = base.slots.iter().any(|entry| entry.is_named(id));
        if is_known || slot.slot.kind != create.kind {
            return;
        }
        let mut keys = unmentioned(slot, &create.data);
        for (key, sent) in create.data.iter() {
            let is_stored = self.types.may_store(&create.kind, key, sent, slot.value(key));
            let page = if is_stored { slot.hash(key) } else { ValueHash::of(sent) };
            let file = Some(self.said(&create.kind, key, sent));
            keys.insert(key.clone(), HashPair { file, page });
        }
        keys.retain(|_, pair| *pair != HashPair::UNMENTIONED);
        let (was, kind) = (Vec::new(), create.kind.clone());
        let mut entry = SlotBase { id, was, kind, is_locked: false, keys };
        let is_replaced = |old: &SlotBase| {
            created.may_replace
                && !self.by_id.contains_key(&old.id)
                && (old.says_as(&entry) || old.kind == entry.kind && self.names(old, &entry))
        };
        match base.slots.iter_mut().find(|old| is_replaced(old)) {
            Some(old) => {
                entry.was = earlier_ids(id, Some(old), None);
                *old = entry;
            }
            None => base.slots.push(entry),
        }
    }

    /// Returns whether the file has an item with the ID of an older entry that says what was sent for another.
    fn names(&self, old: &SlotBase, entry: &SlotBase) -> bool {
        let is_it = |item: &FileSlot| {
            item.id.named().is_some_and(|id| old.is_named(id))
                && full(hashes(&item.data)) == entry.said()
        };
        self.file.slots.iter().any(is_it)
    }

    /// Takes the order of the page if it was sent.
    fn reorder(&self, base: &mut PageBase, page: &LivePage) {
        let on_page = ids_of(&page.slots);
        let is_sent = |order: &Vec<SlotId>| {
            let sent: BTreeSet<SlotId> = order.iter().copied().collect();
            let shown = on_page.iter().filter(|id| sent.contains(id));
            let stays = order.iter().filter(|id| self.by_id.contains_key(id));
            shown.eq(stays)
        };
        if !self.sent.orders.iter().any(is_sent) {
            return;
        }
        base.take_order(&on_page);
    }

    /// Returns the hash of what the file said where this value was sent: that of a reference, if the file has one that stands for it.
    fn said(&self, kind: &str, key: &str, sent: &Value) -> ValueHash {
        let items = self.file.slots.iter().filter(|item| item.kind == kind);
        let mut references =
            items.filter(|item| item.resolved.get(key).is_some_and(|value| same(value, sent)));
        let said = references.find_map(|item| item.data.get(key));
        ValueHash::of(said.unwrap_or(sent))
    }
}
