//! Random values, and page files with comments in a random style.
#![expect(clippy::format_push_string, reason = "short texts of tests")]

use serde_json::{Map, Value, json};

use super::super::*;
use super::hostile::STRINGS;
use crate::page_file::emit::is_full;

/// Choices that shrink towards zero.
pub(super) struct Choices {
    values: Vec<u16>,
    next: usize,
}

impl Choices {
    pub(super) fn new(values: Vec<u16>) -> Self {
        Self { values, next: 0 }
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        let value = self.values.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        usize::from(value) % count
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(super) fn of<'t, T>(&mut self, options: &'t [T]) -> &'t T {
        &options[self.below(options.len())]
    }
}

const KEYS: &[&str] = &[
    "a", "title", "data", "b c", "$form", "a: b", "# d", "- e", "true", "7", "ключ", "'", "\"",
    "{", "~", "",
];

fn scalar(choices: &mut Choices) -> Value {
    match choices.below(8) {
        0 => json!(null),
        1 => json!(choices.one_in(2)),
        2 => json!(-1),
        3 => json!([0.5, 1e30, 1e-7, -0.0][choices.below(4)]),
        _ => json!(*choices.of(STRINGS)),
    }
}

pub(super) fn value(choices: &mut Choices, depth: usize) -> Value {
    match choices.below(if depth == 0 { 4 } else { 8 }) {
        0..=3 => scalar(choices),
        4 | 5 => {
            let length = choices.below(5);
            (0..length).map(|_| value(choices, depth - 1)).collect()
        }
        _ => object(choices, depth - 1),
    }
}

pub(super) fn object(choices: &mut Choices, depth: usize) -> Value {
    let length = choices.below(5);
    let entries = (0..length).map(|_| ((*choices.of(KEYS)).to_owned(), value(choices, depth)));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// Text of a value in a random style, with the places of its comments.
struct Printer<'c> {
    choices: &'c mut Choices,
    comments: Vec<Comment>,
    has_flow_lines: bool,
    /// True if a comment that is indented could be a line of the last scalar.
    ends_in_block: bool,
}

#[derive(Debug)]
pub(super) struct Comment {
    /// Entry that the comment is about, or collection that it is in.
    pub(super) owner: Path,
    /// True if it must survive a new value of its owner.
    pub(super) is_outside: bool,
    /// True if it is a mark of a conflict.
    pub(super) is_mark: bool,
}

impl Printer<'_> {
    fn comment(&mut self, owner: &Path, is_outside: bool) -> String {
        self.comments.push(Comment { owner: owner.clone(), is_outside, is_mark: false });
        format!("# note-{}. # {{", self.comments.len() - 1)
    }

    fn comment_or_mark(&mut self, owner: &Path) -> String {
        let comment = self.comment(owner, true);
        let is_mark = self.choices.one_in(3);
        self.comments.last_mut().unwrap().is_mark = is_mark;
        if is_mark { format!("# <<< page: {comment}") } else { comment }
    }

    fn end_comment(&mut self, owner: &Path) -> String {
        if self.choices.one_in(4) {
            format!(" {}", self.comment(owner, true))
        } else {
            String::new()
        }
    }

    /// Lines above an entry.
    fn above(&mut self, owner: &Path, collection: &Path, pad: &str) -> String {
        let mut lines = String::new();
        if self.choices.one_in(6) {
            lines += &format!("{pad}{}\n\n", self.comment(collection, false));
        }
        if self.choices.one_in(8) {
            lines += "\n";
        }
        while self.choices.one_in(4) {
            lines += &format!("{pad}{}\n", self.comment_or_mark(owner));
        }
        lines
    }

    fn string(&mut self, text: &str, in_flow: bool) -> String {
        let is_word = !text.is_empty()
            && text.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
            && text == text.trim()
            && !["null", "true"].contains(&text);
        let is_printable = !text.contains(is_hidden);
        match self.choices.below(3) {
            0 if is_word => text.to_owned(),
            1 if is_printable => format!("'{}'", text.replace('\'', "''")),
            _ if in_flow => crate::page_file::emit::quoted(text),
            _ => crate::page_file::emit::quoted(text).replace("кофе", "\\u043aофе"),
        }
    }

    fn flow(&mut self, value: &Value, path: &Path, pad: &str) -> String {
        let lines = self.choices.one_in(3);
        let inner = format!("{pad}  ");
        let entries: Vec<_> = match value {
            Value::Array(items) => {
                items.iter().enumerate().map(|(at, it)| (path.clone().item(at), None, it)).collect()
            }
            Value::Object(map) => {
                map.iter().map(|(key, it)| (path.clone().key(key), Some(key), it)).collect()
            }
            Value::String(text) => return self.string(text, true),
            other => return other.to_string(),
        };
        let mut out = if value.is_array() { "[" } else { "{" }.to_owned();
        let last_comma = self.choices.one_in(4);
        for (at, (path, key, value)) in entries.iter().enumerate() {
            if lines {
                out += "\n";
                while self.choices.one_in(5) {
                    out += &format!("{inner}{}\n", self.comment_or_mark(path));
                }
                out += &inner;
            } else if at > 0 {
                out += " ";
            }
            if let Some(key) = key {
                out += &format!("{}: ", self.string(key, true));
            }
            out += &self.flow(value, path, &inner);
            if at + 1 < entries.len() || last_comma {
                out += ",";
            }
            if lines && self.choices.one_in(5) {
                out += &format!(" {}", self.comment(path, true));
            }
        }
        self.has_flow_lines |= lines;
        if lines && !entries.is_empty() {
            out += &format!("\n{pad}");
        }
        out + if value.is_array() { "]" } else { "}" }
    }

    /// Text after a colon or dash, up to the line break; the value may not be a full collection in block style.
    fn inline(&mut self, value: &Value, path: &Path, column: usize) -> String {
        if let Value::String(text) = value
            && !text.starts_with(char::is_whitespace)
            && !text.trim_end_matches('\n').ends_with(char::is_whitespace)
            && !text.trim().is_empty()
            // Blank lines below it would be its own.
            && !text.ends_with("\n\n")
            && !text.contains(|c: char| c != '\n' && is_hidden(c))
            && self.choices.one_in(2)
        {
            let body = text.trim_end_matches('\n');
            let chomp = if text.ends_with('\n') { "" } else { "-" };
            let style = if body.contains('\n') || self.choices.one_in(2) { "|" } else { ">" };
            let comment = self.end_comment(path);
            let pad = " ".repeat(column + 1 + self.choices.below(3));
            let line = |line: &str| {
                if line.is_empty() { "\n".to_owned() } else { format!("\n{pad}{line}") }
            };
            let lines: String =
                text.strip_suffix('\n').unwrap_or(text).split('\n').map(line).collect();
            self.ends_in_block = true;
            return format!(" {style}{chomp}{comment}{lines}");
        }
        self.ends_in_block = false;
        if value.is_null() && self.choices.one_in(2) {
            return self.end_comment(path);
        }
        let text = self.flow(value, path, &" ".repeat(column + 1));
        format!(" {text}{}", self.end_comment(path))
    }

    fn block(&mut self, value: &Value, path: &Path, column: usize) -> String {
        let pad = " ".repeat(column);
        let mut out = String::new();
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let entry = path.clone().key(key);
                    let above = self.above(&entry, path, &pad);
                    out += &format!("{above}{pad}{}:", self.string(key, false));
                    out += &match value {
                        child if is_full(child) && !self.choices.one_in(3) => {
                            let comment = self.end_comment(&entry);
                            let indent = 1 + self.choices.below(4);
                            let indent = if child.is_array() { indent - 1 } else { indent };
                            format!("{comment}\n{}", self.block(child, &entry, column + indent))
                        }
                        child => format!("{}\n", self.inline(child, &entry, column)),
                    };
                }
            }
            Value::Array(items) => {
                for (at, value) in items.iter().enumerate() {
                    let entry = path.clone().item(at);
                    out += &self.above(&entry, path, &pad);
                    out += &match value {
                        child if is_full(child) && !self.choices.one_in(3) => {
                            let spaces = 1 + self.choices.below(3);
                            let text = self.block(child, &entry, column + 1 + spaces);
                            let is_compact = !text.trim_start_matches(' ').starts_with(['#', '\n']);
                            if is_compact && !self.choices.one_in(4) {
                                format!(
                                    "{pad}-{}{}",
                                    " ".repeat(spaces),
                                    text.trim_start_matches(' ')
                                )
                            } else {
                                format!("{pad}-{}\n{text}", self.end_comment(&entry))
                            }
                        }
                        child => format!("{pad}-{}\n", self.inline(child, &entry, column)),
                    };
                }
            }
            _ => {}
        }
        if self.choices.one_in(8) && !path.0.is_empty() && !self.ends_in_block {
            // A comment that is indented deeper than the last entry is in it.
            let last = match value {
                Value::Object(map) => map.keys().next_back().map(|key| path.clone().key(key)),
                _ => value.as_array().map(|items| path.clone().item(items.len() - 1)),
            };
            out += &format!("{pad} {}\n", self.comment(&last.unwrap(), false));
        }
        out
    }
}

/// Text of a page file.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) comments: Vec<Comment>,
    pub(super) is_json: bool,
    pub(super) has_flow_lines: bool,
}

pub(super) fn printed(tree: &Value, choices: &mut Choices) -> Printed {
    let style = choices.below(8);
    let mut printer =
        Printer { choices, comments: Vec::new(), has_flow_lines: false, ends_in_block: false };
    let mut text = match style {
        0 => json_text(&tree.to_string()),
        1 => json_text(&format!("{tree:#}\n")),
        2 => json_text(&with_tabs(&format!("{tree:#}\n"))),
        3 => format!("{}\n", printer.flow(tree, &Path::root(), "")),
        _ => {
            let head =
                ["", "# Head.\n\n", "---\n", "%YAML 1.2\n--- # start\n"][printer.choices.below(4)];
            let foot = ["", "# Foot.\n", "\n\n# Foot.\n", "...\n"][printer.choices.below(4)];
            format!("{head}{}{foot}", printer.block(tree, &Path::root(), 0))
        }
    };
    let Printer { comments, has_flow_lines, .. } = printer;
    if choices.one_in(4) {
        text = text.trim_end_matches('\n').to_owned();
    }
    if choices.one_in(3) {
        text = text.replace('\n', "\r\n");
    }
    if choices.one_in(4) {
        text.insert(0, '\u{feff}');
    }
    let is_json = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).is_ok();
    Printed { text, comments, is_json, has_flow_lines }
}

/// Replaces the indentation of JSON by tabs.
fn with_tabs(text: &str) -> String {
    let line = |line: &str| {
        let content = line.trim_start_matches(' ');
        "\t".repeat((line.len() - content.len()) / 2) + content
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Tells whether a character can only be written as an escape sequence.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Escapes the characters that JSON allows and YAML does not.
fn json_text(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if is_hidden(c) && !c.is_ascii_whitespace() {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}"));
        } else {
            out.push(c);
        }
    }
    out
}
