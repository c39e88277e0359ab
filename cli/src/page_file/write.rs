//! Serialization of a page for editing: ids first, one field per line, block scalars for strings of several lines. Keys from the page are
//! escaped, so that they are never references.

use links_sdk::ProfileKey;
use links_sdk::apply::{DesiredSlot, literal};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::PageContent;
use super::page::NEW;
use super::profile_fields::PROFILE_FIELDS;

impl Serialize for PageContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.profile {
            ProfileKey::Id(id) => map.serialize_entry("profile", id)?,
            ProfileKey::Login(login) => map.serialize_entry("profile", login)?,
        }
        for rule in PROFILE_FIELDS {
            if let Some(value) = self.content.fields.get(rule.name) {
                map.serialize_entry(rule.name, value)?;
            }
        }
        if self.has_slots {
            let entry = |(index, slot)| SlotEntry(slot, self.marked_new.contains(&index));
            let slots: Vec<_> = self.content.slots.iter().enumerate().map(entry).collect();
            map.serialize_entry("slots", &slots)?;
        }
        map.end()
    }
}

/// Slot without an absent id and without empty data. With `true` it has the id `new`.
struct SlotEntry<'a>(&'a DesiredSlot, bool);

impl Serialize for SlotEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(DesiredSlot { id, kind, data }, is_new) = self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = id {
            map.serialize_entry("id", id)?;
        } else if *is_new {
            map.serialize_entry("id", NEW)?;
        }
        map.serialize_entry("type", kind)?;
        if !data.is_empty() {
            map.serialize_entry("data", &literal(data))?;
        }
        map.end()
    }
}
