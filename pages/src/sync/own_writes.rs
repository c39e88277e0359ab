//! Record of the last sync with what this program itself has sent since.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::hashed::{HashedSlot, hashed_slots};
use super::next_base::unmentioned_keys;
use super::{FilePage, HashPair, LivePage, PageBase, SlotBase, ValueHash};
use crate::apply::{SentSlot, SentValues, SlotTypes, may_be_stored_as, same};
use links_sdk::SlotId;

impl PageBase {
    /// Returns the record with what runs of the same file have sent since it was written, as far as the page shows it: what an interrupted run
    /// has written is no change of another client, even where the service stores it in another form.
    ///
    /// `file` tells the references whose values were sent.
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
        let mut keys = unmentioned_keys(slot, &create.data);
        for (key, sent) in create.data.iter() {
            let is_stored = self.types.may_store(&create.kind, key, sent, slot.value(key));
            let page = if is_stored { slot.hash(key) } else { ValueHash::of(sent) };
            let file = Some(self.said(&create.kind, key, sent));
            keys.insert(key.clone(), HashPair { file, page });
        }
        keys.retain(|_, pair| *pair != HashPair::UNMENTIONED);
        let mut entry = SlotBase { id, was: Vec::new(), kind: create.kind.clone(), keys };
        let is_replaced = |old: &SlotBase| {
            created.may_replace
                && !self.by_id.contains_key(&old.id)
                && old.kind == entry.kind
                && said_by(old) == said_by(&entry)
        };
        match base.slots.iter_mut().find(|old| is_replaced(old)) {
            Some(old) => {
                entry.was = super::next_base::earlier_ids(id, Some(old));
                *old = entry;
            }
            None => base.slots.push(entry),
        }
    }

    /// Takes the order of the page if it was sent.
    fn reorder(&self, base: &mut PageBase, page: &LivePage) {
        let on_page: Vec<SlotId> = page.slots.iter().map(|slot| slot.id).collect();
        let is_sent = |order: &Vec<SlotId>| {
            let sent: BTreeSet<SlotId> = order.iter().copied().collect();
            let shown = on_page.iter().filter(|id| sent.contains(id));
            let stays = order.iter().filter(|id| self.by_id.contains_key(id));
            shown.eq(stays)
        };
        if !self.sent.orders.iter().any(is_sent) {
            return;
        }
        let place = |entry: &SlotBase| on_page.iter().position(|id| *id == entry.id);
        let places: Vec<usize> =
            (0..base.slots.len()).filter(|nth| place(&base.slots[*nth]).is_some()).collect();
        let mut moved: Vec<SlotBase> = places.iter().map(|nth| base.slots[*nth].clone()).collect();
        moved.sort_by_key(|entry| place(entry));
        for (nth, entry) in places.into_iter().zip(moved) {
            base.slots[nth] = entry;
        }
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

/// Returns what the file said of a slot.
fn said_by(entry: &SlotBase) -> BTreeMap<&str, ValueHash> {
    let said = entry.keys.iter().filter_map(|(key, pair)| Some((key.as_str(), pair.file?)));
    said.filter(|(_, hash)| !hash.is_empty()).collect()
}
