//! The texts of a page or of a form: a pure function of its document.

use std::ops::Range;

use clap::ValueEnum;
use serde_json::Value;

use crate::output::label;
use links_pages::page_file::node::{Key, Node, Tree};
use links_pages::page_file::patch::{Path, PathStep};

/// Strings of a page that are no texts, apart from its slots and social links.
const NOT_OF_PAGE: [&str; 9] = [
    "avatar",
    "bgImage",
    "computed",
    "languageCode",
    "login",
    "profile",
    "slots",
    "socials",
    "url",
];

/// Strings of a form that are no texts.
const NOT_OF_FORM: [&str; 7] =
    ["activeTill", "createdAt", "form", "id", "key", "notificationChannelIds", "type"];

/// Keys of a slot's data whose values name a record.
const IDS: [&str; 2] = ["formId", "id"];

/// Keys of a slot's data whose values are paths of images, unless they are URLs.
const IMAGES: [&str; 5] = ["avatar", "bgImage", "image", "images", "thumbnail"];

/// Part of an account in which texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Area {
    /// Slots
    Slots,
    /// Title, description and status of pages
    Profile,
    /// Social links
    Socials,
    /// Lead forms
    Forms,
}

impl Area {
    /// Name in the data and on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Profile => "profile",
            Self::Socials => "socials",
            Self::Forms => "forms",
        }
    }
}

/// Slot or form that holds a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) id: Option<Value>,
    /// Type of a slot.
    pub(crate) kind: Option<String>,
    pub(crate) title: Option<String>,
}

/// Text of a page or a form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageText<'n> {
    pub(crate) area: Area,
    /// `None` for a text of the page itself.
    pub(crate) owner: Option<Owner>,
    /// Path in the record of the slot, the form or the page.
    pub(crate) path: Path,
    pub(crate) value: &'n str,
    /// Place in the text of the document.
    pub(crate) span: Range<usize>,
}

/// Returns the texts of a page in the order of its document.
pub(crate) fn of_page(root: &Node) -> Vec<PageText<'_>> {
    let mut texts = Vec::new();
    for (key, value) in root.entries().unwrap_or_default() {
        let (area, path) = match key.name.as_str() {
            "slots" => {
                let Tree::List(items) = &value.tree else { continue };
                for item in items {
                    of_slot(item, &mut texts);
                }
                continue;
            }
            "socials" => (Area::Socials, Path::root().key("socials")),
            name if NOT_OF_PAGE.contains(&name) => continue,
            name => (Area::Profile, Path::root().key(name)),
        };
        collect(value, &path, key_name, &mut |value, path, node| {
            texts.push(PageText { area, owner: None, path, value, span: node.span.clone() });
        });
    }
    texts
}

/// Returns the texts of a form in the order of its document.
pub(crate) fn of_form(root: &Node) -> Vec<PageText<'_>> {
    let owner = Owner {
        id: root.get("id").and_then(id),
        kind: None,
        title: root.get("title").and_then(text),
    };
    let mut texts = Vec::new();
    for (key, value) in root.entries().unwrap_or_default() {
        if NOT_OF_FORM.contains(&key.name.as_str()) {
            continue;
        }
        collect(value, &Path::root().key(&key.name), key_name, &mut |value, path, node| {
            let is_text = !matches!(path.0.last(), Some(PathStep::Key(name)) if NOT_OF_FORM.contains(&name.as_str()));
            if is_text {
                let owner = Some(owner.clone());
                texts.push(PageText {
                    area: Area::Forms,
                    owner,
                    path,
                    value,
                    span: node.span.clone(),
                });
            }
        });
    }
    texts
}

fn of_slot<'n>(item: &'n Node, texts: &mut Vec<PageText<'n>>) {
    let Some(data) = item.get("data") else { return };
    let owner = Owner {
        id: item.get("id").and_then(id),
        kind: item.get("type").and_then(text),
        title: label::of_node(data).map(|it| it.trim().to_owned()),
    };
    collect(data, &Path::root().key("data"), key_name, &mut |value, path, node| {
        if is_text(value, &path) {
            let owner = Some(owner.clone());
            texts.push(PageText { area: Area::Slots, owner, path, value, span: node.span.clone() });
        }
    });
}

/// Tells whether a string of a slot's data is a text, and no id or path of an image.
fn is_text(value: &str, path: &Path) -> bool {
    let key = path.0.iter().rev().find_map(|step| match step {
        PathStep::Key(name) => Some(name.as_str()),
        PathStep::Item(_) => None,
    });
    match key {
        Some(key) if IDS.contains(&key) => false,
        Some(key) if IMAGES.contains(&key) => value.contains("://"),
        _ => true,
    }
}

/// Calls a function for each string of a value with its path, in which keys have these names. References of a page file, such as
/// `{$upload: FILE}`, are no texts.
pub(crate) fn collect<'n>(
    node: &'n Node,
    path: &Path,
    name: fn(&Key) -> String,
    add: &mut impl FnMut(&'n str, Path, &'n Node),
) {
    match &node.tree {
        Tree::Text(text) => add(text, path.clone(), node),
        Tree::List(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(item, &path.clone().item(at), name, add);
            }
        }
        Tree::Map(entries) => {
            let is_reference =
                entries.iter().any(|(key, _)| key.name.starts_with('$') && !key.is_literal);
            for (key, value) in entries.iter().filter(|_| !is_reference) {
                collect(value, &path.clone().key(name(key)), name, add);
            }
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) => {}
    }
}

fn key_name(key: &Key) -> String {
    key.name.clone()
}

fn id(node: &Node) -> Option<Value> {
    matches!(node.tree, Tree::Number(_) | Tree::Text(_)).then(|| node.to_json())
}

fn text(node: &Node) -> Option<String> {
    match &node.tree {
        Tree::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use links_pages::page_file::Document;

    fn shown(texts: Vec<PageText<'_>>) -> Vec<String> {
        let shown = |text: PageText<'_>| {
            let owner = text.owner.unwrap_or_default();
            let id = owner.id.map(|id| id.to_string()).unwrap_or_default();
            let kind = owner.kind.unwrap_or_default();
            format!("{} {kind}{id} {}: {}", text.area.name(), text.path, text.value)
        };
        texts.into_iter().map(shown).collect()
    }

    #[test]
    fn every_text_of_a_page_is_found_with_its_path() {
        let text = "\
profile: cafe
title: Qara
avatar: not/a/text.jpg
moodText: Open now
languageCode: kk
socials: [https://t.me/qara]
slots:
  - {id: 7, type: faq, data: {title: Ask, items: [{question: Q, answer: A}, [deep]], open: true, n: 3}}
  - {type: picture, data: {image: {$upload: not.jpg}, more: {$$upload: literal}}}
  - {id: 9, type: divider}
  - {type: form, data: {formId: 6f1c, buttonText: Book}}
  - {type: gallery, data: {images: [{image: up/a.jpg, title: A}, up/b.jpg]}}
  - {type: music, data: {thumbnail: 'https://a.example/a.jpg'}}
";
        let mut document = Document::from_bytes("it.yaml", text.into()).unwrap();
        document.root.slot_data_mut().for_each(Node::unescape);
        let texts = of_page(&document.root);
        assert_eq!(&text[texts[0].span.clone()], "Qara");
        assert_eq!(
            shown(texts),
            [
                "profile  title: Qara",
                "profile  moodText: Open now",
                "socials  socials.0: https://t.me/qara",
                "slots faq7 data.title: Ask",
                "slots faq7 data.items.0.question: Q",
                "slots faq7 data.items.0.answer: A",
                "slots faq7 data.items.1.0: deep",
                "slots picture data.more.$upload: literal",
                "slots form data.buttonText: Book",
                "slots gallery data.images.0.title: A",
                "slots music data.thumbnail: https://a.example/a.jpg",
            ]
        );
    }

    #[test]
    fn every_text_of_a_form_is_found_and_no_key_of_it() {
        let form = json!({
            "id": "6f1c", "title": "Book", "description": null, "createdAt": "2026-01-01", "enabled": true,
            "fields": [
                {"key": "name", "type": "text", "label": "Name", "placeholder": "Yours"},
                {"key": "size", "type": "choice", "label": "Size", "options": ["big", {"label": "small"}]},
            ],
            "notificationChannelIds": ["x"], "successMessage": "Thanks",
        });
        let root = Node::of_json(&form);
        let texts = of_form(&root);
        assert_eq!(texts[0].owner.as_ref().unwrap().title.as_deref(), Some("Book"));
        assert_eq!(
            shown(texts),
            [
                "forms \"6f1c\" title: Book",
                "forms \"6f1c\" fields.0.label: Name",
                "forms \"6f1c\" fields.0.placeholder: Yours",
                "forms \"6f1c\" fields.1.label: Size",
                "forms \"6f1c\" fields.1.options.0: big",
                "forms \"6f1c\" fields.1.options.1.label: small",
                "forms \"6f1c\" successMessage: Thanks",
            ]
        );
    }

    #[test]
    fn a_document_of_another_shape_has_no_texts() {
        for other in [
            json!(null),
            json!([]),
            json!({"slots": {"a": "b"}}),
            json!({"slots": [1, {"data": []}]}),
        ] {
            assert!(of_page(&Node::of_json(&other)).is_empty(), "{other}");
        }
    }
}
