//! Profile fields of a page, in the form that files have them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::same;
use links_sdk::Object;

/// Names of the profile fields in files, in the order in which they are written.
pub const PAGE_FIELDS: [&str; 9] = [
    "login",
    "title",
    "description",
    "avatar",
    "bgImage",
    "socials",
    "languageCode",
    "moodText",
    "moodHours",
];

const LANGUAGE: &str = "languageCode";
/// Fields of the status.
pub(super) const MOOD: [&str; 2] = ["moodText", "moodHours"];

/// Returns the profile fields of a page's record in the format of files: `socials` as URLs in order, the language as a code. Fields that
/// the record does not have are absent, such as `moodText` if statuses are turned off. The language is also absent if only its ID is known.
///
/// ```
/// let record = serde_json::json!({"id": 7, "login": "cafe", "title": "Café", "languageId": null,
///     "socials": [{"link": "https://t.me/cafe", "order": 2}, {"link": "https://x.com/cafe", "order": 1}]});
/// let fields = links_pages::apply::page_fields(record.as_object().unwrap());
/// assert_eq!(fields["socials"], serde_json::json!(["https://x.com/cafe", "https://t.me/cafe"]));
/// assert!(fields["languageCode"].is_null() && !fields.contains_key("moodText"));
/// ```
pub fn page_fields(record: &Map<String, Value>) -> Object {
    let value = |name: &str| match name {
        "socials" => record.get(name).map(links),
        LANGUAGE => {
            let none = || record.get("languageId").filter(|id| id.is_null());
            record.get(name).or_else(none).cloned()
        }
        _ => record.get(name).cloned(),
    };
    PAGE_FIELDS.iter().filter_map(|name| Some((*name, value(name)?))).collect()
}

/// Returns the links of social links in their order.
fn links(socials: &Value) -> Value {
    let mut items: Vec<&Value> = socials.as_array().into_iter().flatten().collect();
    items.sort_by_key(|item| item["order"].as_i64().unwrap_or(i64::MAX));
    items.into_iter().map(|item| item["link"].clone()).collect()
}

/// Returns whether the record of a page has a status that is not shown any more.
pub(super) fn has_expired_mood(record: &Map<String, Value>) -> bool {
    let is_set = !same(held(record, "moodText"), &Value::Null);
    let active = record.get("computed").and_then(|computed| computed.get("moodActive"));
    is_set && active == Some(&Value::Bool(false))
}

/// Changes to the profile fields of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlannedFields {
    /// Values to write, in the format of files; null clears a field.
    pub changed: Object,
    /// Values of these fields when the page was read, without fields that did not exist.
    pub before: Object,
}

/// A request that writes profile fields. Each request is a separate step, because the login is changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FieldsRequest {
    /// `updateProfile` with all fields except the language and the login.
    Profile,
    /// The language: `updateProfileSettings` with its code, or `updateProfile` with null.
    Language,
    /// `updateProfileSettings` with the login.
    Login,
}

impl PlannedFields {
    /// Returns the write of these fields of a record, with their values in `seen`.
    pub(super) fn replacing(changed: Object, seen: &Object) -> Self {
        let held = |name: &String| Some((name.clone(), seen.get(name)?.clone()));
        let before = changed.keys().filter_map(held).collect();
        Self { changed, before }
    }

    /// Plans the changes from the fields of a page to the fields of a file. Both fields of the status badge are written together.
    pub fn new(page: &Object, desired: &Object) -> Self {
        let is_changed =
            |name: &str| desired.get(name).is_some_and(|value| !same(held(page, name), value));
        let is_written = |name: &str| {
            is_changed(name) || MOOD.contains(&name) && MOOD.iter().any(|it| is_changed(it))
        };
        let mut changed = desired.clone();
        changed.retain(|name, _| is_written(name));
        Self::replacing(changed, page)
    }

    /// Adds fields that are written although the page holds them.
    pub(super) fn renew(&mut self, page: &Object, fields: &Object) {
        let renewed = Self::replacing(fields.clone(), page);
        self.changed.extend(renewed.changed.0);
        self.before.extend(renewed.before.0);
    }

    /// Returns whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Returns the body of a request, and whether the request is for the settings of the page.
    pub fn body(&self, request: FieldsRequest) -> (bool, Object) {
        let field = |(name, value): (&String, &Value)| match (name.as_str(), value) {
            ("socials", Value::Array(links)) => (name.clone(), socials(links)),
            (LANGUAGE, Value::Null) => ("languageId".to_owned(), Value::Null),
            _ => (name.clone(), value.clone()),
        };
        let body: Object = self.of(request).map(field).collect();
        let of_settings = request != FieldsRequest::Profile && !body.contains_key("languageId");
        (of_settings, body)
    }

    /// Returns whether these fields hold their new values.
    pub(super) fn is_done(&self, request: FieldsRequest, page: &Object) -> bool {
        self.of(request).all(|(name, value)| same(held(page, name), value))
    }

    /// Returns the fields that a request writes.
    pub(super) fn of(&self, request: FieldsRequest) -> impl Iterator<Item = (&String, &Value)> {
        self.changed.iter().filter(move |(name, _)| request_of(name) == request)
    }

    /// Returns whether a request is needed.
    pub(super) fn needs(&self, request: FieldsRequest) -> bool {
        self.of(request).next().is_some()
    }

    /// Describes changes of other clients to fields that are still to be written.
    pub(super) fn conflicts(&self, page: &Object) -> Vec<String> {
        let theirs = self.changed.iter().filter(|(name, wanted)| {
            let now = held(page, name);
            !same(now, held(&self.before, name)) && !same(now, wanted)
        });
        theirs.map(|(name, _)| format!("{name} was to be changed, but it was edited")).collect()
    }
}

fn socials(links: &[Value]) -> Value {
    links.iter().enumerate().map(|(order, link)| json!({ "link": link, "order": order })).collect()
}

fn request_of(name: &str) -> FieldsRequest {
    match name {
        "login" => FieldsRequest::Login,
        LANGUAGE => FieldsRequest::Language,
        _ => FieldsRequest::Profile,
    }
}

/// Returns the keys of two objects: those of the first, then what the second adds to them.
pub(super) fn keys_of_both<'f>(
    one: &'f Map<String, Value>,
    other: &'f Map<String, Value>,
) -> impl Iterator<Item = &'f String> {
    one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)))
}

/// Returns the value of a key; null where it is absent.
pub(super) fn held<'f>(fields: &'f Map<String, Value>, name: &str) -> &'f Value {
    fields.get(name).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_what_differs_is_written_and_a_status_as_a_whole() {
        let page = object(json!({
            "title": "Café ", "description": null, "socials": ["https://x.com/q"], "moodText": "Open", "moodHours": 4, "login": "cafe"
        }));
        let planned = |desired: Value| PlannedFields::new(&page, &object(desired));
        assert!(
            planned(json!({ "title": "Café", "description": "", "moodText": "Open" })).is_empty()
        );
        let moods = planned(json!({ "title": "Café", "moodText": "Open", "moodHours": 8 }));
        assert_eq!(moods.changed, object(json!({ "moodText": "Open", "moodHours": 8 })));
        assert_eq!(moods.before, object(json!({ "moodText": "Open", "moodHours": 4 })));
        assert_eq!(planned(json!({ "avatar": "uploads/a.png" })).before, Object::default());
    }

    #[test]
    fn bodies_have_the_form_of_the_interface() {
        let planned = PlannedFields::new(
            &Object::default(),
            &object(
                json!({ "login": "new", "title": "A", "socials": ["https://x.com/q"], "languageCode": "kk" }),
            ),
        );
        let body = |request| planned.body(request).1;
        let socials = json!([{ "link": "https://x.com/q", "order": 0 }]);
        assert_eq!(
            body(FieldsRequest::Profile),
            object(json!({ "title": "A", "socials": socials }))
        );
        assert_eq!(body(FieldsRequest::Language), object(json!({ "languageCode": "kk" })));
        assert_eq!(body(FieldsRequest::Login), object(json!({ "login": "new" })));
        let page = object(json!({ "languageCode": "kk" }));
        let cleared = PlannedFields::new(&page, &object(json!({ "languageCode": null })));
        let sent = cleared.body(FieldsRequest::Language);
        assert_eq!(sent, (false, object(json!({ "languageId": null }))));
    }

    #[test]
    fn a_field_that_another_client_changed_is_named_unless_it_is_what_was_wanted() {
        let planned =
            PlannedFields::new(&object(json!({ "title": "A" })), &object(json!({ "title": "B" })));
        let found = |title: &str| planned.conflicts(&object(json!({ "title": title })));
        assert_eq!(found("C"), ["title was to be changed, but it was edited"]);
        assert!(found("A").is_empty() && found("B").is_empty());
    }
}
