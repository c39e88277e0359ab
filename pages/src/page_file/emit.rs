//! Text of values in YAML and JSON: that of a new file, and that of new values in the style of the document around them.

use std::fmt::Write;

use granit_parser::ScalarStyle;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::lex::{column, line_start, skip_blanks};
use super::node::{Node, Tree};
use super::read::resolved;
use crate::sanitize::is_unsafe;

/// Words that some YAML parser reads as another type than a string.
const WORDS: [&str; 13] =
    ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "infinity", "nan", "na"];

/// Returns a value as a YAML document.
///
/// # Errors
///
/// When JSON cannot represent the value; this never happens for values read from JSON.
pub fn write(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let (value, style) = (serde_json::to_value(value)?, TextStyle::yaml());
    let column = if value.is_string() { style.map_indent } else { 0 };
    Ok(style.block(&value, column, None) + style.line_break)
}

/// Notation of a document.
pub struct TextStyle {
    /// Line break.
    pub(super) line_break: &'static str,
    /// True if the text is JSON, so that nothing else may be written.
    pub(super) is_json: bool,
    /// Columns of a mapping in another one.
    pub(super) map_indent: usize,
    /// Columns of a list in a mapping.
    pub(super) list_indent: usize,
    /// Indentation of a level of JSON over several lines.
    pub(super) json_indent: String,
}

/// Number of levels of a new value in block style: `Some(0)` is a flow collection, `Some(1)` a block collection of flow collections, `None` is
/// block style throughout.
type BlockDepth = Option<usize>;

impl TextStyle {
    /// Notation of new YAML files: lists indented under their key, long lines not wrapped.
    pub fn yaml() -> Self {
        Self {
            line_break: "\n",
            is_json: false,
            map_indent: 2,
            list_indent: 2,
            json_indent: "  ".to_owned(),
        }
    }

    /// Returns the style of a document: what its first examples show, or what this program writes itself.
    pub(super) fn of(text: &str, root: &Node) -> Self {
        let first_line = text.find('\n').unwrap_or(0);
        let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
        let mut found = [None; 2];
        indents(text, root, &mut found);
        let [list_indent, map_indent] = found;
        Self {
            line_break: if text[..first_line].ends_with('\r') { "\r\n" } else { "\n" },
            is_json,
            map_indent: map_indent.unwrap_or(2),
            list_indent: list_indent.unwrap_or(2),
            json_indent: json_indent(text, root),
        }
    }

    /// Returns a value on one line. With `pad` it has one entry per line; the lines after the first begin with `pad`.
    pub(super) fn flow(&self, value: &Value, pad: Option<&str>) -> String {
        let inner = pad.map(|pad| format!("{pad}{}", self.json_indent));
        let below = |value| self.flow(value, inner.as_deref());
        let entries: Vec<String> = match value {
            Value::Array(items) => items.iter().map(below).collect(),
            Value::Object(entries) => entries
                .iter()
                .map(|(name, it)| format!("{}: {}", self.key(name, true), below(it)))
                .collect(),
            other => return self.scalar(other, ScalarStyle::Plain, true),
        };
        let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
        match (pad, &inner, self.line_break) {
            (Some(pad), Some(inner), line_break) if !entries.is_empty() => {
                let lines = entries.join(&format!(",{line_break}{inner}"));
                format!("{open}{line_break}{inner}{lines}{line_break}{pad}{close}")
            }
            _ => format!("{open}{}{close}", entries.join(", ")),
        }
    }

    /// Returns a value in block style, of which the first line begins at a column.
    pub(super) fn block(&self, value: &Value, column: usize, depth: BlockDepth) -> String {
        let between = format!("{}{}", self.line_break, " ".repeat(column));
        let below = depth.map(|depth| depth.saturating_sub(1));
        let lines: Vec<String> = match value {
            Value::Array(items) if !items.is_empty() && depth != Some(0) => {
                items.iter().map(|item| self.block_item(item, column, 1, below)).collect()
            }
            Value::Object(entries) if !entries.is_empty() && depth != Some(0) => entries
                .iter()
                .map(|(name, value)| self.block_key(name, value, column, below))
                .collect(),
            Value::Array(_) | Value::Object(_) => return self.flow(value, None),
            other => {
                let lines = other.as_str().filter(|text| text.contains('\n'));
                return match lines.and_then(|text| self.block_scalar(text, column)) {
                    Some((header, lines)) => format!("{header}{}{lines}", self.line_break),
                    None => self.scalar(other, ScalarStyle::Plain, false),
                };
            }
        };
        lines.join(&between)
    }

    /// Returns an item with its dash and a number of spaces after it. The dash is at the column.
    pub(super) fn block_item(
        &self,
        value: &Value,
        column: usize,
        spaces: usize,
        depth: BlockDepth,
    ) -> String {
        format!("-{}{}", " ".repeat(spaces), self.block(value, column + 1 + spaces, depth))
    }

    /// Returns a key with its value. The key is at the column.
    pub(super) fn block_key(
        &self,
        name: &str,
        value: &Value,
        column: usize,
        depth: BlockDepth,
    ) -> String {
        let key = self.key(name, false);
        let inner = column + if value.is_array() { self.list_indent } else { self.map_indent };
        let text = self.block(value, inner, depth);
        if depth != Some(0) && is_full(value) {
            return format!("{key}:{}{}{text}", self.line_break, " ".repeat(inner));
        }
        format!("{key}: {text}")
    }

    /// Returns the header and the lines of a block scalar, if the text can be one.
    pub(super) fn block_scalar(&self, text: &str, column: usize) -> Option<(&'static str, String)> {
        let body = text.strip_suffix('\n').unwrap_or(text);
        let is_strange = |c: char| c != '\n' && c != '\t' && must_escape(c);
        if body.starts_with(|c: char| c.is_whitespace())
            || body.ends_with(|c: char| c.is_whitespace())
            || body.is_empty()
            || text.contains(is_strange)
        {
            return None;
        }
        let header = if body.len() < text.len() { "|" } else { "|-" };
        let pad = " ".repeat(column);
        let line =
            |line: &str| if line.is_empty() { String::new() } else { format!("{pad}{line}") };
        let lines: Vec<String> = body.split('\n').map(line).collect();
        Some((header, lines.join(self.line_break)))
    }

    /// Returns a scalar on one line, in a style of strings if the string can be written in it.
    pub(super) fn scalar(&self, value: &Value, style: ScalarStyle, in_flow: bool) -> String {
        match value {
            Value::String(text) => self.string(text, style, in_flow),
            other => other.to_string(),
        }
    }

    /// Returns a key of a mapping.
    pub(super) fn key(&self, name: &str, in_flow: bool) -> String {
        self.string(name, ScalarStyle::Plain, in_flow)
    }

    fn string(&self, text: &str, style: ScalarStyle, in_flow: bool) -> String {
        match style {
            _ if self.is_json => quoted(text),
            ScalarStyle::SingleQuoted if !text.contains(must_escape) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            ScalarStyle::Plain if is_plain(text, in_flow) => text.to_owned(),
            _ => in_quotes(text, false),
        }
    }
}

/// Finds the indentation of the first list and of the first mapping in a mapping of block style.
fn indents(text: &str, parent: &Node, found: &mut [Option<usize>; 2]) {
    for below in parent.children().filter(|it| it.is_block()) {
        if let (true, Some(first)) = (parent.is_map(), below.child(0)) {
            let indent =
                column(text, first.layout.start).saturating_sub(column(text, below.layout.start));
            if indent > 0 || !below.is_map() {
                found[usize::from(below.is_map())].get_or_insert(indent);
            }
        }
        if found.contains(&None) {
            indents(text, below, found);
        }
    }
}

/// Returns the indentation of the first key, if it is on another line than the bracket.
fn json_indent(text: &str, root: &Node) -> String {
    let line = root.child(0).map(|it| line_start(text, it.layout.start));
    match line.filter(|line| *line > root.layout.extent.start) {
        Some(line) if skip_blanks(text, line) > line => {
            text[line..skip_blanks(text, line)].to_owned()
        }
        _ => "  ".to_owned(),
    }
}

/// Returns the depth of block style of new values after the example of the values of a collection.
pub(super) fn value_depth(parent: &Node) -> BlockDepth {
    let has_flow = parent.children().any(Node::is_full_flow);
    (has_flow && !parent.children().any(Node::is_block)).then_some(0)
}

/// Returns the depth of block style of a new item after the example of another one.
pub(super) fn item_depth(example: &Node) -> BlockDepth {
    if example.is_full_flow() { Some(0) } else { value_depth(example).map(|depth| depth + 1) }
}

/// Tells whether a value is a collection with entries.
pub(super) fn is_full(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => false,
    }
}

/// Tells whether a string needs no quotes.
fn is_plain(text: &str, in_flow: bool) -> bool {
    let first = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '/' | '.' | '$' | '_' | '(')
            || !c.is_ascii() && !c.is_whitespace()
    };
    let number_like = |c: char| c.is_ascii_digit() || "_.:+-eExXoO,".contains(c);
    text.starts_with(first)
        && !text.ends_with(|c: char| c == ':' || c.is_whitespace())
        && !text.contains(must_escape)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.starts_with("...")
        && !(in_flow && text.contains([',', '[', ']', '{', '}']))
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && !(text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(number_like))
        && !is_date(text)
        && matches!(resolved(text), Some(Tree::Text(read)) if read == text)
}

/// Tells whether a text begins like a date (`2026-08-01T19:00:00Z`), which a parser of YAML 1.1 reads as a point in time.
fn is_date(text: &str) -> bool {
    let are_digits = |it: &str| it.bytes().all(|c| c.is_ascii_digit());
    let mut parts = text.splitn(3, '-');
    let mut next = || parts.next().unwrap_or_default();
    let (year, month, day) = (next(), next(), next());
    year.len() == 4
        && are_digits(year)
        && matches!(month.len(), 1 | 2)
        && are_digits(month)
        && day.starts_with(|c: char| c.is_ascii_digit())
}

/// Tells whether a character can only be written as an escape sequence.
fn must_escape(c: char) -> bool {
    is_unsafe(c) || u32::from(c) & 0xfffe == 0xfffe
}

/// Returns a string of JSON.
pub(super) fn quoted(text: &str) -> String {
    in_quotes(text, true)
}

/// Returns a string in double quotes. Not every parser of YAML reads the surrogates of JSON.
fn in_quotes(text: &str, has_surrogates: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in Value::from(text).to_string().chars() {
        // Writing to a string cannot fail.
        let _ = match c {
            c if !must_escape(c) => out.write_char(c),
            c if c > '\u{ffff}' && !has_surrogates => write!(out, "\\U{:08x}", u32::from(c)),
            c => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|it| write!(out, "\\u{it:04x}")),
        };
    }
    out
}

/// Returns a value as JSON on one line without unsafe characters.
pub(super) fn json_text(value: &Value) -> String {
    TextStyle { is_json: true, ..TextStyle::yaml() }.flow(value, None)
}
