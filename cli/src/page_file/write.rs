//! Serialization of a page for editing: ids first, one field per line, block scalars for strings of several lines. Keys from the page are
//! escaped, so that they are never references.

use links_sdk::ProfileKey;
use links_sdk::apply::{DesiredSlot, literal};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::PageContent;

impl Serialize for PageContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        match &self.profile {
            ProfileKey::Id(id) => map.serialize_entry("profile", id)?,
            ProfileKey::Login(login) => map.serialize_entry("profile", login)?,
        }
        map.serialize_entry(
            "slots",
            &self.content.slots.iter().map(SlotEntry).collect::<Vec<_>>(),
        )?;
        map.end()
    }
}

/// Slot without an absent id and without empty data.
struct SlotEntry<'a>(&'a DesiredSlot);

impl Serialize for SlotEntry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DesiredSlot { id, kind, data } = self.0;
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = id {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("type", kind)?;
        if !data.is_empty() {
            map.serialize_entry("data", &literal(data))?;
        }
        map.end()
    }
}
