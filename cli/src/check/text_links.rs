//! Links within a text.

use std::ops::Range;

use linkify::{LinkFinder, LinkKind};

/// Schemes of links that are not found by their `//`.
const SHORT_SCHEMES: [&str; 2] = ["mailto:", "tel:"];

/// Link within a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextLink {
    /// Place in the text.
    pub(super) part: Range<usize>,
    /// URL without the escapes of HTML.
    pub(super) url: String,
    /// True if the text has `&amp;` for each `&`.
    pub(super) is_escaped: bool,
}

/// Returns the links in a text, in their order: `http://` and `https://` anywhere, `mailto:` and `tel:` where markup makes them a link or a
/// word begins with them.
pub(super) fn find(text: &str) -> Vec<TextLink> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let web = finder.links(text).map(|link| link.start()..link.end());
    let mut parts: Vec<Range<usize>> = web.filter(|part| is_web(&text[part.clone()])).collect();
    for scheme in SHORT_SCHEMES {
        // The parts are in their order and share nothing.
        let is_free = |part: &Range<usize>| {
            let next = parts.partition_point(|other| other.end <= part.start);
            parts.get(next).is_none_or(|other| part.end <= other.start)
        };
        let more: Vec<_> = short(text, scheme).filter(is_free).collect();
        parts.extend(more);
        parts.sort_by_key(|part| part.start);
    }
    let link = |part: Range<usize>| {
        let written = &text[part.clone()];
        let is_escaped = written.contains("&amp;");
        TextLink { url: written.replace("&amp;", "&"), part, is_escaped }
    };
    parts.into_iter().map(link).collect()
}

/// Tells whether a text begins like a link to a site.
pub(super) fn is_web(text: &str) -> bool {
    begins_with(text, "http://") || begins_with(text, "https://")
}

/// Tells whether a text as a whole is a link.
pub(super) fn is_link(text: &str) -> bool {
    // Markup is no part of a URL.
    !text.contains(|c: char| c.is_whitespace() || "<>\"".contains(c))
        && (is_web(text) || SHORT_SCHEMES.iter().any(|scheme| begins_with(text, scheme)))
}

fn begins_with(text: &str, scheme: &str) -> bool {
    text.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
}

/// Returns the places of links with a scheme without `//`, in their order. None begins within another one.
fn short<'t>(text: &'t str, scheme: &'static str) -> impl Iterator<Item = Range<usize>> + 't {
    let is_end = |c: char| c.is_whitespace() || "\"'<>()[]`".contains(c);
    let mut end = 0;
    text.match_indices(scheme).filter_map(move |(start, _)| {
        let before = text[..start].chars().next_back();
        let begins = before.is_none_or(|c| is_end(c) || c == '=');
        if !begins || start < end {
            return None;
        }
        let rest = &text[start + scheme.len()..];
        let length = rest.find(is_end).unwrap_or(rest.len());
        end = start + scheme.len() + length;
        let length = rest[..length].trim_end_matches(['.', ',', ';', ':', '!', '?']).len();
        (length > 0).then(|| start..start + scheme.len() + length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (
                "https://a.example/?to=mailto:x@y.example",
                &["https://a.example/?to=mailto:x@y.example"],
            ),
            ("кафе https://қара.example/мәзір, иә", &["https://қара.example/мәзір"]),
        ] {
            let found = find(text);
            let urls: Vec<_> = found.iter().map(|link| link.url.as_str()).collect();
            assert_eq!(urls, expected, "{text}");
            for link in found {
                let written = &text[link.part.clone()];
                assert_eq!(link.is_escaped, written != link.url, "{text}");
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
            for link in find(&text) {
                assert!(link.part.start >= end && text.get(link.part.clone()).is_some());
                end = link.part.end;
            }
        }
    }
}
