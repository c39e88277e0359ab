//! Style of a document, found in its text.

use serde::de::IgnoredAny;

use super::emit::TextStyle;
use super::lex::{column, line_start, skip_blanks};
use super::syntax::{Collection, Syntax};

/// Returns the style of a document: what its first examples show, or what this program writes itself.
pub(super) fn of(text: &str, root: &Syntax) -> TextStyle {
    let first_line = text.find('\n').unwrap_or(0);
    let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
    let first = root.collection().and_then(|it| it.entries.first());
    let mut style = TextStyle {
        line_break: if text[..first_line].ends_with('\r') { "\r\n" } else { "\n" },
        is_json,
        is_tight: is_json && first.is_some_and(|it| it.value.span.start == it.value.after_head),
        map_indent: 0,
        list_indent: usize::MAX,
        json_indent: json_indent(text, root),
    };
    if let Some(root) = root.collection().filter(|it| !it.is_flow) {
        indents(text, root, &mut style);
    }
    if style.map_indent == 0 {
        style.map_indent = 2;
    }
    if style.list_indent == usize::MAX {
        style.list_indent = 2;
    }
    style
}

/// Finds the first mapping and the first list in a mapping of block style.
fn indents(text: &str, collection: &Collection, style: &mut TextStyle) {
    for entry in &collection.entries {
        let Some(below) = entry.value.collection().filter(|it| !it.is_flow) else { continue };
        if collection.is_map
            && let Some(first) = below.entries.first()
        {
            let indent = column(text, first.start).saturating_sub(column(text, entry.start));
            if below.is_map && style.map_indent == 0 {
                style.map_indent = indent;
            } else if !below.is_map && style.list_indent == usize::MAX {
                style.list_indent = indent;
            }
        }
        if style.map_indent > 0 && style.list_indent < usize::MAX {
            return;
        }
        indents(text, below, style);
    }
}

/// Returns the indentation of the first key, if it is on another line than the bracket.
fn json_indent(text: &str, root: &Syntax) -> String {
    let first = root.collection().and_then(|it| it.entries.first());
    let line = first.map(|it| line_start(text, it.start)).filter(|line| *line > root.span.start);
    match line.map(|line| &text[line..skip_blanks(text, line)]) {
        Some(indent) if !indent.is_empty() => indent.to_owned(),
        _ => "  ".to_owned(),
    }
}
