//! What the transport must know of each operation. The one table; a test holds it against `spec/openapi.json`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One operation of the interface (section 4.2).
#[derive(Debug)]
pub(crate) struct Operation {
    /// The operationId, as the interface writes it.
    pub(crate) id: &'static str,
    pub(crate) effect: Effect,
    pub(crate) bucket: Bucket,
    /// Longest time for one attempt, from the first byte sent to the last received.
    pub(crate) timeout: Duration,
}

/// What sending a request twice does; decides what may follow an unknown outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing.
    Read,
    /// Makes something new; declares `Idempotency-Key`.
    Create,
    /// Sets values; twice is once.
    Set,
    /// Removes one thing; the second time answers 404.
    Delete,
    /// Removes several things, all or nothing; the second time is refused because the first one worked.
    DeleteMany,
}

/// Which windows of section 8 a request counts in, besides the two that count every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bucket {
    /// Only the general windows.
    General,
    /// The analytics endpoints.
    Analytics,
    /// The music lookup.
    Music,
}

impl Operation {
    /// The row of an operation, by its operationId in any spelling (`createSlot`, `create_slot`).
    pub(crate) fn find(id: &str) -> Option<&'static Operation> {
        OPERATIONS.iter().copied().find(|operation| letters(operation.id).eq(letters(id)))
    }
}

/// The letters of a name, however its words are set apart. Every request asks for them, so nothing is put aside.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}

macro_rules! operations {
    ($($name:ident $id:literal $effect:ident $bucket:ident $seconds:literal;)*) => {
        $(pub(crate) const $name: &Operation = &Operation {
            id: $id,
            effect: Effect::$effect,
            bucket: Bucket::$bucket,
            timeout: Duration::from_secs($seconds),
        };)*

        /// Every operation.
        pub(crate) const OPERATIONS: &[&Operation] = &[$($name),*];
    };
}

operations! {
    GET_API_INDEX "getApiIndex" Read General 30;
    GET_OPENAPI "getOpenapi" Read General 30;
    GET_ME "getMe" Read General 30;
    LIST_SLOT_TYPES "listSlotTypes" Read General 30;
    GET_SLOT_TYPE "getSlotType" Read General 30;
    LIST_PROFILES "listProfiles" Read General 30;
    CREATE_PROFILE "createProfile" Create General 60;
    CHECK_LOGIN "checkLogin" Read General 30;
    GET_PROFILE "getProfile" Read General 30;
    UPDATE_PROFILE "updateProfile" Set General 60;
    GET_PROFILE_SETTINGS "getProfileSettings" Read General 30;
    UPDATE_PROFILE_SETTINGS "updateProfileSettings" Set General 60;
    PREVIEW_PROFILE_MARKDOWN "previewProfileMarkdown" Read General 30;
    LIST_SLOTS "listSlots" Read General 30;
    CREATE_SLOT "createSlot" Create General 60;
    UPDATE_SLOTS "updateSlots" Set General 60;
    DELETE_SLOTS "deleteSlots" DeleteMany General 60;
    CREATE_SLOTS "createSlots" Create General 60;
    REORDER_SLOTS "reorderSlots" Set General 60;
    GET_SLOT "getSlot" Read General 30;
    UPDATE_SLOT "updateSlot" Set General 60;
    DELETE_SLOT "deleteSlot" Delete General 60;
    LIST_FORMS "listForms" Read General 30;
    CREATE_FORM "createForm" Create General 60;
    SHOW_FORM "showForm" Read General 30;
    UPDATE_FORM "updateForm" Set General 60;
    LIST_NOTIFICATION_CHANNELS "listNotificationChannels" Read General 30;
    LOOKUP_MUSIC "lookupMusic" Read Music 45;
    // The time of an upload depends on its size: only a stall ends it sooner.
    UPLOAD_FILE "uploadFile" Create General 3600;
    CREATE_UPLOAD_URL "createUploadUrl" Create General 60;
    GET_ACCOUNT_ANALYTICS "getAccountAnalytics" Read Analytics 30;
    GET_PROFILE_ANALYTICS "getProfileAnalytics" Read Analytics 30;
    GET_FORM_ANALYTICS "getFormAnalytics" Read Analytics 30;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    /// (operationId, method, path, declares a key) of every operation of the description.
    fn described() -> BTreeMap<String, (String, String, bool)> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/openapi.json"));
        let document: Value = serde_json::from_str(text).unwrap();
        let parameter_name = |parameter: &Value| {
            let target = match parameter["$ref"].as_str() {
                Some(pointer) => document.pointer(&pointer[1..]).unwrap(),
                None => parameter,
            };
            target["name"].as_str().unwrap().to_owned()
        };
        let mut all = BTreeMap::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let Some(id) = operation["operationId"].as_str() else { continue };
                let keyed = operation["parameters"].as_array().is_some_and(|list| {
                    list.iter().any(|p| parameter_name(p) == "Idempotency-Key")
                });
                all.insert(id.to_owned(), (method.clone(), path.clone(), keyed));
            }
        }
        all
    }

    #[test]
    fn every_operation_of_the_description_has_one_row_and_no_row_is_left_over() {
        let described: Vec<String> = described().into_keys().collect();
        let mut rows: Vec<String> =
            OPERATIONS.iter().map(|operation| operation.id.to_owned()).collect();
        rows.sort();
        assert_eq!(rows, described);
        assert_eq!(rows.len(), 33);
    }

    #[test]
    fn the_effect_of_each_row_follows_from_the_description() {
        for (id, (method, path, keyed)) in described() {
            let effect = Operation::find(&id).unwrap().effect;
            let expected = match (method.as_str(), keyed) {
                (_, true) => Effect::Create,
                ("get", _) => Effect::Read,
                ("patch" | "put", _) => Effect::Set,
                ("delete", _) if path.ends_with("/slots") => Effect::DeleteMany,
                ("delete", _) => Effect::Delete,
                other => panic!("{id}: {other:?} has no effect"),
            };
            assert_eq!(effect, expected, "{id}");
        }
    }

    #[test]
    fn the_buckets_follow_from_the_path() {
        for (id, (_, path, _)) in described() {
            let expected = match path.as_str() {
                "/music/lookup" => Bucket::Music,
                p if p.ends_with("/analytics") => Bucket::Analytics,
                _ => Bucket::General,
            };
            assert_eq!(Operation::find(&id).unwrap().bucket, expected, "{id}");
        }
    }

    #[test]
    fn a_row_is_found_in_either_spelling() {
        assert_eq!(Operation::find("create_upload_url").unwrap().id, "createUploadUrl");
        assert!(Operation::find("create").is_none());
    }
}
