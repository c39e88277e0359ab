//! What a command hands back: the data as scripts get it, and how people see it.

pub(crate) mod dry_run;
pub(crate) mod format;
pub(crate) mod label;
pub(crate) mod yaml;

use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::error::exit_code::Exit;
use crate::sanitize;

/// The end of a command that did what was asked.
pub(crate) struct CommandOutput {
    /// What `-o json` prints.
    pub(crate) body: Body,
    /// What people see.
    pub(crate) view: View,
    /// The exit code.
    pub(crate) exit: Exit,
    /// What goes on once the outcome is shown, until it ends with an exit code of its own.
    pub(crate) then: Option<Pin<Box<dyn Future<Output = Exit>>>>,
}

/// The data of an outcome.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The service's answer, byte for byte.
    Service(Bytes),
    /// The tool's own result, in the same envelope.
    Own(Value),
}

/// How people see the data.
#[derive(Clone, Debug)]
pub(crate) enum View {
    /// One line for each record of `data`.
    Table(&'static [Column]),
    /// One line for each field of `data`, these first.
    Record(&'static [&'static str]),
    /// Whatever the data is: a list as a table of all its fields, everything else as a record.
    Any,
    /// A document: shown on a terminal without what could harm it, written elsewhere as it is.
    Document(String),
    /// A document in Markdown: laid out on a terminal, written elsewhere as it is.
    Markdown(String),
    /// Lines of the tool's own.
    Lines(Vec<StyledLine>),
    /// Lines of the tool's own, and the part of the data that is a table, for CSV.
    FigureTable(Vec<StyledLine>, Vec<Value>),
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) title: &'static str,
    /// What stands in it.
    pub(crate) cell: Cell,
}

/// What stands in a column.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    /// The value at a path of the record: `computed.url`.
    At(&'static str),
    /// Something made of the record.
    Of(fn(&Value) -> String),
}

/// A line with what it is about. Whatever its parts came from, it is one line and drives no terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledLine {
    /// Its colour on a terminal.
    pub(crate) tone: Style,
    text: String,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Nothing in particular.
    Plain,
    /// Something comes.
    Added,
    /// Something changes.
    Changed,
    /// Something goes.
    Removed,
    /// Less important than the rest.
    Faint,
}

impl CommandOutput {
    /// An answer of the service.
    pub(crate) fn service(body: Bytes, view: View) -> Self {
        Self { body: Body::Service(body), view, exit: Exit::Ok, then: None }
    }

    /// A result of the tool's own, put into the envelope that the service uses.
    pub(crate) fn own(data: impl Into<Value>, view: View) -> Self {
        Self { body: Body::Own(json!({ "data": data.into() })), view, exit: Exit::Ok, then: None }
    }

    /// The same with another exit code.
    #[must_use]
    pub(crate) fn exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }
}

impl Body {
    /// What its records are named by: their ids, or the paths of images.
    pub(crate) fn ids(&self) -> Vec<String> {
        let body = match self {
            Self::Service(bytes) => serde_json::from_slice(bytes).unwrap_or_default(),
            Self::Own(body) => body.clone(),
        };
        let records = match &body["data"] {
            Value::Array(records) => &records[..],
            one => std::slice::from_ref(one),
        };
        let name = |record: &Value| match record.get("id").or_else(|| record.get("path"))? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        records.iter().filter_map(name).collect()
    }
}

impl View {
    /// The part of the data that is a table, where the data as a whole is none.
    pub(crate) fn rows(&self) -> Option<&[Value]> {
        match self {
            Self::FigureTable(_, rows) if !rows.is_empty() => Some(rows),
            _ => None,
        }
    }
}

impl Column {
    /// A column that shows the value at a path.
    pub(crate) const fn at(title: &'static str, path: &'static str) -> Self {
        Self { title, cell: Cell::At(path) }
    }

    /// A column that shows something made of the record.
    pub(crate) const fn of(title: &'static str, make: fn(&Value) -> String) -> Self {
        Self { title, cell: Cell::Of(make) }
    }
}

impl StyledLine {
    /// A line of a style. Line breaks in the text become spaces.
    pub(crate) fn new(tone: Style, text: impl AsRef<str>) -> Self {
        Self { tone, text: sanitize::one_line(text.as_ref()).into_owned() }
    }

    /// The text, which can be shown as it is.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandOutput")
            .field("body", &self.body)
            .field("exit", &self.exit)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(path) => f.debug_tuple("At").field(path).finish(),
            Self::Of(_) => f.write_str("Of"),
        }
    }
}
