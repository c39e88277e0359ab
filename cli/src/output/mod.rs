//! Output of a command: the data for scripts, and its human-readable view.

pub(crate) mod dry_run;
pub(crate) mod format;
mod styled_line;

use std::any::Any;
use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use links_sdk::{Answer, SlotId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(crate) use self::styled_line::{Style, StyledLine, diff_lines, unified};
use crate::error::{CommandError, Exit, Result};
use links_pages::page_file::emit;

/// Output of a successful command.
pub(crate) struct CommandOutput {
    /// Data printed by `-o json`.
    pub(crate) body: Body,
    /// Human-readable view of the data.
    pub(crate) view: View,
    /// Exit code.
    pub(crate) exit: Exit,
    /// True if the output is only text of this program, such as help or a script.
    pub(crate) is_own_text: bool,
    /// Work that continues after the output is shown, and returns the final exit code.
    pub(crate) then: Option<Pin<Box<dyn Future<Output = Exit>>>>,
    /// Large values that the command was made of. They are freed with the process: to free a plan of 500 slots takes a sixth of the command.
    pub(crate) rest: Option<Box<dyn Any>>,
}

/// Data of a command output.
#[derive(Debug)]
pub(crate) enum Body {
    /// Response of the service, byte for byte. It is JSON: the client has checked it, or the command.
    Service(Bytes),
    /// Result of this program, in the same envelope.
    Own(Value),
}

/// Human-readable view of the data.
#[derive(Debug)]
pub(crate) enum View {
    /// Table with one line per record of `data`.
    Table(&'static [Column]),
    /// One line per field of `data`, beginning with these fields.
    Record(&'static [&'static str]),
    /// View by the type of the data: a list as a table of all its fields, everything else as a record.
    Any,
    /// Document: sanitized on a terminal, written unchanged elsewhere.
    Document(String),
    /// Document that is made for a file, such as a script: only an option of the command line gives it another format.
    File(String),
    /// Markdown document: formatted on a terminal, written unchanged elsewhere.
    Markdown(String),
    /// Lines of text.
    Lines(Vec<StyledLine>),
    /// Lines of text, and what other formats have instead of them.
    Listing(Vec<StyledLine>, Instead),
}

/// What formats other than text have instead of lines.
#[derive(Debug)]
pub(crate) enum Instead {
    /// The field that stands for a record without an id.
    Id(&'static str),
    /// The columns of the table in a document.
    Columns(&'static [Column]),
    /// The part of the data that is a table, for CSV; `None` if the data is one as a whole.
    Rows(Option<Vec<Value>>),
}

/// Column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Heading of the column.
    title: &'static str,
    /// Content of the cells.
    cell: Cell,
    /// True if long cells are cut only where the table is wider than the terminal.
    is_whole: bool,
}

/// Content of the cells.
#[derive(Clone, Copy, Debug)]
enum Cell {
    /// Value at a path of the record, such as `computed.url`.
    At(&'static str),
    /// Text computed from the record.
    Of(fn(&Value) -> String),
}

impl View {
    /// One line of text.
    pub(crate) fn line(text: impl AsRef<str>) -> Self {
        Self::Lines(vec![StyledLine::plain(text)])
    }

    /// Lines of the text, if it is made of lines.
    pub(crate) fn lines_mut(&mut self) -> Option<&mut Vec<StyledLine>> {
        match self {
            Self::Lines(lines) | Self::Listing(lines, _) => Some(lines),
            _ => None,
        }
    }
}

impl CommandOutput {
    /// Output of a command that has done what it was asked to.
    pub(crate) fn new(body: Body, view: View) -> Self {
        Self { body, view, exit: Exit::Ok, is_own_text: false, then: None, rest: None }
    }

    /// Output with a result of this program, in the envelope that the service uses.
    pub(crate) fn own(data: impl Into<Value>, view: View) -> Self {
        Self::new(Body::Own(json!({ "data": data.into() })), view)
    }

    /// The same with facts about the data.
    pub(crate) fn with_meta(data: impl Into<Value>, meta: Value, view: View) -> Self {
        Self::new(Body::Own(json!({ "data": data.into(), "meta": meta })), view)
    }

    /// Output of a text of this program.
    pub(crate) fn own_text(data: Value, text: String) -> Self {
        Self { is_own_text: true, ..Self::own(data, View::File(text)) }
    }

    /// Output of a write: for people one line about the record that was written, and the URL of a page.
    pub(crate) fn wrote(verb: &str, answer: &Answer) -> Self {
        let record: Value = read_data(answer.body()).unwrap_or_default();
        let what = match record["login"].as_str() {
            Some(login) => format!("page {login}"),
            None => {
                let kind = record["type"].as_str().unwrap_or("form");
                format!("{kind} {}", record["id"].to_string().trim_matches('"'))
            }
        };
        let url = record["computed"]["url"].as_str();
        let url = url.map(|url| StyledLine::faint(format!("  {url}")));
        let lines = [StyledLine::plain(format!("{verb} {what}"))].into_iter().chain(url).collect();
        answered(answer, View::Lines(lines))
    }

    /// Sets the exit code to that of a check that has found something, if it has.
    #[must_use]
    pub(crate) fn no_if(self, is_found: bool) -> Self {
        if is_found { self.exit(Exit::No) } else { self }
    }

    /// Sets the exit code.
    #[must_use]
    pub(crate) fn exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }
}

/// Returns an answer of the service as the output.
pub(crate) fn answered(answer: &Answer, view: View) -> CommandOutput {
    CommandOutput::new(Body::Service(answer.body().clone()), view)
}

/// Returns data of this program as the output, with one line for the reader.
pub(crate) fn said(data: impl Into<Value>, line: impl AsRef<str>) -> CommandOutput {
    CommandOutput::own(data, View::line(line))
}

impl Body {
    /// Result of this program, to be changed.
    pub(crate) fn own_mut(&mut self) -> Option<&mut Value> {
        match self {
            Self::Own(body) => Some(body),
            Self::Service(_) => None,
        }
    }
}

impl Column {
    /// Column that shows the value at a path.
    pub(crate) const fn at(title: &'static str, path: &'static str) -> Self {
        Self { title, cell: Cell::At(path), is_whole: false }
    }

    /// Column that shows text computed from the record.
    pub(crate) const fn of(title: &'static str, make: fn(&Value) -> String) -> Self {
        Self { title, cell: Cell::Of(make), is_whole: false }
    }

    /// Keeps long cells whole where there is room.
    pub(crate) const fn whole(self) -> Self {
        Self { is_whole: true, ..self }
    }
}

/// Returns the label of a slot with this content: the title, else the first string. No list of fields is kept here, because the service
/// defines them.
pub(crate) fn label(data: &Map<String, Value>) -> Option<&str> {
    let named = ["title", "buttonText"].iter().filter_map(|key| data.get(*key)?.as_str());
    let mut texts = named.chain(data.values().filter_map(Value::as_str));
    texts.find(|text| !text.trim().is_empty())
}

/// Names a slot with its label, if it has one: `button 1002 "Menu"`.
pub(crate) fn named_slot(kind: &str, id: SlotId, label: Option<&str>) -> String {
    let label = label.map(|label| format!(" \"{label}\"")).unwrap_or_default();
    format!("{kind} {id}{label}")
}

/// Parses the body of a response of the service.
pub(crate) fn parsed<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(CommandError::unreadable)
}

/// Reads the `data` of a response of the service.
pub(crate) fn read_data<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T> {
    data(body).map_err(CommandError::unreadable)
}

/// Reads the `data` of a response of the service, as JSON has it.
pub(crate) fn data<'b, T: Deserialize<'b>>(body: &'b [u8]) -> serde_json::Result<T> {
    #[derive(Deserialize)]
    struct Envelope<T> {
        data: T,
    }
    serde_json::from_slice(body).map(|Envelope { data }| data)
}

/// Serializes a value as YAML, to be printed or edited.
///
/// # Errors
///
/// When JSON cannot represent the value; this never happens for values read from JSON.
pub(crate) fn yaml(value: &impl Serialize) -> Result<String> {
    emit::write(value).map_err(CommandError::internal)
}

/// Returns a number with the word for the things: `1 page`, `3 pages`.
pub(crate) fn count<N: From<u8> + PartialEq + fmt::Display>(count: N, what: &str) -> String {
    format!("{count} {what}{}", if count == N::from(1) { "" } else { "s" })
}

/// Returns those of these numbers of things in words that are not 0.
pub(crate) fn counts(all: &[(usize, &str)]) -> Vec<String> {
    all.iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| count(*number, what))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_is_the_title_or_else_the_first_text() {
        for (data, expected) in [
            (json!({"a": "x", "buttonText": "B", "title": "T"}), "T"),
            (json!({"a": "x", "buttonText": "B", "title": " "}), "B"),
            (
                json!({"n": 1, "l": ["no"], "o": {"title": "no"}, "a": "", "b": "café", "c": "y"}),
                "café",
            ),
            (json!({"title": 5, "buttonText": null, "is": true}), ""),
            (json!({}), ""),
        ] {
            let shown = label(data.as_object().unwrap()).unwrap_or_default();
            assert_eq!(shown, expected, "{data}");
        }
    }
}
