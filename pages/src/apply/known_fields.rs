//! Profile fields of a page as a run knows them, and the requests that write them.

use serde_json::Value;

use super::page_fields::{FieldsRequest, PlannedFields, held, page_fields};
use super::{PageSnapshot, same};
use links_sdk::runs::{ReadTime, WriteStop, patch_page};
use links_sdk::{Object, ProfileHandle};

/// Profile fields of a page as a run last read them.
pub(super) struct KnownFields {
    /// The record of the page, with the code of its language.
    record: Object,
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
        // The login and the language are written by requests of their own. If another client has changed one, the next request reads first.
        let is_written = |name: &str| names.iter().any(|it| it == name);
        let is_as_known = |name: &str| same(held(&answer, name), held(&self.record, name));
        let is_login_known = is_written("login") || is_as_known("login");
        let is_language_known =
            is_written("languageCode") || is_written("languageId") || is_as_known("languageId");
        self.at = (is_login_known && is_language_known).then(|| ReadTime::now(&handle.client));
        for name in names {
            // The decoded record leaves out what is null.
            let value = held(&answer, &name).clone();
            if name == "languageId" {
                self.record.insert("languageCode".to_owned(), Value::Null);
            }
            self.record.insert(name, value);
        }
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
        edited.map(|name| format!("{name} was edited, and was left alone")).collect()
    }

    /// Removes the differences of fields that the service stores in another form than they were sent in.
    pub(super) fn accept_stored(&self, left: &mut PlannedFields) {
        let PlannedFields { changed, before } = left;
        let is_accepted = |name: &String| {
            let stored = self.stored.get(name);
            stored.is_some_and(|stored| !same(stored, held(&self.first, name)))
        };
        let accepted: Vec<String> =
            changed.keys().filter(|name| is_accepted(name)).cloned().collect();
        for name in accepted {
            changed.remove(&name);
            before.remove(&name);
        }
    }
}
