//! Edits of the text of a page file that leave everything else in it as it is: comments, order of keys, quoting, references, blank lines,
//! line ends.
//!
//! - A comment belongs to the entry that it is directly above, at the end of, or within: it moves with it, and goes when the entry is removed.
//!   Other comments and the head of the file stay where they are.
//! - A new value has the quotes of the old one, a new entry the style and indentation of its neighbors.
//! - A value that is equal already is not touched.
//!
//! The result is parsed again and compared with the tree that the edits make, so that a text that is not understood is refused instead of
//! being written wrongly.

pub(super) use edit::marks;
pub use edit::{
    Edit, MarkedConflict, PatchError, Path, PathStep, moves, refuse_marks, without_marks,
};
use edit::{SHARED_LINES, not_in_place};
pub use rewrite::patch;

use crate::page_file::emit::TextStyle;
use crate::page_file::lex::{line_start, skip_blanks};
use crate::page_file::node::Span;

mod arrange;
mod changes;
mod edit;
mod rewrite;
mod value;

#[cfg(test)]
mod tests;

/// Text with its style.
struct Writer<'t> {
    /// Text without its byte order mark.
    text: &'t str,
    /// Notation of the text.
    style: TextStyle,
    /// Spans of the scalars of the text.
    scalars: Vec<Span>,
}

/// Replacement of a part of a text.
struct Splice {
    /// Part that is replaced; empty for an insertion.
    span: Span,
    /// New text.
    text: String,
}

impl Writer<'_> {
    /// First character of the line of a place that is not in a scalar of several lines.
    fn line_of(&self, mut at: usize) -> usize {
        loop {
            let line = line_start(self.text, at);
            let next = self.scalars.partition_point(|scalar| scalar.end <= line);
            match self.scalars.get(next) {
                Some(scalar) if scalar.start < line => at = scalar.start,
                _ => return skip_blanks(self.text, line),
            }
        }
    }

    /// Returns a part of the text after replacements within it.
    ///
    /// # Errors
    ///
    /// [`PatchError::NotInPlace`] for a replacement that overlaps another one.
    fn render(&self, span: Span, mut splices: Vec<Splice>) -> Result<String, PatchError> {
        splices.sort_by_key(|splice| (splice.span.start, splice.span.end));
        let overlap = |at: usize| not_in_place(&Path::root(), &(at..at), SHARED_LINES);
        let mut out = String::with_capacity(span.len());
        let mut done = span.start;
        for Splice { span: Span { start, end }, text } in splices {
            let before = self.text.get(done..start).filter(|_| end <= span.end);
            out += before.ok_or_else(|| overlap(start))?;
            out += &text;
            done = end;
        }
        out += self.text.get(done..span.end).ok_or_else(|| overlap(done))?;
        Ok(out)
    }
}
