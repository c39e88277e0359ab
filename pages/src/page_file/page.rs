//! Content of a page file: made from the record of a page, written, and read with all rules that need no service, whose violations are
//! reported together.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use links_sdk::{Object, ProfileKey, SlotId};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::document::FileKind;
use super::fields::{self, PROFILE_FIELDS, rule_of, unknown_key};
use super::node::{Key, Node, Tree};
use super::report::FieldDiagnostic;
use crate::apply::{DesiredPage, DesiredSlot, literal};
use crate::profile_key;
use crate::sync::FileSlotId;

/// ID in a file for a slot that is none of those that were made on the page.
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
    /// Indices of the slots with `locked: true`, which a plan neither changes nor deletes unless that is allowed.
    pub locked: BTreeSet<usize>,
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
            locked: BTreeSet::new(),
        }
    }

    /// Returns a page as it is: its fields (see `crate::apply::page_fields`) that have a value, and its slots. Also returns the names of the fields whose
    /// value no page file can hold, for example an avatar that is a URL.
    pub fn of_page(profile: ProfileKey, fields: Object, slots: DesiredPage) -> (Self, Vec<String>) {
        // The login names the page.
        let has_value =
            |it: &Value| !it.is_null() && it.as_array().is_none_or(|items| !items.is_empty());
        let fields = fields.0.into_iter().filter(|(name, it)| name != "login" && has_value(it));
        let (kept, left): (Vec<_>, Vec<_>) = fields.partition(|(name, it)| is_holdable(name, it));
        let slots = DesiredPage { fields: kept.into_iter().collect(), ..slots };
        let page = Self::of_slots(profile, slots);
        (page, left.into_iter().map(|(name, _)| name).collect())
    }

    /// Returns what the file says of the ID of a slot.
    pub(crate) fn slot_id(&self, index: usize) -> FileSlotId {
        let named = self.content.slots.get(index).and_then(|slot| slot.id);
        match named {
            Some(id) => FileSlotId::Id(id),
            None if self.marked_new.contains(&index) => FileSlotId::New,
            None => FileSlotId::Absent,
        }
    }
}

/// Written for editing: IDs first, one field per line. Keys from the page are escaped, so that they are never references.
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
            let entry = |(index, slot)| {
                item(slot, self.marked_new.contains(&index), self.locked.contains(&index))
            };
            let slots: Vec<_> = self.content.slots.iter().enumerate().map(entry).collect();
            map.serialize_entry("slots", &slots)?;
        }
        map.end()
    }
}

/// Returns a slot as an item of a file: without an absent ID and without empty data. With `is_new` it has the ID `new`.
pub fn item(slot: &DesiredSlot, is_new: bool, is_locked: bool) -> Value {
    let DesiredSlot { id, kind, data } = slot;
    let mut item = Map::new();
    let new = || is_new.then(|| NEW.into());
    item.extend(id.map(Value::from).or_else(new).map(|id| ("id".to_owned(), id)));
    item.insert("type".to_owned(), kind.as_str().into());
    if !data.is_empty() {
        item.insert("data".to_owned(), Value::Object(literal(data).0));
    }
    if is_locked {
        item.insert("locked".to_owned(), true.into());
    }
    Value::Object(item)
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

/// Maximum number of slots of a page.
const MAX_SLOTS: usize = 500;

/// Converts a document to the content of a page.
///
/// # Errors
///
/// Diagnostics of all violations.
pub(super) fn check(root: &Node) -> Result<PageContent, Vec<FieldDiagnostic>> {
    let entries = FileKind::Page.entries(root).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let fields = fields::check(entries, &mut problems);
    let profile = match root.get("profile") {
        Some(node) => profile(node),
        None => Err(missing(root, "profile", "the login or ID of the page")),
    };
    let profile = profile.map_err(|problem| problems.push(problem));
    let (mut marked_new, mut locked) = (BTreeSet::new(), BTreeSet::new());
    let slots = match root.entry("slots") {
        Some((_, Node { tree: Tree::List(items), .. })) => {
            slots(items, &mut marked_new, &mut locked, &mut problems)
        }
        Some((key, node)) => {
            let problem = node.wrong("slots", "`slots` must be a list");
            problems.push(problem.at(&key.span).help("write `slots: []` for an empty page"));
            Vec::new()
        }
        None => {
            // An unknown field is a problem of its own.
            if entries.iter().all(|(key, _)| key.name == "profile") {
                problems.push(missing(root, "slots", "the list of slots"));
            }
            Vec::new()
        }
    };
    match profile {
        Ok((profile, host)) if problems.is_empty() => Ok(PageContent {
            profile,
            host,
            login: fields.get("login").and_then(Value::as_str).map(str::to_owned),
            has_slots: root.get("slots").is_some(),
            content: DesiredPage { fields, slots }.into(),
            marked_new,
            locked,
        }),
        _ => Err(problems),
    }
}

/// Returns the key of the page, and the host if it is a URL.
fn profile(node: &Node) -> Result<(ProfileKey, Option<String>), FieldDiagnostic> {
    let text = match &node.tree {
        Tree::Text(text) => text.clone(),
        Tree::Number(number) if !number.is_f64() => number.to_string(),
        Tree::Number(_) => {
            let problem = node.problem("profile", "this is read as a decimal number");
            return Err(problem.help("quote it"));
        }
        _ => return Err(node.wrong("profile", "`profile` must be a login, an ID or a URL")),
    };
    let key = profile_key::parse(&text);
    let key = key.map_err(|error| node.problem("profile", error.to_string()))?;
    Ok((key, profile_key::host(&text).map(str::to_owned)))
}

const SLOT_KEYS: [&str; 4] = ["id", "type", "data", "locked"];

fn slots(
    items: &[Node],
    marked_new: &mut BTreeSet<usize>,
    locked: &mut BTreeSet<usize>,
    problems: &mut Vec<FieldDiagnostic>,
) -> Vec<DesiredSlot> {
    if let Some(first) = items.get(MAX_SLOTS) {
        let message =
            format!("a page can have at most {MAX_SLOTS} slots, but this file has {}", items.len());
        let path = format!("slots.{MAX_SLOTS}");
        problems.push(first.problem(path, message));
    }
    let mut slots = Vec::with_capacity(items.len());
    let mut first = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let path = format!("slots.{at}");
        match slot(item, &path, problems) {
            Ok(slot) => slots.push(slot),
            Err(problem) => problems.push(problem),
        }
        match item.get("locked") {
            None | Some(Node { tree: Tree::Bool(false), .. }) => {}
            Some(Node { tree: Tree::Bool(true), .. }) => _ = locked.insert(at),
            Some(node) => {
                let must = "`locked` must be true or false";
                problems.push(node.wrong(format!("{path}.locked"), must));
            }
        }
        let Some(node) = item.get("id") else { continue };
        if let Tree::Number(id) = &node.tree
            && let Some(earlier) = first.insert(id.to_string(), at)
        {
            let message = format!("the ID {id} is already used by item {}", earlier + 1);
            problems.push(node.problem(path + ".id", message));
        } else if matches!(node.tree, Tree::Text(_)) {
            marked_new.insert(at);
        }
    }
    slots
}

fn slot(
    item: &Node,
    path: &str,
    problems: &mut Vec<FieldDiagnostic>,
) -> Result<DesiredSlot, FieldDiagnostic> {
    let Some(entries) = item.entries() else {
        return Err(item.wrong(path, "a slot must be a mapping with `type` and `data`"));
    };
    let help = "a slot has only `id`, `type`, `data` and `locked`; move other fields under `data`";
    for (key, _) in entries.iter().filter(|(key, _)| !SLOT_KEYS.contains(&key.name.as_str())) {
        problems.push(unknown_key(path, key, SLOT_KEYS, help));
    }
    let id = match item.get("id") {
        None => None,
        Some(Node { tree: Tree::Text(text), .. }) if text == NEW => None,
        Some(node) => match node.to_json().as_i64() {
            Some(id @ 1..) => Some(SlotId::new(id)),
            _ => {
                let problem = node.problem(format!("{path}.id"), "`id` must be a positive integer");
                return Err(problem.help("leave out `id` for a new slot"));
            }
        },
    };
    let kind = match item.get("type") {
        Some(Node { tree: Tree::Text(kind), .. }) if !kind.trim().is_empty() => kind.clone(),
        Some(node) => {
            let must = "`type` must be the name of a slot type";
            let path = format!("{path}.type");
            return Err(match node.tree {
                Tree::Text(_) => node.problem(path, format!("{must}, not an empty string")),
                _ => node.wrong(path, must),
            });
        }
        None => {
            let problem = item.problem(path, "`type` is missing");
            return Err(problem.help("`links slots types` lists the types"));
        }
    };
    let data = match item.get("data").map(|node| (node, node.to_json())) {
        None | Some((_, Value::Null)) => Object::default(),
        Some((_, Value::Array(items))) if items.is_empty() => Object::default(),
        Some((_, Value::Object(data))) => data.into(),
        Some((node, _)) => {
            return Err(node.wrong(format!("{path}.data"), "`data` must be a mapping"));
        }
    };
    Ok(DesiredSlot { id, kind, data })
}

fn missing(root: &Node, name: &str, what: &str) -> FieldDiagnostic {
    root.problem(name, format!("`{name}` is missing ({what})"))
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
        fn a_page_of_the_service_is_always_written_as_a_file_without_references(
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
