//! Content of a page file: made from the record of a page, and written.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::apply::{DesiredPage, DesiredSlot, literal};
use links_sdk::{Object, ProfileKey};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::node::{Key, Node};
use super::profile_fields::{PROFILE_FIELDS, rule_of};

/// Id in a file for a slot that is none of those that were made on the page.
pub const NEW: &str = "new";

/// Content of a page file.
#[derive(Clone, Debug, PartialEq)]
pub struct PageContent {
    /// Key of the page.
    pub profile: ProfileKey,
    /// Host in the URL that the file has instead of a login.
    pub host: Option<String>,
    /// Login that the page should have, if the file says one.
    pub login: Option<String>,
    /// False if the file leaves the slots of the page as they are; then `content` has none.
    pub has_slots: bool,
    /// Profile fields that the file mentions, and slots in page order, at most 500. An image of this machine is a reference as written.
    /// Shared with the run that applies them.
    pub content: Arc<DesiredPage>,
    /// Indices of the slots with `id: new`: they are none of those that were made on the page, although they resemble one.
    pub marked_new: BTreeSet<usize>,
}

impl PageContent {
    /// Returns the content of a file that has only slots.
    pub fn of_slots(profile: ProfileKey, slots: DesiredPage) -> Self {
        Self {
            profile,
            host: None,
            login: None,
            has_slots: true,
            content: slots.into(),
            marked_new: BTreeSet::new(),
        }
    }

    /// Returns a page as it is: its fields (see `crate::apply::page_fields`) that have a value, and its slots. Also returns the names of the fields whose
    /// value no page file can hold, for example an avatar that is a URL.
    pub fn of_page(profile: ProfileKey, fields: Object, slots: DesiredPage) -> (Self, Vec<String>) {
        // The login names the page.
        let fields = fields.0.into_iter().filter(|(name, it)| name != "login" && has_value(it));
        let (kept, left): (Vec<_>, Vec<_>) = fields.partition(|(name, it)| is_holdable(name, it));
        let slots = DesiredPage { fields: kept.into_iter().collect(), ..slots };
        let page = Self::of_slots(profile, slots);
        (page, left.into_iter().map(|(name, _)| name).collect())
    }
}

/// Written for editing: ids first, one field per line. Keys from the page are escaped, so that they are never references.
impl Serialize for PageContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let ProfileKey::Id(id) = &self.profile {
            map.serialize_entry("profile", id)?;
        } else {
            map.serialize_entry("profile", &self.profile.to_string())?;
        }
        for rule in PROFILE_FIELDS {
            if let Some(value) = self.content.fields.get(rule.name) {
                map.serialize_entry(rule.name, value)?;
            }
        }
        if self.has_slots {
            let entry = |(index, slot)| item(slot, self.marked_new.contains(&index));
            let slots: Vec<_> = self.content.slots.iter().enumerate().map(entry).collect();
            map.serialize_entry("slots", &slots)?;
        }
        map.end()
    }
}

/// Returns a slot as an item of a file: without an absent id and without empty data. With `is_new` it has the id `new`.
pub fn item(slot: &DesiredSlot, is_new: bool) -> Value {
    let DesiredSlot { id, kind, data } = slot;
    let mut item = Map::new();
    let new = || is_new.then(|| NEW.into());
    item.extend(id.map(Value::from).or_else(new).map(|id| ("id".to_owned(), id)));
    item.insert("type".to_owned(), kind.as_str().into());
    if !data.is_empty() {
        item.insert("data".to_owned(), Value::Object(literal(data).0));
    }
    Value::Object(item)
}

fn has_value(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

/// Returns whether a page file can hold this value of a field, for example no avatar that is a URL.
pub fn is_holdable(name: &str, value: &Value) -> bool {
    let key = Key { span: 0..0, name: name.to_owned(), is_literal: true };
    let node = Node::of_json(value);
    let is_valid =
        rule_of(name).is_some_and(|it| it.check(name, &key, &node, &mut vec![]).is_some());
    // An object would be a reference.
    is_valid && !value.is_object()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::apply::page_fields;
    use crate::page_file::emit as yaml;
    use crate::page_file::local_image::ImageRoots;
    use crate::page_file::{Document, PageFile};

    fn slots() -> DesiredPage {
        serde_json::from_value(json!({ "slots": [{ "id": 1, "type": "divider" }] })).unwrap()
    }

    fn page(record: &Value, language: Option<&Value>) -> (PageContent, Vec<String>) {
        let mut record = record.as_object().unwrap().clone();
        record.extend(language.map(|code| ("languageCode".to_owned(), code.clone())));
        PageContent::of_page(ProfileKey::Login("cafe".into()), page_fields(&record), slots())
    }

    #[test]
    fn a_whole_page_is_written_as_a_file_that_reads_back_the_same() {
        let record = json!({
            "id": 7, "login": "cafe", "title": "Qara: coffee", "description": "Buns\nand coffee",
            "avatar": "uploads/1/a.png", "bgImage": null, "themeId": 3, "languageId": 1,
            "socials": [{ "link": "https://t.me/qara", "order": 2 }, { "link": "https://x.com/q", "order": 1 }],
            "moodText": "no", "moodHours": 24, "computed": {}, "unknown": 1,
        });
        let (page, left_out) = page(&record, Some(&json!("kk")));
        assert_eq!(left_out, [""; 0]);
        let text = "\
profile: cafe
title: 'Qara: coffee'
description: |-
  Buns
  and coffee
avatar: uploads/1/a.png
socials:
  - https://x.com/q
  - https://t.me/qara
languageCode: kk
moodText: \"no\"
moodHours: 24
slots:
  - id: 1
    type: divider
";
        let written = yaml::write(&page).unwrap();
        assert_eq!(written.replace("\"Qara: coffee\"", "'Qara: coffee'"), text);
        let document = Document::from_bytes("cafe.yaml", written.into()).unwrap();
        let back = PageFile::of(document, &ImageRoots::none()).unwrap();
        assert_eq!(back.page, page);
    }

    #[test]
    fn a_field_that_no_page_file_can_hold_is_named_and_left_out() {
        let record = json!({
            "title": null, "description": "", "avatar": "https://cdn.example/a.png", "bgImage": "../b.png",
            "socials": [],
        });
        let (page, left_out) = page(&record, None);
        assert_eq!(left_out, ["avatar", "bgImage"]);
        assert_eq!(json!(page.content.fields), json!({ "description": "" }));
        let fields = page_fields(record.as_object().unwrap());
        assert_eq!(
            fields.keys().collect::<Vec<_>>(),
            ["title", "description", "avatar", "bgImage", "socials"]
        );
    }
    /// Strategy for values of a record, of the right types and of others.
    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            any::<String>(),
            Just("../logo.png".to_owned()),
            Just("{$upload: a.png}".to_owned()),
            Just("~".to_owned()),
            "[a-z:/.#' \\n]{0,12}",
        ];
        let link = text.clone().prop_map(|link| json!({ "link": link, "order": 1 }));
        prop_oneof![
            Just(Value::Null),
            text.prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            Just(json!({ "$upload": "/etc/passwd" })),
            prop::collection::vec(link, 0..3).prop_map(Value::from),
        ]
    }

    proptest! {
        #[test]
        fn found_05_a_page_of_the_service_is_always_written_as_a_file_without_references(
            values in prop::collection::vec(value(), PROFILE_FIELDS.len()),
            language in prop::option::of(value()),
        ) {
            let names = PROFILE_FIELDS.iter().map(|rule| rule.name);
            let record: serde_json::Map<_, _> = names.map(str::to_owned).zip(values).collect();
            let (page, left_out) = page(&Value::Object(record), language.as_ref());
            for text in [yaml::write(&page).unwrap(), serde_json::to_string(&page).unwrap()] {
                let document = Document::from_bytes("cafe.yaml", text.clone().into()).unwrap();
                let file = PageFile::of(document, &ImageRoots::none());
                let file = file.map_err(|bad| TestCaseError::fail(format!("{bad:?} {text}")))?;
                prop_assert_eq!(&file.page, &page, "{}", text);
                prop_assert!(file.references.is_empty() && file.missing.is_empty());
                prop_assert!(left_out.iter().all(|name| !page.content.fields.contains_key(name)));
            }
        }
    }
}
