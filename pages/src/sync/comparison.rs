//! File, page and record of the last sync, compared slot by slot and key by key.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::hashed::{HashedItem, HashedSlot, hashed_items, hashed_slots, value};
use super::identity::{Identities, ItemIdentity, identify};
use super::key_decision::{KeyDecision, decide};
use super::order_decision::{OrderDecision, decide_order};
use super::{FilePage, HashPair, IdentityError, LivePage, PageBase, SlotBase, ValueHash};
use crate::apply::SlotTypes;
use links_sdk::SlotId;

/// A comparison of a file with its page.
pub(super) struct Comparison<'a> {
    pub(super) base: &'a PageBase,
    pub(super) file: &'a FilePage,
    pub(super) page: &'a LivePage,
    pub(super) items: Vec<HashedItem<'a>>,
    pub(super) slots: Vec<HashedSlot<'a>>,
    pub(super) identities: Identities,
    pub(super) order: OrderDecision,
}

/// A value of the file, compared with the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComparedKey<'a> {
    pub(super) key: &'a str,
    pub(super) decision: KeyDecision,
    /// The value as it would be sent.
    pub(super) file: &'a Value,
    pub(super) page: &'a Value,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        base: &'a PageBase,
        file: &'a FilePage,
        page: &'a LivePage,
        types: &SlotTypes,
        created: &BTreeMap<usize, SlotId>,
    ) -> Result<Self, IdentityError> {
        let items = hashed_items(file, types);
        let slots = hashed_slots(&page.slots, types);
        let identities = identify(&items, &base.slots, &slots, types, created)?;
        Ok(Self::with_identities(base, file, page, items, slots, identities))
    }

    pub(super) fn with_identities(
        base: &'a PageBase,
        file: &'a FilePage,
        page: &'a LivePage,
        items: Vec<HashedItem<'a>>,
        slots: Vec<HashedSlot<'a>>,
        identities: Identities,
    ) -> Self {
        let recorded = |identity: &ItemIdentity| match identity {
            ItemIdentity::Recorded(_, position) => *position,
            ItemIdentity::New | ItemIdentity::Unrecorded(_) => None,
        };
        let in_base: Vec<usize> = identities.live.iter().flatten().copied().collect();
        let in_file: Vec<usize> = identities.items.iter().filter_map(recorded).collect();
        let in_page: Vec<usize> = (0..slots.len()).collect();
        let order = decide_order(&in_base, &in_file, &in_page);
        Self { base, file, page, items, slots, identities, order }
    }

    pub(super) fn entry(&self, item: usize) -> Option<&'a SlotBase> {
        match self.identities.items[item] {
            ItemIdentity::Recorded(entry, _) => Some(&self.base.slots[entry]),
            ItemIdentity::New | ItemIdentity::Unrecorded(_) => None,
        }
    }

    /// Returns the position of the slot of an item.
    pub(super) fn position(&self, item: usize) -> Option<usize> {
        match self.identities.items[item] {
            ItemIdentity::Recorded(_, position) => position,
            ItemIdentity::Unrecorded(position) => Some(position),
            ItemIdentity::New => None,
        }
    }

    /// Compares the keys that an item mentions with a slot.
    pub(super) fn keys(&self, item: usize, position: usize) -> Vec<ComparedKey<'a>> {
        let (written, slot) = (self.items[item].item, &self.slots[position]);
        let entry = self.entry(item);
        let compare = |(key, said): (&'a String, &'a Value)| {
            let file = written.value(key).unwrap_or(said);
            let page = slot.value(key);
            let decision = decide(entry.map(|entry| entry.pair(key)), said, file, page);
            ComparedKey { key, decision, file, page }
        };
        written.data.iter().map(compare).collect()
    }

    /// Returns the keys of an item that changed since the last sync.
    pub(super) fn edited_keys(&self, item: usize, entry: &SlotBase) -> Vec<String> {
        let keys = self.items[item].keys.iter();
        let is_edited = |(key, hash): &(&&str, &ValueHash)| {
            let pair = entry.pair(key);
            pair.file != Some(**hash) && !(pair.file.is_none() && **hash == pair.page)
        };
        keys.filter(is_edited).map(|(key, _)| (*key).to_owned()).collect()
    }

    /// Returns the keys that the last sync knew from the file and that the item does not mention any more.
    pub(super) fn removed_keys(&self, item: usize, entry: &'a SlotBase) -> Vec<&'a str> {
        let keys = entry.keys.iter().filter(|(_, pair)| pair.file.is_some());
        let is_gone = |key: &&str| !self.items[item].keys.contains_key(key);
        keys.map(|(key, _)| key.as_str()).filter(is_gone).collect()
    }

    /// Returns the keys of a slot that changed on the page since the last sync, mentioned or not.
    pub(super) fn changed_there(&self, entry: &'a SlotBase, position: usize) -> Vec<&'a str> {
        let slot = &self.slots[position];
        let keys: BTreeSet<&str> =
            entry.keys.keys().map(String::as_str).chain(slot.writable_keys()).collect();
        keys.into_iter().filter(|key| slot.hash(key) != entry.pair(key).page).collect()
    }

    /// Compares the profile fields that the file mentions and that were read.
    pub(super) fn fields(&self) -> Vec<ComparedKey<'a>> {
        let compare = |(key, said): (&'a String, &'a Value)| {
            let page = self.page.fields.get(key)?;
            let file = self.file.field(key).unwrap_or(said);
            let decision = decide(self.base.fields.get(key).copied(), said, file, page);
            Some(ComparedKey { key, decision, file, page })
        };
        self.file.fields.iter().filter_map(compare).collect()
    }

    /// Returns the profile fields that the last sync knew from the file and that the file does not mention any more.
    pub(super) fn removed_fields(&self) -> Vec<&'a str> {
        let known = self.base.fields.iter().filter(|(_, pair)| pair.file.is_some());
        // A field that was not read was not looked at.
        let is_gone = |key: &&str| {
            self.page.fields.contains_key(*key) && !self.file.fields.contains_key(*key)
        };
        known.map(|(key, _)| key.as_str()).filter(is_gone).collect()
    }

    /// Returns the profile fields that the file does not mention and that changed on the page since the last sync, with their values.
    pub(super) fn unmentioned_fields_changed_there(&self) -> Vec<(&'a str, &'a Value)> {
        let recorded =
            self.base.fields.iter().filter(|(key, _)| !self.file.fields.contains_key(*key));
        let changed = |(key, pair): (&'a String, &HashPair)| {
            let value = self.page.fields.get(key)?;
            (ValueHash::of(value) != pair.page).then_some((key.as_str(), value))
        };
        recorded.filter_map(changed).collect()
    }

    pub(super) fn page_value(&self, position: usize, key: &str) -> &'a Value {
        value(&self.slots[position].slot.data, key)
    }
}
