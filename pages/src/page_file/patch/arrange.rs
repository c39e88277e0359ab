//! Rearrangement of a list or mapping.
//!
//! In block style, an entry is cut out with the comment lines directly above it, the comment at its end, and the comments below it that are
//! indented deeper than it. Comments at the start of the file belong to the file. A collection in flow style with comments between its entries is not
//! rearranged.

use std::collections::HashMap;

use serde_json::Value;

use super::changes::EntryPart;
use super::edit::{MarkedConflict, PatchError, Path, SHARED_LINES, mark_line, not_in_place};
use super::{Splice, Writer};
use crate::page_file::emit::{is_full, item_depth, value_depth};
use crate::page_file::lex::{
    column, comments_above, is_blank, line_start, skip_blanks, spaces_after_dash, tail_end,
};
use crate::page_file::node::{Node, Span};

/// Collection whose entries are rearranged.
pub(super) struct Region<'t> {
    /// Text around it.
    pub(super) writer: &'t Writer<'t>,
    /// Collection.
    pub(super) node: &'t Node,
    /// Path of the collection.
    pub(super) path: &'t Path,
}

/// Returns the splices for entries in another order, some of them new. The gap before an entry, which has the comments that belong to none, stays
/// where it is when entries move; a blank gap goes with a neighbor that goes.
pub(super) fn block_rearranged(
    region: &Region<'_>,
    parts: &[EntryPart<'_>],
    by_entry: Vec<(usize, Vec<Splice>)>,
) -> Result<Vec<Splice>, PatchError> {
    let Region { writer, node, .. } = region;
    let (text, line_break) = (writer.text, writer.style.line_break);
    let chunks = chunks(region);
    let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else { return Ok(Vec::new()) };
    let indent = node.child(0).map_or(0, |first| column(text, first.layout.start));
    let gap = |at: usize| &text[chunks[at - 1].end..line_start(text, chunks[at].start)];
    let has_blank_lines = chunks.len() > 1 + usize::from(node.is_map())
        && (1..chunks.len()).all(|at| gap(at).matches('\n').count() > 1);
    let default_gap = line_break.repeat(1 + usize::from(has_blank_lines));
    let prefix = |at: usize| {
        let start = chunks[at].start;
        let before = &text[line_start(text, start)..start];
        if is_blank(before) { before.to_owned() } else { " ".repeat(indent) }
    };
    let start = line_start(text, first.start);
    let shares_line = !is_blank(&text[start..first.start]);
    let start = if shares_line { text[..first.start].trim_end_matches(' ').len() } else { start };

    let (mut within, mut splices) = sorted(region.path, &chunks, by_entry)?;
    let (mut new, mut next_gap) = (String::new(), 1_usize);
    for (nth, part) in parts.iter().enumerate() {
        let end = match part {
            EntryPart::Own { at, is_moved: false } => next_gap.max(at + 1),
            _ => next_gap,
        };
        let all: Vec<&str> = (next_gap..end).map(gap).collect();
        next_gap = end;
        let mut gaps: Vec<&str> = all.iter().copied().filter(|gap| !is_blank(gap)).collect();
        if gaps.is_empty() && nth > 0 {
            gaps.push(all.last().copied().unwrap_or(&default_gap));
        }
        let above = joined(&gaps, nth == 0);
        let is_commented = !above.is_empty() || begins_with_comment(text, &chunks, part, &within);
        let prefix = match part {
            _ if shares_line && nth == 0 && !is_commented => text[start..first.start].to_owned(),
            EntryPart::Own { at, .. } => prefix(*at),
            _ => " ".repeat(indent),
        };
        // A comment must not share the line of the dash, where it would not be a mark.
        new += if shares_line && nth == 0 && is_commented { line_break } else { "" };
        new += &above;
        new += &prefix;
        new += &match part {
            EntryPart::Own { at, .. } => {
                writer.render(chunks[*at].clone(), within.remove(at).unwrap_or_default())?
            }
            EntryPart::Item(value, conflict) => block_item(region, value, *conflict, indent),
            EntryPart::Key(name, value) => {
                writer.style.block_key(name, value, indent, value_depth(node))
            }
        };
    }
    let rest: Vec<&str> = (next_gap..chunks.len()).map(gap).filter(|gap| !is_blank(gap)).collect();
    let rest = joined(&rest, false);
    let rest = rest.strip_suffix('\n').unwrap_or(&rest);
    new += rest.strip_suffix('\r').unwrap_or(rest);
    splices.push(Splice { span: start..last.end, text: new });
    Ok(splices)
}

/// Returns the spans of all entries with their comments, without indentation and line break.
fn chunks(region: &Region<'_>) -> Vec<Span> {
    let Region { writer, node, path } = region;
    let mut end = node.layout.after_head;
    let chunk = |(at, value): (usize, &Node)| {
        let is_first_of_file = at == 0 && path.0.is_empty();
        let entry = value.layout.start;
        let start = if is_first_of_file { entry } else { comments_above(writer.text, end, entry) };
        end = tail_end(writer.text, value);
        start..end
    };
    node.children().enumerate().map(chunk).collect()
}

/// Joins gaps, each of which begins and ends with a line break, of which one is enough between two. At the start, there is no line to end.
fn joined(gaps: &[&str], is_start: bool) -> String {
    let mut out = String::new();
    for (nth, &gap) in gaps.iter().enumerate() {
        let below = gap.trim_start_matches('\r');
        out += match nth {
            0 if is_start => gap.trim_start_matches(['\r', '\n']),
            0 => gap,
            _ => below.strip_prefix('\n').unwrap_or(below),
        };
    }
    out
}

/// Returns a new item with its mark.
fn block_item(
    region: &Region<'_>,
    value: &Value,
    conflict: Option<&MarkedConflict>,
    indent: usize,
) -> String {
    let Region { writer, node, path } = region;
    let mark = conflict.map(|conflict| {
        let line = mark_line(&(*path).clone().item(0), conflict);
        format!("{line}{}{}", writer.style.line_break, " ".repeat(indent))
    });
    let example = node.child(0);
    let spaces = example.map_or(1, |it| spaces_after_dash(writer.text, it));
    let depth = example.and_then(item_depth);
    let item = writer.style.block_item(value, indent, spaces, depth);
    mark.unwrap_or_default() + &item
}

/// Returns the splices for entries in another order, some of them new. An entry keeps the white space before it.
pub(super) fn flow_rearranged(
    region: &Region<'_>,
    parts: &[EntryPart<'_>],
    by_entry: Vec<(usize, Vec<Splice>)>,
) -> Result<Vec<Splice>, PatchError> {
    let Region { writer, node, path } = region;
    let (text, extent) = (writer.text, &node.layout.extent);
    let span = |value: &Node| value.layout.start..value.layout.extent.end;
    let entries: Vec<Span> = node.children().map(span).collect();
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return Ok(Vec::new());
    };
    let starts = entries.iter().map(|entry| entry.start).chain([extent.end]);
    let ends = [extent.start].into_iter().chain(entries.iter().map(|entry| entry.end));
    if ends.zip(starts).any(|(end, start)| text[end..start].contains('#')) {
        return Err(not_in_place(path, extent, "there are comments between its entries"));
    }
    let gap = |at: usize| {
        let gap = &text[entries[at - 1].end..entries[at].start];
        gap.trim_start().strip_prefix(',').unwrap_or(gap)
    };
    let default_gap = if entries.len() > 1 { gap(1).to_owned() } else { gap_of_first(region) };
    let (mut within, mut splices) = sorted(region.path, &entries, by_entry)?;
    let mut new = String::new();
    for (nth, part) in parts.iter().enumerate() {
        let gap = match part {
            _ if nth == 0 => &text[extent.start..first.start],
            EntryPart::Own { at, .. } if *at > 0 => gap(*at),
            _ => &default_gap,
        };
        if nth > 0 {
            new += ",";
            new += gap;
        }
        new += &match part {
            EntryPart::Own { at, .. } => {
                let is_marked = begins_with_comment(text, &entries, part, &within);
                if is_marked && !gap.contains('\n') {
                    return Err(not_in_place(path, extent, SHARED_LINES));
                }
                writer.render(entries[*at].clone(), within.remove(at).unwrap_or_default())?
            }
            EntryPart::Item(value, _) => flow_value(region, value, &default_gap),
            EntryPart::Key(name, value) => {
                writer.style.key(name, true) + ": " + &flow_value(region, value, &default_gap)
            }
        };
    }
    splices.push(Splice { span: first.start..last.end, text: new });
    Ok(splices)
}

/// Returns the white space before a new entry beside a single one.
fn gap_of_first(region: &Region<'_>) -> String {
    let Region { writer, node, .. } = region;
    let text = writer.text;
    let line = node.child(0).map_or(0, |first| line_start(text, first.layout.start));
    if line > node.layout.extent.start {
        return format!("{}{}", writer.style.line_break, &text[line..skip_blanks(text, line)]);
    }
    " ".to_owned()
}

/// Returns a new value after this white space.
fn flow_value(region: &Region<'_>, value: &Value, gap: &str) -> String {
    let Region { writer: Writer { text, style, .. }, node, .. } = region;
    let pad = gap.rfind('\n').map(|line| &gap[line + 1..]);
    style.flow(value, pad.filter(|_| style.is_json && is_full(value) && spans_lines(text, node)))
}

/// Tells whether the values of a collection that have entries are written over several lines; true if there are none.
fn spans_lines(text: &str, node: &Node) -> bool {
    let full = node.children().find(|it| it.is_full_flow());
    full.is_none_or(|it| text[it.layout.extent.clone()].contains('\n'))
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
