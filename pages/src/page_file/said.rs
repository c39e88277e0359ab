//! What a page file says and what its page holds, in the form that is merged.

use std::collections::BTreeSet;

use serde_json::json;

use super::{FileScope, Image, PageContent, PageFile, Reference, ReferenceTarget};
use crate::apply::{DesiredSlot, PageSnapshot};
use crate::sync::{FilePage, FileSlot, LivePage};
use links_sdk::Object;

impl PageContent {
    /// Returns what the file says of its slots, with the values that they have here.
    pub fn said_slots(&self) -> Vec<FileSlot> {
        let slot = |(index, slot): (usize, &DesiredSlot)| FileSlot {
            id: self.slot_id(index),
            kind: slot.kind.clone(),
            data: slot.data.clone(),
            is_locked: self.locked.contains(&index),
            resolved: Object::default(),
        };
        self.content.slots.iter().enumerate().map(slot).collect()
    }
}

impl PageFile {
    /// Returns the images to upload, each once.
    pub fn new_images(&self) -> impl Iterator<Item = &Image> {
        let mut seen = BTreeSet::new();
        let images = self.images.iter().filter(|image| !image.is_uploaded);
        images.filter(move |image| seen.insert(image.local.hash.as_str()))
    }

    /// Returns what the file says. A reference is named by what it refers to; the values that it stands for are those that the page of the
    /// file has now, which is a placeholder for an image that is not uploaded yet.
    pub fn said(&self) -> FilePage {
        let content = &self.page.content;
        let mut said = FilePage {
            fields: content.fields.clone(),
            resolved: Object::default(),
            slots: self.page.said_slots(),
            keeps_slots: !self.page.has_slots,
        };
        for Reference { place, target, .. } in &self.references {
            let held = place.data(content);
            let value = place.path.first().and_then(|key| held?.get_key_value(key));
            let (data, resolved) = match place.item {
                None => (&mut said.fields, &mut said.resolved),
                Some(item) => {
                    let Some(slot) = said.slots.get_mut(item) else { continue };
                    (&mut slot.data, &mut slot.resolved)
                }
            };
            resolved.extend(value.map(|(key, value)| (key.clone(), value.clone())));
            let name = match target {
                ReferenceTarget::Upload(name) => {
                    let image = self.images.iter().find(|image| image.place == *place);
                    json!({ "$upload": image.map_or(name, |image| &image.local.hash) })
                }
                // A form that is not created yet has a placeholder.
                ReferenceTarget::Form(title) => {
                    let id = held.and_then(|held| place.value(held)).filter(|id| id.is_string());
                    json!({ "$form": id.unwrap_or(&json!(title)) })
                }
            };
            place.put(data, &name);
        }
        said
    }

    /// Returns what the file says, and what its page holds of what the command takes.
    pub fn compared(&self, page: &PageSnapshot) -> (FilePage, LivePage) {
        let said = self.said();
        let live = LivePage::of(page, &said);
        match self.scope {
            FileScope::Page => (said, live),
            FileScope::Slots => (said, live.without_fields()),
        }
    }
}
