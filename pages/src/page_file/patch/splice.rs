//! Replacements of parts of a text, and what they are made from.

use super::edit::Path;
use crate::page_file::emit::TextStyle;
use crate::page_file::lex::{line_start, skip_blanks};
use crate::page_file::node::{Node, Span};

/// Text with its style.
#[derive(Debug)]
pub(super) struct Writer<'t> {
    /// Text without its byte order mark.
    pub(super) text: &'t str,
    /// Notation of the text.
    pub(super) style: TextStyle,
    /// Spans of the scalars of the text.
    pub(super) scalars: Vec<Span>,
}

/// Collection whose entries are rearranged.
#[derive(Debug)]
pub(super) struct Region<'t> {
    /// Text around it.
    pub(super) writer: &'t Writer<'t>,
    /// Collection.
    pub(super) node: &'t Node,
    /// Path of the collection.
    pub(super) path: &'t Path,
}

/// Replacement of a part of a text.
#[derive(Debug)]
pub(super) struct Splice {
    /// Part that is replaced; empty for an insertion.
    pub(super) span: Span,
    /// New text.
    pub(super) pieces: Vec<Piece>,
}

/// Piece of new text.
#[derive(Debug)]
pub(super) enum Piece {
    /// Text.
    Text(String),
    /// Part of the old text with its own replacements.
    Copy(Span, Vec<Splice>),
}

impl Splice {
    /// Creates a replacement by a text.
    pub(super) fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, pieces: vec![Piece::Text(text.into())] }
    }
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

/// Returns a part of a text after replacements within it.
///
/// # Errors
///
/// Place of a replacement that overlaps another one.
pub(super) fn render(text: &str, span: Span, mut splices: Vec<Splice>) -> Result<String, usize> {
    splices.sort_by_key(|splice| (splice.span.start, splice.span.end));
    let mut out = String::with_capacity(span.len());
    let mut done = span.start;
    for splice in splices {
        let Splice { span: Span { start, end }, pieces } = splice;
        out.push_str(text.get(done..start).filter(|_| end <= span.end).ok_or(start)?);
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Copy(span, splices) => out.push_str(&render(text, span, splices)?),
            }
        }
        done = end;
    }
    out.push_str(text.get(done..span.end).ok_or(done)?);
    Ok(out)
}
