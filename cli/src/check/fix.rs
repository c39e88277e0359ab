//! Writes links that have moved for good into their files. Everything else in a file stays as it is.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path as FilePath;
use std::rc::Rc;

use super::CheckedPage;
use super::checked_link::CheckedLink;
use super::collect::{FoundLink, LinkedValue, without_spaces};
use crate::account::pull::existing_file::not_written;
use crate::context::prelude::*;
use links_pages::page_file::patch::{Edit, PatchError, Path, PathStep, patch};
use links_pages::page_file::{Document, file_of};

/// Maximum number of values that are changed one by one where they cannot be changed together: each costs a pass over the text.
const TRIED: usize = 64;

/// Writes the moves of the links into the files of their pages and forms. Returns the error of each file that could not be written.
pub(crate) fn write_all(pages: &[CheckedPage], links: &mut [CheckedLink]) -> Vec<CommandError> {
    let mut by_file: HashMap<PathBuf, Vec<&mut CheckedLink>> = HashMap::new();
    for link in links {
        if let Some((file, ..)) = link.place.clone() {
            by_file.entry(file).or_default().push(link);
        }
    }
    let mut failures = Vec::new();
    for (own, sources) in pages.iter().filter_map(|page| page.source.file.as_ref()) {
        for (nth, file) in sources.files().iter().enumerate() {
            let file = if nth == 0 { file_of(own) } else { FilePath::new(&file.name) };
            // The links of a file that several pages use are written once.
            let Some(mut of_file) = by_file.remove(file) else { continue };
            if let Err(failure) = write(file, sources.text_of(nth), &mut of_file) {
                let moved = of_file.iter_mut().filter(|it| it.fix().is_some() && !it.is_fixed);
                moved.for_each(|link| link.fix_error = Some(failure.to_string()));
                failures.push(failure);
            }
        }
    }
    failures
}

/// Writes the moves of the links of a file.
fn write(file: &FilePath, text: &str, links: &mut [&mut CheckedLink]) -> Result<()> {
    let refused = |why: &dyn fmt::Display, hint: &str| {
        CommandError::invalid(format!("cannot update {}: {why}", file.display())).with_hint(hint)
    };
    let moves = links.iter().filter_map(|link| Some((link.found.clone(), link.fix()?.to_owned())));
    let is_made = |link: &FoundLink| link.value.written_at.is_none();
    let (made, mut moves): (Vec<_>, Vec<_>) = moves.partition(|(link, _)| is_made(link));
    // A value that several items use is there once. The others are as they are in it.
    let mut seen = HashSet::new();
    moves.retain(|(link, _)| seen.insert((link.offset, link.part.clone())));
    moves.sort_by_key(|(link, _)| link.offset);
    if !moves.is_empty() {
        let by_hand = "change the URLs by hand";
        if file.extension().is_some_and(|it| it == "csv") {
            return Err(refused(&"it is a table", by_hand));
        }
        let patched = written(text, &moves).map_err(|why| refused(&why, by_hand))?;
        replace_checked(file, text, &patched)?;
        for link in links.iter_mut() {
            link.is_fixed |= link.fix().is_some() && !is_made(&link.found);
        }
    }
    match made.first() {
        None => Ok(()),
        Some((FoundLink { url, .. }, _)) => {
            let why = format!("{url} is made of several values");
            Err(refused(&why, "change the values by hand"))
        }
    }
}

/// Replaces a file that is still as it was checked; a byte order mark stays.
fn replace_checked(file: &FilePath, checked: &str, patched: &str) -> Result<()> {
    let (_, current) = named::read(file)?;
    let current = String::from_utf8(current).unwrap_or_default();
    let mark = if current.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    if current != format!("{mark}{checked}") {
        let message =
            format!("{} changed in the meantime; the file was not written", file.display());
        return Err(CommandError::conflict(message).with_hint("run the same command again"));
    }
    atomic::write(file, &format!("{mark}{patched}"), true).map_err(not_written(file))
}

/// A value with links that have moved.
struct MovedValue {
    old: Rc<LinkedValue>,
    /// New value.
    text: String,
    /// Links in their order: the place in the document, the URL as the value has it, and the new one.
    urls: Vec<(usize, String, String)>,
}

/// Returns a text after moves: only the characters of the URLs differ. A value whose text in the file does not show them, or could not hold
/// the new ones, is written anew.
fn written(text: &str, moves: &[(FoundLink, String)]) -> Result<String, PatchError> {
    let values = moved_values(moves);
    if let Some(changed) = in_place(text, &values) {
        return Ok(changed);
    }
    let is_tried = values.len() <= TRIED;
    let (mut text, mut anew) = (text.to_owned(), Vec::new());
    // From the end, so that the places before stay right.
    for value in values.into_iter().rev() {
        let changed = is_tried.then(|| in_place(&text, std::slice::from_ref(&value))).flatten();
        match changed {
            Some(changed) => text = changed,
            None => {
                let path = value.old.written_at.clone().unwrap_or_default();
                anew.push(Edit::Set { path, value: Value::String(value.text) });
            }
        }
    }
    if anew.is_empty() { Ok(text) } else { patch(&text, &anew) }
}

/// Returns the values of the moves, which are in the order of the document.
fn moved_values(moves: &[(FoundLink, String)]) -> Vec<MovedValue> {
    let values = moves.chunk_by(|(one, _), (next, _)| Rc::ptr_eq(&one.value, &next.value));
    let value = |moves: &[(FoundLink, String)]| {
        let old = moves[0].0.value.clone();
        let text = &old.text;
        let (mut changed, mut from, mut urls) = (String::new(), 0, Vec::new());
        let has_markup = text.contains('<');
        for (link, to) in moves {
            let (part, to) = match &link.part {
                Some(part) => {
                    let is_attribute = has_markup && text[..part.start].ends_with(['"', '\'', '=']);
                    (part.clone(), within_text(to, link.is_escaped || is_attribute))
                }
                None => (without_spaces(text), to.clone()),
            };
            urls.push((link.offset, text[part.clone()].to_owned(), to.clone()));
            changed.push_str(&text[from..part.start]);
            changed.push_str(&to);
            from = part.end;
        }
        changed.push_str(&text[from..]);
        MovedValue { old, text: changed, urls }
    };
    values.map(value).collect()
}

/// Returns a document in which only the URLs of values were replaced, which are in their order; `None` unless it is read as intended.
fn in_place(text: &str, values: &[MovedValue]) -> Option<String> {
    let (mut changed, mut from) = (String::with_capacity(text.len()), 0);
    for value in values {
        for (offset, old, new) in &value.urls {
            let is_there = text.get(*offset..).is_some_and(|rest| rest.starts_with(old.as_str()));
            let start = if is_there { *offset } else { value.old.span.start.max(from) };
            let at = start + text.get(start..value.old.span.end)?.find(old.as_str())?;
            changed.push_str(text.get(from..at)?);
            changed.push_str(new);
            from = at + old.len();
        }
    }
    changed.push_str(&text[from..]);
    let read = |text: &str| Document::from_bytes("", text.into()).ok().map(|it| it.root.to_json());
    let mut expected = read(text)?;
    for value in values {
        *value_at(&mut expected, value.old.written_at.as_ref()?)? =
            Value::String(value.text.clone());
    }
    (read(&changed)? == expected).then_some(changed)
}

fn value_at<'v>(root: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    path.0.iter().try_fold(root, |value, step| match step {
        PathStep::Item(at) => value.get_mut(at),
        PathStep::Key(name) => value.get_mut(name),
    })
}

/// Returns a URL of a site as it can be written within a text: it ends no attribute of HTML, no link of Markdown and no code.
fn within_text(url: &str, is_escaped: bool) -> String {
    let escaped = |c: char| match c {
        '\'' | '"' | '(' | ')' | '<' | '>' | '[' | ']' | '`' | '*' | '\\' => {
            format!("%{:02X}", u32::from(c))
        }
        _ => c.to_string(),
    };
    let written: String = url.chars().map(escaped).collect();
    if is_escaped { written.replace('&', "&amp;") } else { written }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::collect;
    use links_pages::page_file::node::Node;

    fn fixed(text: &str, moves: &[(&str, &str)]) -> String {
        let mut document = Document::from_bytes("it.yaml", text.into()).unwrap();
        document.root.slot_data_mut().for_each(Node::unescape);
        let links = collect::links(&document.root, Some(&document.sources), None);
        let moved = |link: FoundLink| {
            let (_, to) = moves.iter().find(|(from, _)| *from == link.url)?;
            Some((link, (*to).to_owned()))
        };
        let moves: Vec<_> = links.into_iter().filter_map(moved).collect();
        written(text, &moves).unwrap()
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
    fn only_the_characters_of_a_url_change() {
        let moves = [
            ("http://a.example/x", "https://a.example/new"),
            ("http://a.example/xy", "https://a.example/other"),
        ];
        let text = "\
profile: cafe
description: >-
  One line
  with http://a.example/x and

    more indented http://a.example/xy,
  and a last one
title: \"esc \\u0041 \\
  http://a.example/xy http://a.example/x\"
moodText: >
  http://a.example/x
socials:
  - 'http://a.example/x'   # ours
  - \" http://a.example/x \"
  - http://a.example/x
slots:
  - type: text
    data: {title: it''s http://a.example/x, description: 'it''s http://a.example/x'}
  - type: text
    data:
      title: two
        lines http://a.example/x
      description: |+
        http://a.example/x

";
        let expected = text
            .replace("http://a.example/xy", "https://a.example/other")
            .replace("http://a.example/x", "https://a.example/new");
        assert_eq!(fixed(text, &moves), expected);
    }

    #[test]
    fn a_url_that_the_text_of_a_value_does_not_show_is_written_anew() {
        let page = |title: &str| format!("profile: cafe\ntitle: {title}\n");
        for title in
            ["\"\\u0068ttp://a.example\"", "\"http:\\/\\/a.example\"", "\"http://a.\\\n  example\""]
        {
            let moves = [("http://a.example", "https://b.example")];
            assert_eq!(fixed(&page(title), &moves), page("\"https://b.example\""));
        }
        let to_comment = [("http://a.example", "https://b.example/ #c")];
        let quoted = page("\"https://b.example/ #c\"");
        assert_eq!(fixed(&page("http://a.example"), &to_comment), quoted);
    }

    #[test]
    fn a_url_that_a_text_shows_is_written_beside_one_that_it_does_not_show() {
        let moves = [
            ("http://a.example/x", "https://a.example/x"),
            ("http://a.example/y?p=1&q=2", "https://a.example/y"),
        ];
        let page = |x: &str, y: &str| {
            format!("{{\"profile\": \"cafe\", \"title\": \"See {x} or {y} or {x}\"}}\n")
        };
        let (x, y) = (moves[0], moves[1]);
        let escaped = "http://a.example/y?p=1\\u0026q=2";
        assert_eq!(fixed(&page(x.0, escaped), &moves), page(x.1, y.1));
        assert_eq!(fixed(&page(escaped, x.0), &moves), page(y.1, x.1));
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
        // A text that is a link as a whole is a text.
        let page = |url: &str| format!("profile: cafe\ndescription: \"{url}\"\n");
        let escaped = "https://a.example/%27onclick=%27x%281%29%60%2A%5B%5D?a=1&copy=2";
        assert_eq!(fixed(&page(" http://a.example"), &hostile), page(&format!(" {escaped}")));
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
