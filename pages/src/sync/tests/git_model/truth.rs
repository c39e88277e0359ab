//! What is hidden from the rule: who wrote each value, and which syncs and edits a history has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::repo::{Doc, Place};
use super::world::{GitWorld, Sync, WrittenBy};
use crate::apply::same;
use crate::sync::LineKey;
use crate::sync::tests::service::stored;
use links_sdk::SlotId;

/// What is hidden from the rule about a value of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    /// A sync that this history knows wrote it, with an edit that this history has.
    pub(super) is_known: bool,
    /// Somebody else set it since.
    pub(super) is_foreign: bool,
    pub(super) writer: WrittenBy,
}

impl GitWorld {
    pub(super) fn note_sync(
        &mut self,
        m: usize,
        doc: usize,
        said: &Doc,
        edits: u128,
        written: &BTreeSet<LineKey>,
        after: &BTreeMap<LineKey, Value>,
    ) {
        let nth = self.live[doc].syncs.len();
        let mut agreed: BTreeMap<LineKey, Option<u32>> = BTreeMap::new();
        for (key, value) in after {
            let mut place = self.place(doc, key);
            // What the service fills in belongs to the item.
            if let Some(Place::Value(tag, _)) = &place
                && place.as_ref().is_some_and(|place| !said.values.contains_key(place))
            {
                place = Some(Place::Item(*tag));
            }
            let is_agreed =
                place.as_ref().is_some_and(|place| self.agrees(said, place, key, value, doc));
            agreed.insert(
                key.clone(),
                place.filter(|_| is_agreed).and_then(|place| said.edit(&place)),
            );
        }
        for key in written {
            if !after.contains_key(key) {
                let edit = self.place(doc, key).and_then(|place| said.edit(&place));
                agreed.insert(key.clone(), edit);
            }
            self.live[doc].writers.insert(key.clone(), WrittenBy::Sync(nth));
        }
        self.live[doc].syncs.push(Sync { edits, agreed, values: after.clone() });
        self.clones[m].syncs |= 1 << nth;
    }

    /// Returns the place of the files that a value of the service comes from.
    pub(super) fn place(&self, doc: usize, key: &LineKey) -> Option<Place> {
        match key {
            LineKey::Field(name) => Some(Place::Field(name.clone())),
            LineKey::Slot(id) => Some(Place::Item(*self.live[doc].tag_of.get(id)?)),
            LineKey::Key(id, name) => {
                Some(Place::Value(*self.live[doc].tag_of.get(id)?, name.clone()))
            }
            LineKey::Order => Some(Place::Order),
        }
    }

    pub(super) fn agrees(
        &self,
        said: &Doc,
        place: &Place,
        key: &LineKey,
        value: &Value,
        doc: usize,
    ) -> bool {
        match place {
            Place::Order => {
                // An item that was given to another slot has no place that can be compared.
                let tag_of = &self.live[doc].tag_of;
                let is_one = |tag: &u32| tag_of.values().filter(|of| *of == tag).count() == 1;
                let of_page = ids(value).into_iter().filter_map(|id| tag_of.get(&id).copied());
                let of_page: Vec<u32> = of_page.filter(is_one).collect();
                let tags: Vec<u32> = said.tags();
                let shared = |one: &[u32], other: &[u32]| {
                    one.iter().copied().filter(|tag| other.contains(tag)).collect::<Vec<_>>()
                };
                shared(&of_page, &tags) == shared(&tags, &of_page)
            }
            Place::Item(_) => said.value(place) == true,
            _ => {
                said.values.contains_key(place)
                    && same(&stored(name_of(key), &said.value(place)), value)
            }
        }
    }

    pub(super) fn truth(
        &self,
        doc: usize,
        key: &LineKey,
        value: &Value,
        edits: u128,
        syncs: u128,
        said: &Doc,
    ) -> Truth {
        let live = &self.live[doc];
        let writer = live.writers.get(key).copied().unwrap_or(WrittenBy::Start);
        let has = |edit: &Option<u32>| edit.is_some_and(|edit| edits >> edit & 1 == 1);
        let knows =
            |nth: usize| syncs >> nth & 1 == 1 && live.syncs[nth].agreed.get(key).is_some_and(has);
        let is_known = match writer {
            WrittenBy::Start => true,
            WrittenBy::Sync(nth) => knows(nth),
            WrittenBy::Dashboard(_) => false,
        };
        let last = (0..live.syncs.len()).rev().find(|nth| knows(*nth));
        let was = last.and_then(|nth| live.syncs[nth].values.get(key));
        let is_last = was.is_some_and(|was| match key {
            // Slots that the file does not have may stand anywhere.
            LineKey::Order => {
                let tags = said.tags();
                let of_file = |ids: Vec<SlotId>| {
                    let is_item =
                        |id: &SlotId| live.tag_of.get(id).is_some_and(|tag| tags.contains(tag));
                    ids.into_iter().filter(is_item).collect::<Vec<SlotId>>()
                };
                of_file(common(was, value)) == of_file(common(value, was))
            }
            _ => same(was, value),
        });
        let is_agreed_since =
            matches!((writer, last), (WrittenBy::Dashboard(after), Some(last)) if last >= after);
        Truth { is_known, is_foreign: !is_known && !is_last && !is_agreed_since, writer }
    }

    /// Returns whether this history set a value to what the service has, too.
    pub(super) fn was_set_here(
        &self,
        doc: usize,
        key: &LineKey,
        value: &Value,
        writer: WrittenBy,
        edits: u128,
    ) -> bool {
        let Some(place) = self.place(doc, key) else { return false };
        let theirs = match writer {
            WrittenBy::Sync(nth) => self.live[doc].syncs[nth].edits,
            WrittenBy::Start | WrittenBy::Dashboard(_) => 0,
        };
        self.values.iter().enumerate().any(|(edit, (of, at, set))| {
            *of == doc
                && *at == place
                && edits >> edit & 1 == 1
                && theirs >> edit & 1 == 0
                && same(&stored(name_of(key), set), value)
        })
    }
}

pub(super) fn name_of(key: &LineKey) -> &str {
    match key {
        LineKey::Field(name) | LineKey::Key(_, name) => name,
        LineKey::Slot(_) | LineKey::Order => "",
    }
}

pub(super) fn ids(order: &Value) -> Vec<SlotId> {
    serde_json::from_value(order.clone()).unwrap_or_default()
}

/// Returns the first order without the slots that the second lacks.
pub(super) fn common(one: &Value, other: &Value) -> Vec<SlotId> {
    let others = ids(other);
    ids(one).into_iter().filter(|id| others.contains(id)).collect()
}
