//! What a page file says and what its page has, in the form that is merged.

use links_pages::apply::PageSnapshot;
use links_pages::sync::{FilePage, FileSlot, FileSlotId, LivePage};
use links_sdk::Object;
use serde_json::{Value, json};

use crate::apply::image::Image;
use links_pages::page_file::{FileScope, PageFile, Reference, ReferenceTarget};

/// Returns what a page file says. A reference is named by what it refers to; the values that it stands for are those that the page of the
/// file has now, which is a placeholder for an image that is not uploaded yet.
pub(crate) fn file_page(file: &PageFile, images: &[Image]) -> FilePage {
    let slots = file.page.content.slots.iter().enumerate().map(|(index, slot)| {
        let mut said = FileSlot {
            id: match slot.id {
                Some(id) => FileSlotId::Id(id),
                None if file.page.marked_new.contains(&index) => FileSlotId::New,
                None => FileSlotId::Absent,
            },
            kind: slot.kind.clone(),
            data: slot.data.clone(),
            resolved: Object::default(),
        };
        for reference in file.references.iter().filter(|it| it.place.item == Some(index)) {
            let Some((key, value)) =
                reference.place.path.first().and_then(|key| slot.data.get_key_value(key))
            else {
                continue;
            };
            said.resolved.insert(key.clone(), value.clone());
            reference.place.put(&mut said.data, &named(file, reference, images));
        }
        said
    });
    let slots = slots.collect();
    let (mut fields, mut resolved) = (file.page.content.fields.clone(), Object::default());
    for reference in file.references.iter().filter(|it| it.place.item.is_none()) {
        let name = reference.place.path.first();
        if let Some((name, value)) = name.and_then(|name| fields.get_key_value(name)) {
            resolved.insert(name.clone(), value.clone());
        }
        reference.place.put(&mut fields, &named(file, reference, images));
    }
    FilePage { fields, resolved, slots }
}

/// Returns the value by which a reference is compared with that of the last sync: the hash of an image, the id of a form. A form that is not
/// created yet has a placeholder.
fn named(file: &PageFile, reference: &Reference, images: &[Image]) -> Value {
    match &reference.target {
        ReferenceTarget::Upload(name) => {
            let image = images.iter().find(|image| image.place == reference.place);
            json!({ "$upload": image.map_or(name, |image| &image.local.hash) })
        }
        ReferenceTarget::Form(title) => {
            let place = &reference.place;
            let id = place.data(&file.page.content).and_then(|data| place.value(data));
            json!({ "$form": id.filter(|id| id.is_string()).unwrap_or(&json!(title)) })
        }
    }
}

/// Returns what a command takes of a page, in the form that is merged. Fields that were not taken keep their record.
pub(crate) fn live(page: &PageSnapshot, scope: FileScope) -> LivePage {
    let fields = match scope {
        FileScope::Page => page.fields(),
        FileScope::Slots => Object::default(),
    };
    LivePage { id: page.id, login: page.login.clone(), fields, slots: page.slots.clone() }
}
