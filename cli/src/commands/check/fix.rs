//! Writes links that have moved for good into their files. Everything else in a file stays as it is.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use serde_json::Value;

use super::checked_link::CheckedLink;
use super::collect::FoundLink;
use super::pages::CheckedPage;
use crate::apply::existing_file::replace;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::page_file::node::{Node, Tree};
use crate::page_file::patch::{Edit, Path, Step, patch};

/// Writes the moves of the links of a page into its file. Returns whether there were any.
pub(super) fn write(
    page: &CheckedPage,
    links: &mut [&mut CheckedLink],
) -> Result<bool, CommandError> {
    let Some((file, text)) = &page.file else { return Ok(false) };
    let moves: Vec<(FoundLink, String)> = links
        .iter()
        .filter_map(|link| Some((link.found.clone(), link.judgement.moved_to()?.to_owned())))
        .collect();
    if moves.is_empty() {
        return Ok(false);
    }
    let patched = patch(text, &edits(&page.root, &moves)).map_err(|error| {
        let message = format!("{}: {error}; the file was not written", file.display());
        CommandError::new(Exit::Invalid, message).with_hint("write the new URLs by hand")
    })?;
    replace_checked(file, text, &patched)?;
    for link in links.iter_mut().filter(|link| link.judgement.moved_to().is_some()) {
        link.is_fixed = true;
    }
    Ok(true)
}

/// Replaces a file that is still as it was checked; a byte order mark stays.
fn replace_checked(file: &FilePath, checked: &str, patched: &str) -> Result<(), CommandError> {
    let current = std::fs::read_to_string(file).unwrap_or_default();
    let mark = if current.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    replace(file, &format!("{mark}{checked}"), &format!("{mark}{patched}"))
}

/// Returns the edits that write moves, one for each value.
fn edits(root: &Node, moves: &[(FoundLink, String)]) -> Vec<Edit> {
    let mut by_value: BTreeMap<String, Vec<&(FoundLink, String)>> = BTreeMap::new();
    for found in moves {
        by_value.entry(found.0.path.to_string()).or_default().push(found);
    }
    let edit = |mut moves: Vec<&(FoundLink, String)>| {
        let path = moves.first()?.0.path.clone();
        let mut text = string_at(root, &path)?.to_owned();
        // From the end, so that the places before stay right.
        moves.sort_by_key(|(link, _)| std::cmp::Reverse(link.part.clone().map(|it| it.start)));
        for (link, to) in moves {
            match &link.part {
                Some(part) => {
                    let to = within_text(to, &text, part.start, link.is_escaped);
                    text.replace_range(part.clone(), &to);
                }
                None => text.clone_from(to),
            }
        }
        Some(Edit::Set { path, value: Value::String(text) })
    };
    by_value.into_values().filter_map(edit).collect()
}

/// Returns a URL of a site as it can be written within a text: it ends no attribute of HTML, no link of Markdown and no code.
fn within_text(url: &str, text: &str, at: usize, is_escaped: bool) -> String {
    let escaped = |c: char| match c {
        '\'' | '"' | '(' | ')' | '<' | '>' | '[' | ']' | '`' | '*' | '\\' => {
            format!("%{:02X}", u32::from(c))
        }
        _ => c.to_string(),
    };
    let written: String = url.chars().map(escaped).collect();
    let is_attribute = text.contains('<') && text[..at].ends_with(['"', '\'', '=']);
    if is_escaped || is_attribute { written.replace('&', "&amp;") } else { written }
}

fn string_at<'n>(root: &'n Node, path: &Path) -> Option<&'n str> {
    let mut node = root;
    for step in &path.0 {
        node = match (step, &node.tree) {
            (Step::Item(at), Tree::List(items)) => items.get(*at)?,
            (Step::Key(name), Tree::Map(entries)) => {
                let is_named = |key: &crate::page_file::node::Key| {
                    key.name == *name
                        || key.is_literal && name.strip_prefix('$') == Some(key.name.as_str())
                };
                entries.iter().find(|(key, _)| is_named(key)).map(|(_, value)| value)?
            }
            _ => return None,
        };
    }
    match &node.tree {
        Tree::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::check::collect;
    use crate::page_file::Document;

    fn fixed(text: &str, moves: &[(&str, &str)]) -> String {
        let mut document = Document::from_bytes("it.yaml", text.into()).unwrap();
        document.root.slot_data_mut().for_each(Node::unescape);
        let links = collect::links(&document.root, text, None);
        let moved = |link: FoundLink| {
            let (_, to) = moves.iter().find(|(from, _)| *from == link.url)?;
            Some((link, (*to).to_owned()))
        };
        let moves: Vec<_> = links.into_iter().filter_map(moved).collect();
        patch(text, &edits(&document.root, &moves)).unwrap()
    }

    #[test]
    fn moves_are_written_and_everything_else_stays() {
        let text = "\
# The café
profile: cafe
socials: [ 'http://t.me/qara', https://other.example ] # ours
slots:
  - type: button
    data: {link: \"http://a.example/x\", title: 'http://a.example/x and http://a.example/y'}   # menu
  - type: text
    data:
      $$odd: http://a.example/x
      # a comment
      description: |
        See http://a.example/y, then http://a.example/x
        or <a href='http://b.example/?p=1&amp;q=2'>this</a>
";
        let expected = "\
# The café
profile: cafe
socials: [ 'https://t.me/qara', https://other.example ] # ours
slots:
  - type: button
    data: {link: \"https://a.example/new#x: y\", title: 'https://a.example/new#x: y and http://a.example/y'}   # menu
  - type: text
    data:
      $$odd: \"https://a.example/new#x: y\"
      # a comment
      description: |
        See http://a.example/y, then https://a.example/new#x: y
        or <a href='https://b.example/?a=1&amp;b=2'>this</a>
";
        let moves = [
            ("http://t.me/qara", "https://t.me/qara"),
            ("http://a.example/x", "https://a.example/new#x: y"),
            ("http://b.example/?p=1&q=2", "https://b.example/?a=1&b=2"),
        ];
        assert_eq!(fixed(text, &moves), expected);
        let json = "{\"profile\": \"cafe\",\r\n \"socials\": [\"http://t.me/qara\"]}\r\n";
        assert_eq!(fixed(json, &moves), json.replace("http:", "https:"));
    }

    #[test]
    fn the_url_of_a_site_cannot_end_what_it_is_written_into() {
        let to = "https://a.example/'onclick='x(1)`*[]?a=1&copy=2";
        let hostile = [("http://a.example", to)];
        for (text, expected) in [
            (
                "<a href='http://a.example'>x</a>",
                "<a href='https://a.example/%27onclick=%27x%281%29%60%2A%5B%5D?a=1&amp;copy=2'>x</a>",
            ),
            (
                "[x](http://a.example) < y",
                "[x](https://a.example/%27onclick=%27x%281%29%60%2A%5B%5D?a=1&copy=2) < y",
            ),
        ] {
            let page = |text: &str| format!("profile: cafe\ntitle: |-\n  {text}\n");
            assert_eq!(fixed(&page(text), &hostile), page(expected));
        }
        let page = |url: &str| format!("profile: cafe\nsocials: [\"{url}\"]\n");
        assert_eq!(fixed(&page("http://a.example"), &hostile), page(to));
    }

    #[test]
    fn a_file_that_was_changed_meanwhile_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cafe.yaml");
        std::fs::write(&file, "\u{feff}profile: bar\n").unwrap();
        let refused = replace_checked(&file, "profile: cafe\n", "profile: new\n").unwrap_err();
        assert_eq!(refused.exit(), Exit::Conflict);
        replace_checked(&file, "profile: bar\n", "profile: new\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "\u{feff}profile: new\n");
    }
}
