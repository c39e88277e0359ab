//! What the changes of a document are written into.

use super::edit::Path;
use super::emit::TextStyle;
use super::error::PatchError;
use super::lex::{line_start, skip_blanks};
use super::syntax::{Collection, Syntax};
use crate::page_file::node::Span;

/// Text with its style.
#[derive(Debug)]
pub(super) struct Writer<'t> {
    /// Text without its byte order mark.
    pub(super) text: &'t str,
    /// Style of the text.
    pub(super) style: TextStyle,
    /// Spans of the scalars of the text.
    pub(super) scalars: Vec<Span>,
}

/// Collection whose entries are rearranged.
#[derive(Debug)]
pub(super) struct Region<'t> {
    /// Text around it.
    pub(super) writer: &'t Writer<'t>,
    /// Collection as a value.
    pub(super) syntax: &'t Syntax,
    /// Collection.
    pub(super) collection: &'t Collection,
    /// Path of the collection.
    pub(super) path: &'t Path,
}

impl Writer<'_> {
    /// First character of the line of a place that is not in a scalar of several lines.
    pub(super) fn line_of(&self, mut at: usize) -> usize {
        loop {
            let line = line_start(self.text, at);
            let next = self.scalars.partition_point(|scalar| scalar.end <= line);
            match self.scalars.get(next) {
                Some(scalar) if scalar.start < line => at = scalar.start,
                _ => return skip_blanks(self.text, line),
            }
        }
    }
}

/// Creates the error for something that cannot be changed in place.
pub(super) fn not_in_place(path: &Path, span: &Span, reason: &'static str) -> PatchError {
    PatchError::NotInPlace { path: path.clone(), span: span.clone(), reason }
}
