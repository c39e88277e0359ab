//! The texts of a page or of a form: a pure function of its document.

use std::ops::Range;
use std::rc::Rc;

use clap::ValueEnum;
use serde_json::Value;

use crate::output::label;
use links_pages::page_file::node::{Key, Node, Tree};
use links_pages::page_file::patch::{Path, PathStep};

/// Strings of a page that are no texts, apart from its slots and social links.
const NOT_OF_PAGE: [&str; 7] =
    ["avatar", "bgImage", "computed", "languageCode", "login", "profile", "url"];

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

/// Maximum number of characters of a title, which may be a whole text.
const TITLE: usize = 200;

/// Slot or form that holds a text or a link.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) id: Option<Value>,
    /// Type of a slot.
    pub(crate) kind: Option<String>,
    /// Beginning of the title; of a slot without one, of its first text.
    pub(crate) title: Option<String>,
}

/// Text of a page or a form.
#[derive(Debug, PartialEq)]
pub(crate) struct PageText<'n> {
    pub(crate) area: Area,
    /// `None` for a text of the page itself.
    pub(crate) owner: Option<Rc<Owner>>,
    /// Path in the record of the slot, the form or the page.
    pub(crate) path: Path,
    pub(crate) value: &'n str,
    /// Place in the text of the document.
    pub(crate) span: Range<usize>,
}

/// Returns the texts of a page or a form in the order of its document.
pub(crate) fn texts(root: &Node, is_form: bool) -> Vec<PageText<'_>> {
    let of_form = Owner {
        id: root.get("id").and_then(id),
        kind: None,
        title: root.get("title").and_then(text),
    };
    let of_form = Rc::new(of_form);
    let mut texts = Vec::new();
    strings(root, &mut |value, path, node, slot| {
        let first = name(path.0.first());
        let (area, owner) = match first {
            _ if is_form => (Area::Forms, Some(&of_form)),
            "slots" => (Area::Slots, slot),
            "socials" => (Area::Socials, None),
            _ => (Area::Profile, None),
        };
        let is_text = match area {
            Area::Forms => ![first, name(path.0.last())].iter().any(|it| NOT_OF_FORM.contains(it)),
            Area::Slots => is_text(value, &path),
            Area::Socials | Area::Profile => !NOT_OF_PAGE.contains(&first),
        };
        if is_text {
            // That of a slot is the path within its record.
            let path = if area == Area::Slots { Path(path.0[2..].to_vec()) } else { path };
            let (owner, span) = (owner.cloned(), node.span.clone());
            texts.push(PageText { area, owner, path, value, span });
        }
    });
    texts
}

fn name(step: Option<&PathStep>) -> &str {
    match step {
        Some(PathStep::Key(name)) => name,
        Some(PathStep::Item(_)) | None => "",
    }
}

/// Calls a function for each string of a page or a form in the order of its document, with its path as the file has it, and with the slot that it
/// is in. Of a slot, these are the strings of its data.
pub(crate) fn strings<'n>(
    root: &'n Node,
    add: &mut impl FnMut(&'n str, Path, &'n Node, Option<&Rc<Owner>>),
) {
    for (key, value) in root.entries().unwrap_or_default() {
        let path = Path::root().key(written(key));
        if key.name != "slots" {
            collect(value, &path, None, add);
            continue;
        }
        let Tree::List(items) = &value.tree else { continue };
        for (at, item) in items.iter().enumerate() {
            let Some((key, data)) = item.entry("data") else { continue };
            let content = data.to_json();
            let title = content.as_object().and_then(label);
            let slot = Owner {
                id: item.get("id").and_then(id),
                kind: item.get("type").and_then(text),
                title: title.map(|it| it.trim().chars().take(TITLE).collect()),
            };
            let path = path.clone().item(at).key(written(key));
            collect(data, &path, Some(&Rc::new(slot)), add);
        }
    }
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

/// Calls a function for each string of a value. References of a page file, such as `{$upload: FILE}`, are no texts.
fn collect<'n>(
    node: &'n Node,
    path: &Path,
    slot: Option<&Rc<Owner>>,
    add: &mut impl FnMut(&'n str, Path, &'n Node, Option<&Rc<Owner>>),
) {
    match &node.tree {
        Tree::Text(text) => add(text, path.clone(), node, slot),
        Tree::List(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(item, &path.clone().item(at), slot, add);
            }
        }
        Tree::Map(entries) => {
            let is_reference =
                entries.iter().any(|(key, _)| key.name.starts_with('$') && !key.is_literal);
            for (key, value) in entries.iter().filter(|_| !is_reference) {
                collect(value, &path.clone().key(written(key)), slot, add);
            }
        }
        _ => {}
    }
}

/// Name of a key as it is written in the file.
fn written(key: &Key) -> String {
    if key.is_literal && key.name.starts_with('$') {
        format!("${}", key.name)
    } else {
        key.name.clone()
    }
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
            let id = owner.id.as_ref().map(ToString::to_string).unwrap_or_default();
            let kind = owner.kind.clone().unwrap_or_default();
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
        let texts = texts(&document.root, false);
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
                "slots picture data.more.$$upload: literal",
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
        let texts = texts(&root, true);
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
            assert!(texts(&Node::of_json(&other), false).is_empty(), "{other}");
        }
    }
}
