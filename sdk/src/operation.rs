//! What the transport must know of each operation. The one table; a test holds it against `spec/openapi.json`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One operation of the interface (section 4.2).
#[derive(Debug)]
pub(crate) struct Operation {
    /// The operationId, as the interface writes it.
    pub(crate) id: &'static str,
    /// Method and path below the base address, parameters in braces.
    pub(crate) route: &'static str,
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

    /// The row of a method and a path; a literal segment goes before a parameter.
    pub(crate) fn at(method: &str, path: &str) -> Option<&'static Operation> {
        let is_at = |operation: &&Operation| {
            let Some((known, template)) = operation.route.split_once(' ') else { return false };
            let (mut segments, mut names) = (path.split('/'), template.split('/'));
            known == method
                && names.by_ref().all(|name| {
                    segments.next().is_some_and(|segment| name.starts_with('{') || segment == name)
                })
                && segments.next().is_none()
        };
        let fitting = OPERATIONS.iter().copied().filter(is_at);
        fitting.min_by_key(|operation| operation.route.matches('{').count())
    }
}

/// The letters of a name, however its words are set apart. Every request asks for them, so nothing is put aside.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}

macro_rules! operations {
    ($($name:ident $id:literal $route:literal $effect:ident $bucket:ident $seconds:literal;)*) => {
        $(pub(crate) const $name: &Operation = &Operation {
            id: $id,
            route: $route,
            effect: Effect::$effect,
            bucket: Bucket::$bucket,
            timeout: Duration::from_secs($seconds),
        };)*

        /// Every operation.
        pub(crate) const OPERATIONS: &[&Operation] = &[$($name),*];
    };
}

operations! {
    GET_API_INDEX "getApiIndex" "GET /" Read General 30;
    GET_OPENAPI "getOpenapi" "GET /openapi.json" Read General 30;
    GET_ME "getMe" "GET /me" Read General 30;
    LIST_SLOT_TYPES "listSlotTypes" "GET /slot-types" Read General 30;
    GET_SLOT_TYPE "getSlotType" "GET /slot-types/{type}" Read General 30;
    LIST_PROFILES "listProfiles" "GET /profiles" Read General 30;
    CREATE_PROFILE "createProfile" "POST /profiles" Create General 60;
    CHECK_LOGIN "checkLogin" "GET /profiles/check-login" Read General 30;
    GET_PROFILE "getProfile" "GET /profiles/{profileKey}" Read General 30;
    UPDATE_PROFILE "updateProfile" "PATCH /profiles/{profileKey}" Set General 60;
    GET_PROFILE_SETTINGS "getProfileSettings" "GET /profiles/{profileKey}/settings" Read General 30;
    UPDATE_PROFILE_SETTINGS "updateProfileSettings" "PATCH /profiles/{profileKey}/settings" Set General 60;
    PREVIEW_PROFILE_MARKDOWN "previewProfileMarkdown" "GET /profiles/{profileKey}/markdown" Read General 30;
    LIST_SLOTS "listSlots" "GET /profiles/{profileKey}/slots" Read General 30;
    CREATE_SLOT "createSlot" "POST /profiles/{profileKey}/slots" Create General 60;
    UPDATE_SLOTS "updateSlots" "PATCH /profiles/{profileKey}/slots" Set General 60;
    DELETE_SLOTS "deleteSlots" "DELETE /profiles/{profileKey}/slots" DeleteMany General 60;
    CREATE_SLOTS "createSlots" "POST /profiles/{profileKey}/slots/batch" Create General 60;
    REORDER_SLOTS "reorderSlots" "PUT /profiles/{profileKey}/slots/order" Set General 60;
    GET_SLOT "getSlot" "GET /profiles/{profileKey}/slots/{slot}" Read General 30;
    UPDATE_SLOT "updateSlot" "PATCH /profiles/{profileKey}/slots/{slot}" Set General 60;
    DELETE_SLOT "deleteSlot" "DELETE /profiles/{profileKey}/slots/{slot}" Delete General 60;
    LIST_FORMS "listForms" "GET /forms" Read General 30;
    CREATE_FORM "createForm" "POST /forms" Create General 60;
    SHOW_FORM "showForm" "GET /forms/{formId}" Read General 30;
    UPDATE_FORM "updateForm" "PATCH /forms/{formId}" Set General 60;
    LIST_NOTIFICATION_CHANNELS "listNotificationChannels" "GET /notification-channels" Read General 30;
    LOOKUP_MUSIC "lookupMusic" "GET /music/lookup" Read Music 45;
    // The time of an upload depends on its size: only a stall ends it sooner.
    UPLOAD_FILE "uploadFile" "POST /files" Create General 3600;
    CREATE_UPLOAD_URL "createUploadUrl" "POST /files/upload-url" Create General 60;
    GET_ACCOUNT_ANALYTICS "getAccountAnalytics" "GET /analytics" Read Analytics 30;
    GET_PROFILE_ANALYTICS "getProfileAnalytics" "GET /profiles/{profileKey}/analytics" Read Analytics 30;
    GET_FORM_ANALYTICS "getFormAnalytics" "GET /forms/{formId}/analytics" Read Analytics 30;
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
    fn each_row_is_found_at_its_route() {
        for (id, (method, path, _)) in described() {
            let route = format!("{} {path}", method.to_uppercase());
            assert_eq!(Operation::find(&id).unwrap().route, route);
            let path = path.replace(['{', '}'], "");
            assert_eq!(Operation::at(&method.to_uppercase(), &path).unwrap().id, id);
        }
        assert!(Operation::at("PUT", "/me").is_none() && Operation::at("GET", "/me/").is_none());
        assert!(Operation::at("GET", "/profiles/cafe/slots/1/2").is_none());
    }

    #[test]
    fn a_row_is_found_in_either_spelling() {
        assert_eq!(Operation::find("create_upload_url").unwrap().id, "createUploadUrl");
        assert!(Operation::find("create").is_none());
    }
}
