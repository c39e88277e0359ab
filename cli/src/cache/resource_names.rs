//! Names that completion offers: pages, slots and forms seen by the last commands, in one small file per service. Errors are ignored: a
//! file that cannot be read or written counts as missing.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json_file;
use crate::output::label::label;

/// Operations whose responses contain names of resources.
const OPERATIONS: &[&str] = &[
    "listProfiles",
    "getProfile",
    "createProfile",
    "updateProfile",
    "listSlots",
    "reorderSlots",
    "getSlot",
    "createSlot",
    "createSlots",
    "updateSlot",
    "updateSlots",
    "deleteSlots",
    "listForms",
    "showForm",
    "createForm",
    "updateForm",
];

/// Tells whether the responses of an operation contain names of resources.
pub(crate) fn is_named(operation: &str) -> bool {
    OPERATIONS.contains(&operation)
}

/// Known resources of a service.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ResourceNames {
    /// Login and title of each page by its id.
    pub(crate) profiles: BTreeMap<i64, NamedResource>,
    /// Title of each form by its id.
    pub(crate) forms: BTreeMap<String, String>,
    /// Slots of each page in page order, by the key used in the request.
    pub(crate) slots: BTreeMap<String, Vec<NamedSlot>>,
}

/// Page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedResource {
    /// Login, the last part of the public URL.
    pub(crate) login: String,
    /// Title of the page.
    pub(crate) title: String,
}

/// Slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedSlot {
    /// Id of the slot.
    pub(crate) id: i64,
    /// Type of the slot.
    pub(crate) kind: String,
    /// Human-readable label of the slot.
    pub(crate) label: String,
}

impl NamedSlot {
    fn of(record: &Value) -> Option<Self> {
        let label = record["data"].as_object().and_then(label).unwrap_or_default();
        let (id, kind) = (record["id"].as_i64()?, record["type"].as_str()?.to_owned());
        Some(Self { id, kind, label: label.to_owned() })
    }
}

/// Key of the page in a request target.
fn page_of(target: &str) -> Option<&str> {
    target.split("/profiles/").nth(1)?.split(['/', '?']).next()
}

/// Id in one part of a query string.
fn id_in(part: &str) -> Option<i64> {
    part.split_once('=')?.1.parse().ok()
}

impl ResourceNames {
    /// Loads the names from a file.
    pub(crate) fn load(path: &Path) -> Self {
        json_file::load(path).unwrap_or_default()
    }

    /// Adds the names in responses; the file is written only if something changed.
    pub(crate) fn remember(path: &Path, seen: &[SeenAnswer]) {
        if seen.is_empty() {
            return;
        }
        let before = Self::load(path);
        let mut names = Self::load(path);
        for answer in seen {
            let body = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
            names.learn(answer.operation, &answer.target, &body["data"]);
        }
        if names != before {
            let _ = json_file::store(path, &names);
        }
    }

    /// Slots of a page by its id or login; slots of all pages if the page is not known.
    pub(crate) fn slots_of(&self, key: Option<&str>) -> Vec<&NamedSlot> {
        let of = |key: &str| self.slots.get(key);
        let profile = self
            .profiles
            .iter()
            .find(|(id, it)| key.is_some_and(|key| it.login == key || id.to_string() == key));
        let found = key.and_then(of).or_else(|| {
            let (id, named) = profile?;
            of(&named.login).or_else(|| of(&id.to_string()))
        });
        match found {
            Some(slots) => slots.iter().collect(),
            None => self.slots.values().flatten().collect(),
        }
    }

    fn learn(&mut self, operation: &str, target: &str, data: &Value) {
        match operation {
            "listProfiles" => {
                self.profiles.clear();
                data.as_array().into_iter().flatten().for_each(|it| self.profile(it));
            }
            "listForms" => {
                self.forms.clear();
                data.as_array().into_iter().flatten().for_each(|it| self.form(it));
            }
            "listSlots" | "reorderSlots" => {
                if let Some(key) = page_of(target) {
                    self.page(key, data);
                }
            }
            "getSlot" | "createSlot" | "createSlots" | "updateSlot" | "updateSlots" => {
                self.some_slots(target, data);
            }
            "deleteSlots" => {
                let ids: Vec<_> = target.split(['?', '&']).filter_map(id_in).collect();
                if let Some(slots) = page_of(target).and_then(|key| self.slots.get_mut(key)) {
                    slots.retain(|it| !ids.contains(&it.id));
                }
            }
            "showForm" | "createForm" | "updateForm" => self.form(data),
            _ => {
                self.profile(data);
                if let Some(login) = data["login"].as_str() {
                    self.page(login, &data["slots"]);
                }
            }
        }
    }

    fn profile(&mut self, data: &Value) {
        let (Some(id), Some(login)) = (data["id"].as_i64(), data["login"].as_str()) else { return };
        let title = data["title"].as_str().unwrap_or_default().to_owned();
        self.profiles.insert(id, NamedResource { login: login.to_owned(), title });
    }

    fn form(&mut self, data: &Value) {
        if let (Some(id), Some(title)) = (data["id"].as_str(), data["title"].as_str()) {
            self.forms.insert(id.to_owned(), title.to_owned());
        }
    }

    fn page(&mut self, key: &str, slots: &Value) {
        let Some(slots) = slots.as_array() else { return };
        self.slots.insert(key.to_owned(), slots.iter().filter_map(NamedSlot::of).collect());
    }

    /// Updates slots of a known page: replaces the slot with the same id, or appends a new slot.
    fn some_slots(&mut self, target: &str, data: &Value) {
        let Some(known) = page_of(target).and_then(|key| self.slots.get_mut(key)) else { return };
        let slots = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
        for slot in slots.iter().filter_map(NamedSlot::of) {
            match known.iter_mut().find(|it| it.id == slot.id) {
                Some(old) => *old = slot,
                None => known.push(slot),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(operation: &'static str, target: &str, data: &Value) -> SeenAnswer {
        let body = json!({ "data": data }).to_string().into();
        SeenAnswer { operation, target: target.to_owned(), body }
    }

    #[test]
    fn names_are_cached_from_answers_and_slots_are_found_by_login_or_id() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/names.json");
        let slots = json!([{ "id": 5, "type": "text", "data": { "title": "Hi" } }, { "id": 6, "type": "divider", "data": [] }]);
        ResourceNames::remember(
            &path,
            &[
                seen(
                    "listProfiles",
                    "/api/v1/profiles",
                    &json!([{ "id": 1, "login": "cafe", "title": null }]),
                ),
                seen("listSlots", "/api/v1/profiles/1/slots", &slots),
                seen("createForm", "/api/v1/forms", &json!({ "id": "f", "title": "Contact" })),
            ],
        );
        ResourceNames::remember(
            &path,
            &[seen(
                "getProfile",
                "/api/v1/profiles/b",
                &json!({ "id": 2, "login": "b", "title": "B", "slots": [] }),
            )],
        );
        let names = ResourceNames::load(&path);
        assert_eq!(names.profiles.values().map(|it| &*it.login).collect::<Vec<_>>(), ["cafe", "b"]);
        assert_eq!(names.forms["f"], "Contact");
        for key in ["cafe", "1"] {
            assert_eq!(
                names.slots_of(Some(key)).iter().map(|it| it.id).collect::<Vec<_>>(),
                [5, 6]
            );
        }
        assert!(names.slots_of(Some("b")).is_empty());
        assert_eq!(names.slots_of(None).len(), 2);
    }

    #[test]
    fn created_changed_and_deleted_slots_update_the_cached_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("names.json");
        let slot =
            |id: i64, title: &str| json!({ "id": id, "type": "text", "data": { "title": title } });
        let page = "/api/v1/profiles/cafe/slots";
        let labels = |operation, target: &str, data: &Value| {
            ResourceNames::remember(&path, &[seen(operation, target, data)]);
            let names = ResourceNames::load(&path);
            names.slots_of(Some("cafe")).iter().map(|it| it.label.clone()).collect::<Vec<_>>()
        };
        assert!(labels("createSlot", page, &slot(1, "A")).is_empty(), "the page is not known");
        assert_eq!(labels("listSlots", page, &json!([slot(1, "A")])), ["A"]);
        assert_eq!(labels("createSlot", page, &slot(2, "B")), ["A", "B"]);
        assert_eq!(
            labels("createSlots", page, &json!([slot(3, "C"), slot(4, "D")])),
            ["A", "B", "C", "D"]
        );
        assert_eq!(labels("updateSlot", &format!("{page}/2"), &slot(2, "b")), ["A", "b", "C", "D"]);
        let gone = format!("{page}?ids%5B%5D=3&ids%5B%5D=1");
        assert_eq!(labels("deleteSlots", &gone, &json!(null)), ["b", "D"]);
    }

    #[test]
    fn an_invalid_cache_file_is_loaded_as_empty() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("names.json");
        for text in ["", "{", "[]", "{\"profiles\": 1}"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(ResourceNames::load(&path), ResourceNames::default());
        }
    }
}

/// Response that contains names of resources.
#[derive(Clone, Debug)]
pub(crate) struct SeenAnswer {
    /// Operation id in the API document.
    pub(crate) operation: &'static str,
    /// Request target: path and query.
    pub(crate) target: String,
    /// Body of the response.
    pub(crate) body: Bytes,
}
