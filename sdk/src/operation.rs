//! Table of the operations, with the facts that the transport needs about each. A test compares it with `spec/openapi.json`.

use std::time::Duration;

use SuccessContent::{Json, Markdown, Nothing};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// One operation of the interface.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The operationId, as the interface writes it.
    pub(crate) id: &'static str,
    /// Method and path below the base URL, parameters in braces.
    pub(crate) route: &'static str,
    pub(crate) effect: Effect,
    pub(crate) bucket: Bucket,
    /// Time limit for one attempt, from the first byte sent to the last received.
    pub(crate) timeout: Duration,
    /// Status of a successful answer; any 2xx if there is none.
    pub(crate) status: Option<u16>,
    /// Content of a successful answer.
    pub(crate) success: SuccessContent,
}

/// Content of a successful answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SuccessContent {
    /// No body.
    Nothing,
    /// A page as Markdown.
    Markdown,
    /// A record in its envelope.
    Json,
    /// Unknown content: the path is not one of the interface.
    Any,
}

/// Decodes a record. UTF-8 is checked once for all rather than for each string.
pub(crate) fn from_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(json) {
        Ok(text) => serde_json::from_str(text),
        // Not JSON, which is what the error says.
        Err(_) => serde_json::from_slice(json),
    }
}

/// Effect of sending a request twice, which decides what may follow an unknown outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing.
    Read,
    /// Makes something new; declares `Idempotency-Key`.
    Create,
    /// Sets values; a repetition has no further effect.
    Set,
    /// Removes one thing; the second time answers 404.
    Delete,
    /// Removes several things, all or nothing; the second time is refused because the first one worked.
    DeleteMany,
}

/// Rate limit windows that count a request, in addition to the two that count every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Bucket {
    /// Only the general windows.
    General,
    /// The analytics endpoints.
    Analytics,
    /// The music lookup.
    Music,
}

impl Operation {
    /// Returns whether the operation is answered without a token.
    pub(crate) fn is_public(&self) -> bool {
        self.route == GET_API_INDEX.route
    }

    /// Returns whether the operation changes the account. An upload URL alone changes nothing; an image that is sent to it is stored.
    pub(crate) fn writes(&self) -> bool {
        self.has_outcome() && self.id != "createUploadUrl"
    }

    /// Returns whether executing the operation has an effect. An image that is sent again to its URL is the same image, but it is stored.
    pub(crate) fn has_outcome(&self) -> bool {
        self.effect != Effect::Read || self.id == "sendToUploadUrl"
    }

    /// Returns whether the service's answer distinguishes a dry run from the call itself: 204 is also the answer to the delete of one slot.
    pub(crate) fn supports_dry_run(&self) -> bool {
        match self.effect {
            Effect::Create | Effect::Set => true,
            Effect::DeleteMany => self.route == DELETE_SLOTS.route,
            Effect::Read | Effect::Delete => false,
        }
    }

    /// Returns the row of an operation, by its operationId in any spelling (`createSlot`, `create_slot`).
    #[cfg(test)]
    pub(crate) fn find(id: &str) -> Option<&'static Operation> {
        OPERATIONS.iter().copied().find(|operation| letters(operation.id).eq(letters(id)))
    }

    /// Returns the row of a method and a path; a literal segment takes precedence over a parameter.
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

/// Returns the lower-case letters of a name without underscores.
#[cfg(test)]
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}

macro_rules! operations {
    ($($name:ident $id:literal $route:literal $effect:ident $bucket:ident $seconds:literal $status:literal $content:expr;)*) => {
        $(pub(crate) const $name: &Operation = &Operation {
            id: $id,
            route: $route,
            effect: Effect::$effect,
            bucket: Bucket::$bucket,
            timeout: Duration::from_secs($seconds),
            status: Some($status),
            success: $content,
        };)*

        /// Every operation.
        pub(crate) const OPERATIONS: &[&Operation] = &[$($name),*];
    };
}

operations! {
    GET_API_INDEX "getApiIndex" "GET /" Read General 30 200 Json;
    GET_OPENAPI "getOpenapi" "GET /openapi.json" Read General 30 200 Json;
    GET_ME "getMe" "GET /me" Read General 30 200 Json;
    LIST_SLOT_TYPES "listSlotTypes" "GET /slot-types" Read General 30 200 Json;
    GET_SLOT_TYPE "getSlotType" "GET /slot-types/{type}" Read General 30 200 Json;
    LIST_PROFILES "listProfiles" "GET /profiles" Read General 30 200 Json;
    CREATE_PROFILE "createProfile" "POST /profiles" Create General 60 201 Json;
    CHECK_LOGIN "checkLogin" "GET /profiles/check-login" Read General 30 200 Json;
    GET_PROFILE "getProfile" "GET /profiles/{profileKey}" Read General 30 200 Json;
    UPDATE_PROFILE "updateProfile" "PATCH /profiles/{profileKey}" Set General 60 200 Json;
    GET_PROFILE_SETTINGS "getProfileSettings" "GET /profiles/{profileKey}/settings" Read General 30 200 Json;
    UPDATE_PROFILE_SETTINGS "updateProfileSettings" "PATCH /profiles/{profileKey}/settings" Set General 60 200 Json;
    PREVIEW_PROFILE_MARKDOWN "previewProfileMarkdown" "GET /profiles/{profileKey}/markdown" Read General 30 200 Markdown;
    LIST_SLOTS "listSlots" "GET /profiles/{profileKey}/slots" Read General 30 200 Json;
    CREATE_SLOT "createSlot" "POST /profiles/{profileKey}/slots" Create General 60 201 Json;
    UPDATE_SLOTS "updateSlots" "PATCH /profiles/{profileKey}/slots" Set General 60 200 Json;
    DELETE_SLOTS "deleteSlots" "DELETE /profiles/{profileKey}/slots" DeleteMany General 60 200 Json;
    CREATE_SLOTS "createSlots" "POST /profiles/{profileKey}/slots/batch" Create General 60 201 Json;
    REORDER_SLOTS "reorderSlots" "PUT /profiles/{profileKey}/slots/order" Set General 60 200 Json;
    GET_SLOT "getSlot" "GET /profiles/{profileKey}/slots/{slot}" Read General 30 200 Json;
    UPDATE_SLOT "updateSlot" "PATCH /profiles/{profileKey}/slots/{slot}" Set General 60 200 Json;
    DELETE_SLOT "deleteSlot" "DELETE /profiles/{profileKey}/slots/{slot}" Delete General 60 204 Nothing;
    LIST_FORMS "listForms" "GET /forms" Read General 30 200 Json;
    CREATE_FORM "createForm" "POST /forms" Create General 60 201 Json;
    SHOW_FORM "showForm" "GET /forms/{formId}" Read General 30 200 Json;
    UPDATE_FORM "updateForm" "PATCH /forms/{formId}" Set General 60 200 Json;
    LIST_NOTIFICATION_CHANNELS "listNotificationChannels" "GET /notification-channels" Read General 30 200 Json;
    LOOKUP_MUSIC "lookupMusic" "GET /music/lookup" Read Music 45 200 Json;
    // The time of an upload depends on its size: only a stall ends it sooner.
    UPLOAD_FILE "uploadFile" "POST /files" Create General 3600 201 Json;
    CREATE_UPLOAD_URL "createUploadUrl" "POST /files/upload-url" Create General 60 200 Json;
    GET_ACCOUNT_ANALYTICS "getAccountAnalytics" "GET /analytics" Read Analytics 30 200 Json;
    GET_PROFILE_ANALYTICS "getProfileAnalytics" "GET /profiles/{profileKey}/analytics" Read Analytics 30 200 Json;
    GET_FORM_ANALYTICS "getFormAnalytics" "GET /forms/{formId}/analytics" Read Analytics 30 200 Json;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    /// Returns (operationId, method, path, declares a key) of every operation of the description.
    fn described() -> BTreeMap<String, (String, String, bool)> {
        let document: Value = serde_json::from_str(links_fixtures::DOCUMENT).unwrap();
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
