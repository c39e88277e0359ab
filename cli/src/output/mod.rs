//! Output of a command: the data for scripts, and its human-readable view.

pub(crate) mod diff;
pub(crate) mod dry_run;
pub(crate) mod format;
pub(crate) mod label;
pub(crate) mod yaml;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::error::exit_code::Exit;
use crate::sanitize;

/// Output of a successful command.
pub(crate) struct CommandOutput {
    /// Data printed by `-o json`.
    pub(crate) body: Body,
    /// Human-readable view of the data.
    pub(crate) view: View,
    /// Exit code.
    pub(crate) exit: Exit,
    /// Work that continues after the output is shown, and returns the final exit code.
    pub(crate) then: Option<Pin<Box<dyn Future<Output = Exit>>>>,
}

/// Data of a command output.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Response of the service, byte for byte.
    Service(Bytes),
    /// Response of the service that the SDK has found to be JSON, byte for byte.
    Checked(Bytes),
    /// Result of this program, in the same envelope.
    Own(Value),
    /// Result of this program that is made only for a format that prints it.
    OnDemand(Rc<LazyCell<Value, Box<dyn FnOnce() -> Value>>>),
}

/// Human-readable view of the data.
#[derive(Clone, Debug)]
pub(crate) enum View {
    /// Table with one line per record of `data`.
    Table(&'static [Column]),
    /// One line per field of `data`, beginning with these fields.
    Record(&'static [&'static str]),
    /// View by the type of the data: a list as a table of all its fields, everything else as a record.
    Any,
    /// Document: sanitized on a terminal, written unchanged elsewhere.
    Document(String),
    /// Markdown document: formatted on a terminal, written unchanged elsewhere.
    Markdown(String),
    /// Lines of text.
    Lines(Vec<StyledLine>),
    /// Lines of text, and the field that stands for a record without an id.
    NamedLines(Vec<StyledLine>, &'static str),
    /// Lines of text, and the columns of the table that a document has instead.
    Listing(Vec<StyledLine>, &'static [Column]),
    /// Lines of text, and the part of the data that is a table, for CSV.
    FigureTable(Vec<StyledLine>, Vec<Value>),
}

/// Column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Heading of the column.
    pub(crate) title: &'static str,
    /// Content of the cells.
    pub(crate) cell: Cell,
    /// What becomes of long cells.
    pub(crate) fit: Fit,
}

/// What becomes of the long cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// They are wrapped.
    Wrapped,
    /// They are cut where the table is wider than the terminal.
    Cut,
    /// The same, and where there is no terminal they are as long as they are.
    Whole,
}

/// Content of the cells.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    /// Value at a path of the record, such as `computed.url`.
    At(&'static str),
    /// Text computed from the record.
    Of(fn(&Value) -> String),
}

/// Line of text with a style. Always a single line without terminal control sequences, whatever its parts came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledLine {
    /// Style of the line, which sets its colour on a terminal.
    pub(crate) tone: Style,
    text: String,
    /// Parts of the text that stand out on a terminal, in their order.
    marked: Vec<Range<usize>>,
}

/// Style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Default style.
    Plain,
    /// Addition.
    Added,
    /// Change.
    Changed,
    /// Removal.
    Removed,
    /// Less important text.
    Faint,
}

impl CommandOutput {
    /// Output with a response of the service.
    pub(crate) fn service(body: Bytes, view: View) -> Self {
        Self { body: Body::Service(body), view, exit: Exit::Ok, then: None }
    }

    /// Output with a response that the SDK has checked against the shape of its operation, not one of a dry run or of any path. It can be
    /// long, and is not scanned again.
    pub(crate) fn checked(body: Bytes, view: View) -> Self {
        Self { body: Body::Checked(body), view, exit: Exit::Ok, then: None }
    }

    /// Output with a result of this program, in the envelope that the service uses.
    pub(crate) fn own(data: impl Into<Value>, view: View) -> Self {
        Self { body: Body::Own(json!({ "data": data.into() })), view, exit: Exit::Ok, then: None }
    }

    /// Sets the exit code.
    #[must_use]
    pub(crate) fn exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }
}

impl Body {
    /// Result of this program that is made only for a format that prints it.
    pub(crate) fn on_demand(make: impl FnOnce() -> Value + 'static) -> Self {
        Self::OnDemand(Rc::new(LazyCell::new(Box::new(make))))
    }

    /// Result of this program, to be changed.
    pub(crate) fn own_mut(&mut self) -> Option<&mut Value> {
        if let Self::OnDemand(body) = self {
            *self = Self::Own((***body).clone());
        }
        match self {
            Self::Own(body) => Some(body),
            Self::Service(_) | Self::Checked(_) | Self::OnDemand(_) => None,
        }
    }

    /// Names of the records: their ids, or the paths of images.
    pub(crate) fn ids(&self) -> Vec<String> {
        let body = match self {
            Self::Service(bytes) | Self::Checked(bytes) => {
                serde_json::from_slice(bytes).unwrap_or_default()
            }
            Self::Own(body) => body.clone(),
            Self::OnDemand(body) => (***body).clone(),
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
    /// Tells whether the view is a text of its own, which needs none of the data.
    fn is_text(&self) -> bool {
        match self {
            Self::Table(_) | Self::Record(_) | Self::Any => false,
            Self::Document(_)
            | Self::Markdown(_)
            | Self::Lines(_)
            | Self::NamedLines(..)
            | Self::Listing(..)
            | Self::FigureTable(..) => true,
        }
    }

    /// Lines of the text, if it is made of lines.
    pub(crate) fn lines_mut(&mut self) -> Option<&mut Vec<StyledLine>> {
        match self {
            Self::Lines(lines)
            | Self::NamedLines(lines, _)
            | Self::Listing(lines, _)
            | Self::FigureTable(lines, _) => Some(lines),
            Self::Table(_)
            | Self::Record(_)
            | Self::Any
            | Self::Document(_)
            | Self::Markdown(_) => None,
        }
    }

    /// Part of the data that is a table, if the data as a whole is not.
    pub(crate) fn rows(&self) -> Option<&[Value]> {
        match self {
            Self::FigureTable(_, rows) if !rows.is_empty() => Some(rows),
            _ => None,
        }
    }
}

impl Column {
    /// Column that shows the value at a path.
    pub(crate) const fn at(title: &'static str, path: &'static str) -> Self {
        Self { title, cell: Cell::At(path), fit: Fit::Wrapped }
    }

    /// Column that shows text computed from the record.
    pub(crate) const fn of(title: &'static str, make: fn(&Value) -> String) -> Self {
        Self { title, cell: Cell::Of(make), fit: Fit::Wrapped }
    }

    /// Returns the column, cut where the table is wider than the terminal.
    pub(crate) const fn cut(self) -> Self {
        Self { fit: Fit::Cut, ..self }
    }

    /// Column that shows text computed from the record: whole, unless the table is wider than the terminal.
    pub(crate) const fn whole(title: &'static str, make: fn(&Value) -> String) -> Self {
        Self { title, cell: Cell::Of(make), fit: Fit::Whole }
    }
}

impl StyledLine {
    /// Creates a line with a style. Line breaks in the text become spaces.
    pub(crate) fn new<'t>(tone: Style, text: impl Into<Cow<'t, str>>) -> Self {
        let text = text.into();
        let text = match sanitize::one_line(&text) {
            Cow::Borrowed(same) if same.len() == text.len() => text.into_owned(),
            sanitized => sanitized.into_owned(),
        };
        Self { tone, text, marked: Vec::new() }
    }

    /// Adds a text. `is_marked` says that it stands out on a terminal.
    pub(crate) fn push(&mut self, text: &str, is_marked: bool) {
        let start = self.text.len();
        self.text += &sanitize::one_line(text);
        if is_marked && self.text.len() > start {
            self.marked.push(start..self.text.len());
        }
    }

    /// Parts of the text, and whether they stand out on a terminal.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut end = 0;
        let end_of_text = self.text.len()..self.text.len();
        let ranges = self.marked.iter().cloned().chain(std::iter::once(end_of_text));
        ranges.flat_map(move |range| {
            let before = end..range.start;
            end = range.end;
            [(&self.text[before], false), (&self.text[range], true)]
        })
    }

    /// Sanitized text of the line.
    pub(crate) fn style(&self) -> Style {
        self.tone
    }

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
