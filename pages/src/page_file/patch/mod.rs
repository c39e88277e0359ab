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
use edit::not_in_place;
pub use edit::{
    Edit, MarkedConflict, PatchError, Path, PathStep, moves, refuse_marks, without_marks,
};
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
#[derive(Debug)]
struct Writer<'t> {
    /// Text without its byte order mark.
    text: &'t str,
    /// Notation of the text.
    style: TextStyle,
    /// Spans of the scalars of the text.
    scalars: Vec<Span>,
}

/// Collection whose entries are rearranged.
#[derive(Debug)]
struct Region<'t> {
    /// Text around it.
    writer: &'t Writer<'t>,
    /// Collection.
    node: &'t Node,
    /// Path of the collection.
    path: &'t Path,
}

/// Replacement of a part of a text.
#[derive(Debug)]
struct Splice {
    /// Part that is replaced; empty for an insertion.
    span: Span,
    /// New text.
    pieces: Vec<Piece>,
}

/// Piece of new text.
#[derive(Debug)]
enum Piece {
    /// Text.
    Text(String),
    /// Part of the old text with its own replacements.
    Copy(Span, Vec<Splice>),
}

impl Splice {
    /// Creates a replacement by a text.
    fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, pieces: vec![Piece::Text(text.into())] }
    }
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
}

/// Returns a part of a text after replacements within it.
///
/// # Errors
///
/// Place of a replacement that overlaps another one.
fn render(text: &str, span: Span, mut splices: Vec<Splice>) -> Result<String, usize> {
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

/// Orders entries and gaps: returns the entries in their order, each with the gaps before it, and the gaps after the last one. Gap N is that
/// before the entry N of the text; it stays where it is when entries move. A blank gap goes with a neighbor that went.
fn sequence<'c>(
    parts: &'c [EntryPart<'c>],
    length: usize,
    is_blank: impl Fn(usize) -> bool,
) -> (Vec<(Vec<usize>, &'c EntryPart<'c>)>, Vec<usize>) {
    let mut ordered: Vec<(Vec<usize>, &EntryPart<'_>)> = Vec::with_capacity(parts.len());
    let mut next_gap = 1;
    let mut gaps_until = |end: usize| {
        let gaps: Vec<usize> = (next_gap..end).collect();
        next_gap = next_gap.max(end);
        gaps
    };
    for part in parts {
        let mut gaps = match part {
            EntryPart::Own { at, is_moved: false } => gaps_until(at + 1),
            _ => Vec::new(),
        };
        let last = gaps.last().copied();
        gaps.retain(|gap| !is_blank(*gap));
        if let (true, false, Some(last)) = (gaps.is_empty(), ordered.is_empty(), last) {
            gaps.push(last);
        }
        ordered.push((gaps, part));
    }
    let mut rest = gaps_until(length);
    rest.retain(|gap| !is_blank(*gap));
    (ordered, rest)
}

/// Tells the splices within each entry, which has its comments in its chunk, from those before the collection.
fn sorted(
    region: &Region<'_>,
    chunks: &[Span],
    by_entry: Vec<(usize, Vec<Splice>)>,
    outside: &mut Vec<Splice>,
) -> Result<HashMap<usize, Vec<Splice>>, PatchError> {
    let start = chunks.first().map_or(0, |first| first.start);
    let mut within: HashMap<usize, Vec<Splice>> = HashMap::new();
    for (at, splices) in by_entry {
        let chunk = &chunks[at];
        for splice in splices {
            if chunk.start <= splice.span.start && splice.span.end <= chunk.end {
                within.entry(at).or_default().push(splice);
            } else if splice.span.end <= start {
                outside.push(splice);
            } else {
                let reason = "it shares lines with other values";
                return Err(not_in_place(region.path, &splice.span, reason));
            }
        }
    }
    Ok(within)
}

/// Tells whether an entry begins with a comment or a mark.
fn begins_with_comment(
    text: &str,
    chunks: &[Span],
    part: &EntryPart<'_>,
    within: &HashMap<usize, Vec<Splice>>,
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

/// Adds text to the last piece.
fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}
