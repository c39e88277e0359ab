//! Order of the entries of a rearranged collection, with what is between them: blank lines and comments that belong to no entry.

use std::collections::HashMap;

use super::changes::EntryPart;
use super::edit::{PatchError, not_in_place};
use super::splice::{Piece, Region, Splice};
use crate::page_file::node::Span;

/// Entry with its comments.
#[derive(Debug)]
pub(super) enum Chunk<'c> {
    /// Entry that is there already, by index.
    Own(usize),
    /// New item or key.
    New(&'c EntryPart<'c>),
}

/// Entries in their order, each with the gaps before it.
#[derive(Debug)]
pub(super) struct Sequence<'c> {
    /// Chunks with the gaps before them.
    pub(super) chunks: Vec<(Vec<usize>, Chunk<'c>)>,
    /// Gaps after the last chunk.
    pub(super) rest: Vec<usize>,
}

impl<'c> Sequence<'c> {
    /// Orders chunks and gaps. Gap N is that before the entry N of the text; it stays where it is when entries move. A blank gap goes with
    /// a neighbour that went.
    pub(super) fn of(
        parts: &'c [EntryPart<'c>],
        length: usize,
        is_blank: impl Fn(usize) -> bool,
    ) -> Self {
        let mut chunks: Vec<(Vec<usize>, Chunk<'c>)> = Vec::with_capacity(parts.len());
        let mut next_gap = 1;
        let mut gaps_until = |end: usize| {
            let gaps: Vec<usize> = (next_gap..end).collect();
            next_gap = next_gap.max(end);
            gaps
        };
        for part in parts {
            let (mut gaps, chunk) = match part {
                EntryPart::Own { at, is_moved: false } => (gaps_until(at + 1), Chunk::Own(*at)),
                EntryPart::Own { at, is_moved: true } => (Vec::new(), Chunk::Own(*at)),
                new => (Vec::new(), Chunk::New(new)),
            };
            let last = gaps.last().copied();
            gaps.retain(|gap| !is_blank(*gap));
            if let (true, false, Some(last)) = (gaps.is_empty(), chunks.is_empty(), last) {
                gaps.push(last);
            }
            chunks.push((gaps, chunk));
        }
        let mut rest = gaps_until(length);
        rest.retain(|gap| !is_blank(*gap));
        Self { chunks, rest }
    }
}

/// Splices of the entries of a collection.
#[derive(Debug, Default)]
pub(super) struct EntrySplices {
    /// Splices within the chunk of each entry.
    pub(super) within: HashMap<usize, Vec<Splice>>,
    /// Splices before the collection.
    pub(super) outside: Vec<Splice>,
}

/// Tells the splices within each chunk from those before the collection.
pub(super) fn sorted(
    region: &Region<'_>,
    chunks: &[Span],
    by_entry: Vec<(usize, Vec<Splice>)>,
) -> Result<EntrySplices, PatchError> {
    let start = chunks.first().map_or(0, |first| first.start);
    let mut sorted = EntrySplices::default();
    for (at, splices) in by_entry {
        let chunk = &chunks[at];
        for splice in splices {
            if chunk.start <= splice.span.start && splice.span.end <= chunk.end {
                sorted.within.entry(at).or_default().push(splice);
            } else if splice.span.end <= start {
                sorted.outside.push(splice);
            } else {
                let reason = "its lines are shared with other values";
                return Err(not_in_place(region.path, &splice.span, reason));
            }
        }
    }
    Ok(sorted)
}

/// Tells whether a chunk begins with a comment or a mark.
pub(super) fn begins_with_comment(
    text: &str,
    chunks: &[Span],
    chunk: &Chunk<'_>,
    within: &HashMap<usize, Vec<Splice>>,
) -> bool {
    match chunk {
        Chunk::Own(own) => {
            let start = chunks[*own].start;
            let is_mark = |splice: &Splice| splice.span == (start..start);
            text[start..].starts_with('#')
                || within.get(own).is_some_and(|splices| splices.iter().any(is_mark))
        }
        Chunk::New(part) => matches!(part, EntryPart::Item(_, Some(_))),
    }
}

/// Adds text to the last piece.
pub(super) fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}
