//! Order of the entries of a rearranged collection, with what is between them: blank lines and comments that belong to no entry.

use std::collections::HashMap;

use super::changes::EntryPart;
use super::edit::{PatchError, not_in_place};
use super::splice::{Piece, Region, Splice};
use crate::page_file::node::Span;

/// Entries in their order, each with the gaps before it.
#[derive(Debug)]
pub(super) struct Sequence<'c> {
    /// Entries with the gaps before them.
    pub(super) parts: Vec<(Vec<usize>, &'c EntryPart<'c>)>,
    /// Gaps after the last entry.
    pub(super) rest: Vec<usize>,
}

impl<'c> Sequence<'c> {
    /// Orders entries and gaps. Gap N is that before the entry N of the text; it stays where it is when entries move. A blank gap goes with
    /// a neighbour that went.
    pub(super) fn of(
        parts: &'c [EntryPart<'c>],
        length: usize,
        is_blank: impl Fn(usize) -> bool,
    ) -> Self {
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
        Self { parts: ordered, rest }
    }
}

/// Tells the splices within each entry, which has its comments in its chunk, from those before the collection.
pub(super) fn sorted(
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
                let reason = "its lines are shared with other values";
                return Err(not_in_place(region.path, &splice.span, reason));
            }
        }
    }
    Ok(within)
}

/// Tells whether an entry begins with a comment or a mark.
pub(super) fn begins_with_comment(
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
pub(super) fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}
