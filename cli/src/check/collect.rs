//! The links of a page or a form: a pure function of its document.

use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use linkify::{LinkFinder, LinkKind};
use regex::Regex;

use crate::context::prelude::*;
use crate::schema::{fields, schema_of};
use crate::search::texts::{self, Owner};
use links_pages::page_file::node::Node;
use links_pages::page_file::patch::{Path, PathStep};
use links_pages::page_file::{Origins, Sources as FileSources, is_composed};

/// Fields of a page or a form that hold no links: keys, and what only the service sets.
const NO_LINKS: [&str; 11] = [
    "avatar",
    "bgImage",
    "computed",
    "form",
    "id",
    "languageCode",
    "languageId",
    "login",
    "profile",
    "themeId",
    "url",
];

/// Maximum number of links of a value that are looked for in its text in the file without being there. Each costs a pass over the text.
const MISSED: usize = 16;

/// Link of a page.
#[derive(Clone, Debug)]
pub(crate) struct FoundLink {
    pub(crate) value: Rc<LinkedValue>,
    /// Slot that holds it, if it is in one.
    pub(crate) slot: Option<Rc<Owner>>,
    /// URL.
    pub(crate) url: String,
    /// Place in the value, if the value is more than the link.
    pub(crate) part: Option<Range<usize>>,
    /// True if the value has `&amp;` for each `&` of the link.
    pub(crate) is_escaped: bool,
    /// Place in the text of its file, in bytes.
    pub(crate) offset: usize,
}

/// Value of a document with a link.
#[derive(Debug)]
pub(crate) struct LinkedValue {
    pub(crate) path: Path,
    /// Its path in the file that it is written in; `None` for a text that is made of values.
    pub(crate) written_at: Option<Path>,
    pub(crate) text: String,
    /// Place in the text of its file.
    pub(crate) span: Range<usize>,
    /// Where the text of its file begins in the texts of the document.
    pub(crate) base: usize,
}

/// Returns the links of a page or a form in the order of its document: social links, values whose schema says that they are URLs, and whatever else
/// looks like a link, also within texts. `sources` are the texts of the document; a page of the service has none.
pub(crate) fn links(
    root: &Node,
    sources: Option<&FileSources>,
    types: Option<&SlotTypeCatalog>,
) -> Vec<FoundLink> {
    let mut found = Vec::new();
    let composed = sources.filter(|it| is_composed(it.text().as_bytes()));
    let origins = composed.map(|sources| Origins::new(root, sources));
    let mut schemas: BTreeMap<&str, Value> = BTreeMap::new();
    texts::strings(root, &mut |value, path, node, slot| {
        let name = |step: &PathStep| match step {
            PathStep::Key(name) => name.clone(),
            PathStep::Item(at) => at.to_string(),
        };
        let names: Vec<String> = path.0.iter().map(name).collect();
        if NO_LINKS.contains(&names[0].as_str()) || names.iter().any(|name| name == "computed") {
            return;
        }
        let mut is_url = names[0] == "socials";
        let kind = slot.and_then(|slot| types?.get(slot.kind.as_deref()?));
        if let (Some(kind), Some((_, of_data))) = (kind, names.split_at_checked(3)) {
            if of_data.first().is_some_and(|name| kind.computed.0.contains_key(name)) {
                return;
            }
            let schema = schemas.entry(&kind.kind).or_insert_with(|| schema_of(kind));
            is_url = fields::has_format(schema, of_data, "uri");
        }
        let written = match &origins {
            Some(origins) => origins.origin(&path).map(|(_, path)| path),
            None => Some(path.clone()),
        };
        add_links(&mut found, sources, (value, path, written), (node, slot), is_url);
    });
    found
}

/// Adds the links of a string, with its paths in its file and in the page, its node and its slot.
fn add_links(
    found: &mut Vec<FoundLink>,
    sources: Option<&FileSources>,
    (text, path, written_at): (&str, Path, Option<Path>),
    (node, slot): (&Node, Option<&Rc<Owner>>),
    is_url: bool,
) {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return;
    }
    let base = sources.map_or(0, |it| it.files()[it.file_of(node.span.start)].start);
    let span = node.span.start - base..node.span.end - base;
    let at = span.start;
    let value = Rc::new(LinkedValue { path, written_at, text: text.to_owned(), span, base });
    let mut add = |url: String, part, is_escaped, offset| {
        let (value, slot) = (value.clone(), slot.cloned());
        found.push(FoundLink { value, slot, url, part, is_escaped, offset });
    };
    if is_url {
        return add(trimmed.to_owned(), None, false, at);
    }
    if is_link(trimmed) {
        // Nothing says that the value is no text, in which a URL has to be escaped.
        return add(trimmed.to_owned(), Some(without_spaces(text)), false, at);
    }
    let written = sources.and_then(|it| it.text().get(node.span.clone())).unwrap_or_default();
    let (mut from, mut missed) = (0, 0);
    for part in text_links(text) {
        let link = &text[part.clone()];
        // In a quoted value with escapes the link may not be found. It comes after those before it.
        let is_sought = missed < MISSED;
        let place = is_sought.then(|| written[from..].find(link)).flatten();
        missed += usize::from(place.is_none());
        let offset = at + from + place.unwrap_or_default();
        from = place.map_or(from, |place| from + place + part.len());
        let is_escaped = link.contains("&amp;");
        add(link.replace("&amp;", "&"), Some(part), is_escaped, offset);
    }
}

/// Schemes of links that are not found by their `//`.
const SHORT_SCHEMES: [&str; 2] = ["mailto:", "tel:"];

/// A link with such a scheme, and its parts, at the beginning of a word or of what markup encloses.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:^|[\s"'<>()\[\]`=])(mailto:|tel:)([^\s"'<>()\[\]`]+)"#)
        .expect("the tests compile it")
});

/// Returns the places of the links in a text, in their order: `http://` and `https://` anywhere, `mailto:` and `tel:` where markup makes them a link or a
/// word begins with them.
fn text_links(text: &str) -> Vec<Range<usize>> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let web = finder.links(text).map(|link| link.start()..link.end());
    let mut parts: Vec<Range<usize>> = web.filter(|part| is_web(&text[part.clone()])).collect();
    let short = SHORT.captures_iter(text).filter_map(|found| {
        let (scheme, rest) = (found.get(1)?, found.get(2)?);
        let length = rest.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?']).len();
        (length > 0).then(|| scheme.start()..rest.start() + length)
    });
    // What overlaps a link to a site, such as one that is to be shared by mail, is no link of its own.
    let is_free = |part: &Range<usize>| {
        let next = parts.partition_point(|other| other.end <= part.start);
        parts.get(next).is_none_or(|other| part.end <= other.start)
    };
    let short: Vec<_> = short.filter(is_free).collect();
    parts.extend(short);
    parts.sort_by_key(|part| part.start);
    parts
}

/// Returns the place of a text without the white space around it.
pub(super) fn without_spaces(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Tells whether a text begins like a link to a site.
fn is_web(text: &str) -> bool {
    begins_with(text, "http://") || begins_with(text, "https://")
}

/// Tells whether a text as a whole is a link.
fn is_link(text: &str) -> bool {
    // Markup is no part of a URL.
    !text.contains(|c: char| c.is_whitespace() || "<>\"".contains(c))
        && (is_web(text) || SHORT_SCHEMES.iter().any(|scheme| begins_with(text, scheme)))
}

pub(super) fn begins_with(text: &str, scheme: &str) -> bool {
    text.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use links_pages::page_file::Document;

    fn types() -> SlotTypeCatalog {
        let schema = json!({
            "type": "object",
            "properties": {
                "link": {"type": ["string", "null"], "format": "uri"},
                "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            },
            "$defs": {"item": {"anyOf": [{"properties": {"url": {"format": "uri"}}}]}},
        });
        let described = json!({
            "type": "button", "title": "", "description": "", "writable": true, "schema": schema,
            "computed": {"videoUrl": ""}, "enumLabels": {}, "example": {},
        });
        SlotTypeCatalog::of(vec![serde_json::from_value(described).unwrap()], false)
    }

    fn found(text: &str) -> Vec<String> {
        let mut document = Document::from_bytes("it.yaml", text.into()).unwrap();
        document.root.slot_data_mut().for_each(Node::unescape);
        let shown = |link: FoundLink| {
            let slot = link.slot.clone().unwrap_or_default();
            let line = text[..link.offset].matches('\n').count() + 1;
            let part = link.part.map(|part| format!(" {part:?}")).unwrap_or_default();
            let kind = slot.kind.as_deref().unwrap_or_default();
            format!("{line} {} {kind}: {}{part}", link.value.path, link.url)
        };
        links(&document.root, Some(&document.sources), Some(&types()))
            .into_iter()
            .map(shown)
            .collect()
    }

    #[test]
    fn every_kind_of_link_is_collected_with_its_place() {
        let text = "\
profile: https://not.example/a-key
title: 'Qara: https://qara.example'
avatar: https://not.example/an-image
socials: [https://t.me/qara, qara.on.insta]
slots:
  - type: button
    data: {title: Menu, link: menu.html, style: primary, videoUrl: https://not.example/computed}
  - {id: 7, type: button, data: {link: null, items: [{url: /a, other: /b}]}}
  - type: text
    data:
      description: |
        Call <a href=\"tel:\">us</a>, https://a.example/x, https://a.example/x
        or see https://a.example/?q=1&amp;r=2
      image: {$upload: https://not.example/a-reference}
      extra: {$$upload: https://b.example/literal, 'k': [mailto:x]}
      escaped: \"a\\thttps://c.example\"
  - {type: unknown, data: {link: not-known-to-be-a-link, more: ' https://d.example '}}
  - {id: 3}
";
        assert_eq!(
            found(text),
            [
                "2 title : https://qara.example 6..26",
                "4 socials.0 : https://t.me/qara",
                "4 socials.1 : qara.on.insta",
                "7 slots.0.data.link button: menu.html",
                "8 slots.1.data.items.0.url button: /a",
                "12 slots.2.data.description text: https://a.example/x 28..47",
                "12 slots.2.data.description text: https://a.example/x 49..68",
                "13 slots.2.data.description text: https://a.example/?q=1&r=2 76..106",
                "15 slots.2.data.extra.$$upload text: https://b.example/literal 0..25",
                "15 slots.2.data.extra.k.0 text: mailto:x 0..8",
                "16 slots.2.data.escaped text: https://c.example 2..19",
                "17 slots.3.data.more unknown: https://d.example 1..18",
            ]
        );
    }

    #[test]
    fn a_slot_is_named_by_its_title() {
        let text = "slots: [{type: a, id: 5, data: {title: ' ', name: N, link: http://a.example}}]";
        let document = Document::from_bytes("it.yaml", text.into()).unwrap();
        let links = links(&document.root, Some(&document.sources), None);
        let slot = Owner { id: Some(5.into()), kind: Some("a".into()), title: Some("N".into()) };
        assert_eq!(links[0].slot.as_deref(), Some(&slot));
        assert_eq!(links[0].offset, text.find("http").unwrap());
    }

    #[test]
    fn links_are_found_in_plain_text_markdown_and_html() {
        for (text, expected) in [
            ("", &[][..]),
            ("no link: www.qara.example, a@b.example, ftp://qara.example/x", &[]),
            ("See https://qara.example/menu.", &["https://qara.example/menu"]),
            (
                "(https://qara.example/a_(b)), HTTP://X.EXAMPLE!",
                &["https://qara.example/a_(b)", "HTTP://X.EXAMPLE"],
            ),
            (
                "[menu](https://qara.example/menu) <http://b.example>",
                &["https://qara.example/menu", "http://b.example"],
            ),
            (
                "<a href=\"https://qara.example/?a=1&amp;b=2\">x</a> <a href='tel:+7701'>y</a>",
                &["https://qara.example/?a=1&b=2", "tel:+7701"],
            ),
            (
                "[write](mailto:a@b.example), mailto:c@d.example.",
                &["mailto:a@b.example", "mailto:c@d.example"],
            ),
            ("tel: 8701, hotel:3, mailto:", &[]),
            ("[share](mailto:?body=https://a.example/x)", &["https://a.example/x"]),
            (
                "https://a.example/?to=mailto:x@y.example",
                &["https://a.example/?to=mailto:x@y.example"],
            ),
            ("кафе https://қара.example/мәзір, иә", &["https://қара.example/мәзір"]),
        ] {
            let node = Node::of_json(&json!({ "title": format!("{text} ") }));
            let links = links(&node, None, None);
            let urls: Vec<_> = links.iter().map(|link| link.url.as_str()).collect();
            assert_eq!(urls, expected, "{text}");
            for link in &links {
                assert_eq!(link.is_escaped, !text.contains(&link.url), "{text}");
            }
        }
        assert!(is_link("https://a.example/x") && is_link("TEL:") && is_link("mailto:a"));
        assert!(!is_link("https://a.example<br>x") && !is_link("https://a.example\">x"));
        assert!(!is_link("https://a.example/x y") && !is_link("telephone") && !is_link("қара"));
    }

    proptest::proptest! {
        #[test]
        fn every_part_is_a_part_of_the_text(text in "(\\PC|https://|mailto:|tel:|[ ()<>\"&;.]){0,40}") {
            let mut end = 0;
            for part in text_links(&text) {
                assert!(part.start >= end && text.get(part.clone()).is_some());
                end = part.end;
            }
        }
    }
}
