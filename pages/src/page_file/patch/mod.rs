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

use std::collections::HashMap;

use changes::EntryPart;
pub(super) use edit::marks;
pub use edit::{
    Edit, MarkedConflict, PatchError, Path, PathStep, moves, refuse_marks, without_marks,
};
use edit::{SHARED_LINES, not_in_place};
pub use rewrite::patch;

use crate::page_file::emit::TextStyle;
use crate::page_file::lex::{line_start, skip_blanks};
use crate::page_file::node::{Node, Span};

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

/// Collection whose entries are rearranged.
struct Region<'t> {
    /// Text around it.
    writer: &'t Writer<'t>,
    /// Collection.
    node: &'t Node,
    /// Path of the collection.
    path: &'t Path,
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

/// Splices within entries, by their indexes.
type SplicesWithin = HashMap<usize, Vec<Splice>>;

/// Tells the splices within each entry, which has its comments in its chunk, from the others, which must be before the collection.
fn sorted(
    path: &Path,
    chunks: &[Span],
    by_entry: Vec<(usize, Vec<Splice>)>,
) -> Result<(SplicesWithin, Vec<Splice>), PatchError> {
    let (mut within, mut outside) = (HashMap::new(), Vec::new());
    for (at, splices) in by_entry {
        let chunk = &chunks[at];
        let is_own = |it: &Splice| chunk.start <= it.span.start && it.span.end <= chunk.end;
        let (own, other): (Vec<_>, Vec<_>) = splices.into_iter().partition(is_own);
        within.insert(at, own);
        outside.extend(other);
    }
    let start = chunks.first().map_or(0, |first| first.start);
    match outside.iter().find(|it| it.span.end > start) {
        Some(stray) => Err(not_in_place(path, &stray.span, SHARED_LINES)),
        None => Ok((within, outside)),
    }
}

/// Tells whether an entry begins with a comment or a mark.
fn begins_with_comment(
    text: &str,
    chunks: &[Span],
    part: &EntryPart<'_>,
    within: &SplicesWithin,
) -> bool {
    match part {
        EntryPart::Own { at, .. } => {
            let start = chunks[*at].start;
            let is_mark = |splice: &Splice| splice.span == (start..start);
            text[start..].starts_with('#')
                || within.get(at).is_some_and(|splices| splices.iter().any(is_mark))
        }
        part => matches!(part, EntryPart::Item(_, Some(_))),
    }
}
