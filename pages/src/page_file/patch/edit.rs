//! Edits of a page file, at paths of the text as it is before the first of them, and why they cannot be made. Among them marks of conflicts:
//! comments on lines of their own, one for each conflict.
//!
//! ```yaml
//! # <<< page: data.title: "Shop" (changed on the page since the last sync; keep the value below or take this one, then delete this line)
//! ```
//!
//! A comment on a line of its own that begins with `# <<< page:` or `# <<< form:` is a mark, whatever follows, so that a mark that was edited is
//! still one.

use std::fmt;

use granit_parser::{Event, Parser};
use links_sdk::SlotId;
use serde_json::Value;

use crate::page_file::document::Document;
use crate::page_file::emit::{json_text, quoted};
use crate::page_file::lex::{line_end, next_line, skip_blanks};
use crate::page_file::node::{Node, Span, Tree};
use crate::page_file::report::{FieldDiagnostic, FileDiagnostics};

/// Step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Key of a mapping as it is written, with its escape: `$$upload`.
    Key(String),
    /// Index of an item of a list.
    Item(usize),
}

impl PathStep {
    /// Returns the step to an entry of a list or mapping.
    pub(in crate::page_file) fn of(node: &Node, index: usize) -> Self {
        match node.entries() {
            Some(entries) => Self::Key(entries[index].0.written().into_owned()),
            None => Self::Item(index),
        }
    }

    /// Returns the index of the entry that the step leads to.
    pub(in crate::page_file) fn index_in(&self, node: &Node) -> Option<usize> {
        match (self, &node.tree) {
            (Self::Key(name), Tree::Map(entries)) => {
                entries.iter().position(|(key, _)| key.written() == *name)
            }
            (Self::Item(index), Tree::List(items)) => Some(*index).filter(|at| *at < items.len()),
            _ => None,
        }
    }
}

/// Place in a page file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// Returns the path of the whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns the path of a key below.
    #[must_use]
    pub fn key(mut self, name: impl Into<String>) -> Self {
        self.0.push(PathStep::Key(name.into()));
        self
    }

    /// Returns the path of an item below.
    #[must_use]
    pub fn item(mut self, index: usize) -> Self {
        self.0.push(PathStep::Item(index));
        self
    }

    /// Returns the path of an entry of the list or mapping at this path.
    pub(in crate::page_file) fn entry(&self, node: &Node, index: usize) -> Self {
        let mut path = self.clone();
        path.0.push(PathStep::of(node, index));
        path
    }
}

/// Formats the path as in diagnostics: `slots.2.data.link`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "." })?;
            match step {
                PathStep::Key(name) => f.write_str(name)?,
                PathStep::Item(index) => index.fmt(f)?,
            }
        }
        Ok(())
    }
}

/// Edit of a page file. Every path and index is that of the text before the edits, whatever the other edits of the call are.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets a value. A missing key is added after the last key of its mapping, together with the missing mappings above it; a field of the page
    /// above its slots.
    Set {
        /// Place of the value.
        path: Path,
        /// New value, with escaped keys.
        value: Value,
    },
    /// Removes a key of a mapping or an item of a list, with its comments: those directly above it, at its end, and within it.
    Remove {
        /// Place of the key or item.
        path: Path,
    },
    /// Inserts an item into a list. A list that is missing or has no value is made.
    Insert {
        /// Place of the list.
        list: Path,
        /// Index of the item that the new one follows. `None` for the start. Several edits with one index keep their order.
        after: Option<usize>,
        /// New item, with escaped keys.
        value: Value,
        /// Mark above the new item, or above the line of the list if its items share lines.
        mark: Option<MarkedConflict>,
    },
    /// Moves an item of a list with its comments: those directly above it, at its end, and within it.
    Move {
        /// Place of the list.
        list: Path,
        /// Index of the item.
        item: usize,
        /// Index of the item that it follows then, even if that one is moved too. `None` for the start.
        after: Option<usize>,
    },
    /// Marks a conflict above the line of a value. The value stays.
    Mark {
        /// Place of the value. If it is missing, the mark is above the closest existing value that would hold it.
        path: Path,
        /// What the page has.
        conflict: MarkedConflict,
    },
}

impl Edit {
    /// Place that the edit names.
    pub fn path(&self) -> &Path {
        match self {
            Self::Set { path, .. } | Self::Remove { path } | Self::Mark { path, .. } => path,
            Self::Insert { list, .. } | Self::Move { list, .. } => list,
        }
    }
}

/// What the page has instead of the value in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkedConflict {
    /// Another value.
    Changed(Value),
    /// Another value of a form, of which it is unknown which side changed it.
    Differs(Value),
    /// No such value any more.
    Removed,
    /// A slot with this ID that may be the one of this item.
    Twin(SlotId),
    /// The slot with this ID, changed, which the file no longer had.
    Kept(SlotId),
    /// Slots with these IDs in another order.
    Order(Vec<SlotId>),
}

/// Reason why a page file cannot be patched. Spans are those of the text without its byte order mark.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// Text that is not a page file.
    #[error("the text cannot be parsed")]
    Invalid(Vec<FieldDiagnostic>),
    /// Path that leads to no value and to no place for one.
    #[error("there is no `{0}` in the file")]
    NotFound(Path),
    /// Edits that contradict each other at this place.
    #[error("conflicting edits to `{0}`")]
    Overlap(Path),
    /// Text that cannot be changed without touching more than the edit says.
    #[error("`{path}` cannot be changed in place: {reason}")]
    NotInPlace {
        /// Path of the closest known value.
        path: Path,
        /// Its place in the text.
        span: Span,
        /// Reason as a lowercase fragment.
        reason: &'static str,
    },
    /// Conflict in a JSON file, which has no comments.
    #[error("cannot mark the conflict at `{path}`, because JSON has no comments")]
    NotMarkable {
        /// Path of the value in conflict.
        path: Path,
        /// Its place in the text.
        span: Span,
    },
}

/// Reason why a replacement that reaches into another one is refused.
pub(super) const SHARED_LINES: &str = "it shares lines with other values";

/// Creates the error for something that cannot be changed in place.
pub(super) fn not_in_place(path: &Path, span: &Span, reason: &'static str) -> PatchError {
    PatchError::NotInPlace { path: path.clone(), span: span.clone(), reason }
}

/// Returns the fewest moves that bring items of a list into an order. `order` names items by index, each at most once; the others, which
/// may be removed by other edits, stay where they are among the items that do not move. A first item that moves becomes the first of all.
pub fn moves(list: &Path, order: &[usize]) -> Vec<Edit> {
    let stays = longest_increasing(order);
    let mut after = None;
    let mut moves = Vec::new();
    for (&item, stays) in order.iter().zip(stays) {
        if !stays {
            moves.push(Edit::Move { list: list.clone(), item, after });
        }
        after = Some(item);
    }
    moves
}

/// Tells for each number whether it is in the longest increasing subsequence.
fn longest_increasing(numbers: &[usize]) -> Vec<bool> {
    // By length of a subsequence, the place of the smallest number that ends one.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut is_in = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        is_in[at] = true;
        next = before[at];
    }
    is_in
}

/// Begin of a mark in a page file.
const PREFIX: &str = "# <<< page:";

/// Begin of a mark in a form file.
const FORM_PREFIX: &str = "# <<< form:";

/// Returns the spans of all marks, also of a text with errors.
pub(in crate::page_file) fn marks(text: &str) -> Vec<Span> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_mark = |text: &str| [PREFIX, FORM_PREFIX].iter().any(|it| text.starts_with(it));
    if !content.contains("# <<< ") {
        return Vec::new();
    }
    let before = text.len() - content.len();
    let events = Parser::new_from_str(content).map_while(Result::ok);
    let scalars = events.filter(|(event, _)| matches!(event, Event::Scalar(..)));
    let scalars: Vec<Span> = scalars.filter_map(|(_, at)| at.byte_range()).collect();
    let mut found = Vec::new();
    let mut line = 0;
    while line < content.len() {
        let (start, end) = (skip_blanks(content, line), line_end(content, line));
        let next = scalars.partition_point(|scalar| scalar.end <= start);
        let is_inside = scalars.get(next).is_some_and(|scalar| scalar.start <= start);
        if is_mark(&content[start..]) && !is_inside {
            found.push(before + start..before + end);
        }
        line = next_line(content, end).unwrap_or(content.len());
    }
    found
}

/// Returns the text without the lines of its marks.
pub fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks(text) {
        let indent = text[from..mark.start].trim_end_matches([' ', '\t']).len();
        kept += &text[from..from + indent];
        from = next_line(text, mark.end).unwrap_or(text.len());
    }
    kept + &text[from..]
}

/// Refuses a document with marks.
///
/// # Errors
///
/// A diagnostic at each mark.
pub fn refuse_marks(document: &Document) -> Result<(), FileDiagnostics> {
    let problem = |span: Span| {
        let (what, help) = if document.text()[span.clone()].starts_with(FORM_PREFIX) {
            (
                "form",
                "follow the instructions on this line, then delete it; or take the form's values with `links pull --all --force`",
            )
        } else {
            ("page", "follow the instructions on this line, then delete it")
        };
        FieldDiagnostic::new("", span, format!("unresolved conflict with the {what}")).help(help)
    };
    let problems: Vec<_> = marks(document.text()).into_iter().map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(document.bad(problems)) }
}

/// Returns the line of a mark for a conflict at a path.
pub(super) fn mark_line(path: &Path, conflict: &MarkedConflict) -> String {
    let label = label(path);
    let separator = if label.is_empty() { "" } else { ": " };
    match conflict {
        MarkedConflict::Changed(value) => format!(
            "{PREFIX} {label}{separator}{} (changed on the page since the last sync; keep the value below or take this one, then delete this line)",
            json_text(value)
        ),
        MarkedConflict::Differs(value) => format!(
            "{FORM_PREFIX} {label}{separator}{} (differs from the value below; keep that or take this one, then delete this line)",
            json_text(value)
        ),
        MarkedConflict::Removed => format!(
            "{PREFIX} {label}{separator}nothing (removed on the page since the last sync; keep the value below or remove it, then delete this line)"
        ),
        MarkedConflict::Twin(id) => format!(
            "{PREFIX} {label}{separator}slot {id} (also created on the page; remove this item or that one if they are the same, then delete this line)"
        ),
        MarkedConflict::Kept(id) => format!(
            "{PREFIX} {label}{separator}slot {id} (removed from this file, changed on the page since the last sync; keep the item below or remove it, then delete this line)"
        ),
        MarkedConflict::Order(ids) => format!(
            "{PREFIX} {label}{separator}order {} (changed on the page since the last sync; keep the order below or take this one, then delete this line)",
            ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Path from the closest item of a list: `data.title`. A name with other characters than those of a word is quoted.
fn label(path: &Path) -> String {
    let mut label = String::new();
    for step in &path.0 {
        match step {
            PathStep::Item(_) => label.clear(),
            PathStep::Key(name) => {
                label.push_str(if label.is_empty() { "" } else { "." });
                let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
                let is_plain = !name.is_empty() && name.chars().all(is_word);
                label += &if is_plain { name.clone() } else { quoted(name) };
            }
        }
    }
    label
}
