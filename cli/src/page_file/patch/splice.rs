//! Replacements of parts of a text.

use crate::page_file::node::Span;

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
