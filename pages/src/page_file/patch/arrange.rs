//! Rearrangement of a list or mapping.
//!
//! In block style, an entry is cut out with the comment lines directly above it, the comment at its end, and the comments below it that are
//! indented deeper than it. Comments at the start of the file belong to the file. In flow style, JSON among them, an entry is cut out with the
//! comment lines directly above it, and the comment at the end of its line.

use super::changes::EntryPart;
use super::edit::{PatchError, mark_line, not_in_place};
use super::{Piece, Region, Splice, begins_with_comment, push_text, sequence, sorted};
use crate::page_file::emit::{is_full, item_depth, value_depth};
use crate::page_file::lex::{
    column, comment_after, comments_above, is_blank, line_start, skip_blanks, skip_trivia,
    spaces_after_dash, tail_end,
};
use crate::page_file::node::{Node, Span};

/// Returns the splices for entries in another order, some of them new.
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

    let (ordered, rest_gaps) = sequence(parts, chunks.len(), |at| is_blank(gap(at)));
    let prefix = |at: usize| {
        let start = chunks[at].start;
        let before = &text[line_start(text, start)..start];
        if is_blank(before) { before.to_owned() } else { " ".repeat(indent) }
    };
    let start = line_start(text, first.start);
    let shares_line = !is_blank(&text[start..first.start]);
    let start = if shares_line { text[..first.start].trim_end_matches(' ').len() } else { start };

    let mut splices = Vec::new();
    let mut within = sorted(region, &chunks, by_entry, &mut splices)?;
    let mut pieces = Vec::new();
    for (at, (gaps, part)) in ordered.iter().enumerate() {
        if gaps.is_empty() && at > 0 {
            push_text(&mut pieces, &default_gap);
        }
        let above = joined(gaps.iter().map(|at| gap(*at)), at == 0);
        let is_commented = !above.is_empty() || begins_with_comment(text, &chunks, part, &within);
        let prefix = match part {
            _ if shares_line && at == 0 && !is_commented => text[start..first.start].to_owned(),
            EntryPart::Own { at, .. } => prefix(*at),
            _ => " ".repeat(indent),
        };
        // A comment must not share the line of the dash, where it would not be a mark.
        push_text(
            &mut pieces,
            if shares_line && at == 0 && is_commented { line_break } else { "" },
        );
        push_text(&mut pieces, &above);
        push_text(&mut pieces, &prefix);
        match part {
            EntryPart::Own { at, .. } => {
                let splices = within.remove(at).unwrap_or_default();
                pieces.push(Piece::Copy(chunks[*at].clone(), splices));
            }
            part => push_text(&mut pieces, &block_entry(region, part, indent)),
        }
    }
    let rest = joined(rest_gaps.iter().map(|at| gap(*at)), false);
    let rest = rest.strip_suffix('\n').unwrap_or(&rest);
    push_text(&mut pieces, rest.strip_suffix('\r').unwrap_or(rest));
    splices.push(Splice { span: start..last.end, pieces });
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
fn joined<'t>(gaps: impl Iterator<Item = &'t str>, is_start: bool) -> String {
    let mut out = String::new();
    for gap in gaps {
        if is_start && out.is_empty() {
            out.push_str(gap.trim_start_matches(['\r', '\n']));
        } else if out.is_empty() {
            out.push_str(gap);
        } else {
            let gap = gap.strip_prefix('\r').unwrap_or(gap);
            out.push_str(gap.strip_prefix('\n').unwrap_or(gap));
        }
    }
    out
}

fn block_entry(region: &Region<'_>, part: &EntryPart<'_>, indent: usize) -> String {
    let Region { writer, node, path } = region;
    match part {
        EntryPart::Item(value, conflict) => {
            let mark = conflict.map(|conflict| {
                let line = mark_line(&(*path).clone().item(0), conflict);
                format!("{line}{}{}", writer.style.line_break, " ".repeat(indent))
            });
            let example = node.child(0);
            let spaces = example.map_or(1, |it| spaces_after_dash(writer.text, it));
            let depth = example.and_then(item_depth);
            let item = writer.style.block_item(value, indent, spaces, depth);
            format!("{}{item}", mark.unwrap_or_default())
        }
        EntryPart::Key(name, value) => {
            writer.style.block_key(name, value, indent, value_depth(node))
        }
        EntryPart::Own { .. } => String::new(),
    }
}

/// Returns the splices for entries in another order, some of them new.
pub(super) fn flow_rearranged(
    region: &Region<'_>,
    parts: &[EntryPart<'_>],
    by_entry: Vec<(usize, Vec<Splice>)>,
) -> Result<Vec<Splice>, PatchError> {
    let Region { writer, node, .. } = region;
    let (text, extent) = (writer.text, &node.layout.extent);
    let (main, tails, has_last_comma) = entries(region)?;
    let (Some(first), Some(last)) = (main.first(), tails.last()) else {
        return Ok(Vec::new());
    };
    let gap = |at: usize| &text[tails[at - 1].end..main[at].start];
    let default_gap = default_gap(region, &main, &tails);
    let (ordered, rest_gaps) = sequence(parts, main.len(), |at| is_blank(gap(at)));

    let mut splices = Vec::new();
    let mut within = sorted(region, &main, by_entry, &mut splices)?;
    let mut pieces = Vec::new();
    let mut is_commented = false;
    for (at, (gaps, part)) in ordered.iter().enumerate() {
        let gap: String = match gaps[..] {
            [] if at == 0 => String::new(),
            [] => default_gap.clone(),
            _ => gaps.iter().map(|at| gap(*at)).collect(),
        };
        push_text(&mut pieces, &apart(region, is_commented, gap));
        if let EntryPart::Own { at: own, .. } = part
            && begins_with_comment(text, &main, part, &within)
            && (at > 0 || !text[extent.start..first.start].contains('\n'))
        {
            end_line(&mut pieces, region, main[*own].start);
        }
        let has_comma = at + 1 < ordered.len() || has_last_comma;
        is_commented = false;
        match part {
            EntryPart::Own { at: own, .. } => {
                let splices = within.remove(own).unwrap_or_default();
                pieces.push(Piece::Copy(main[*own].clone(), splices));
                push_text(&mut pieces, if has_comma { "," } else { "" });
                let tail = &text[tails[*own].clone()];
                is_commented = !tail.is_empty();
                push_text(&mut pieces, tail);
            }
            part => {
                push_text(&mut pieces, &flow_entry(region, part, &default_gap));
                push_text(&mut pieces, if has_comma { "," } else { "" });
            }
        }
    }
    let rest: String = rest_gaps.iter().map(|at| gap(*at)).collect();
    let rest = if rest.is_empty() && text[last.end..extent.end].contains('\n') {
        rest
    } else {
        apart(region, is_commented, rest)
    };
    push_text(&mut pieces, &rest);
    splices.push(Splice { span: first.start..last.end, pieces });
    Ok(splices)
}

/// Finds the entries with the comments above them, the comments after their commas, and whether a comma follows the last one.
fn entries(region: &Region<'_>) -> Result<(Vec<Span>, Vec<Span>, bool), PatchError> {
    let Region { writer, node, path } = region;
    let text = writer.text;
    let (mut main, mut tails, mut has_comma) = (Vec::new(), Vec::new(), false);
    let mut before = node.layout.extent.start + 1;
    for value in node.children() {
        // A comment after the bracket belongs to the collection.
        let from = comment_after(text, before).map_or(before, |comment| comment.end);
        let start = comments_above(text, from, value.layout.start);
        let end = value.layout.extent.end;
        let next = skip_trivia(text, end);
        if !is_blank(&text[end..next]) && text.as_bytes().get(next) == Some(&b',') {
            let reason = "a comment is before the comma";
            return Err(not_in_place(path, &(end..next), reason));
        }
        has_comma = text.as_bytes().get(next) == Some(&b',');
        let after = if has_comma { next + 1 } else { end };
        let tail = comment_after(text, after).unwrap_or(after..after);
        before = tail.end;
        main.push(start..end);
        tails.push(tail);
    }
    Ok((main, tails, has_comma))
}

/// Returns the text after a comma before a new entry.
fn default_gap(region: &Region<'_>, main: &[Span], tails: &[Span]) -> String {
    let Region { writer, node, .. } = region;
    let text = writer.text;
    let gaps = (1..main.len()).map(|at| tails[at - 1].end..main[at].start);
    if let Some(gap) = gaps.map(|gap| &text[gap]).find(|gap| is_blank(gap)) {
        return gap.to_owned();
    }
    let line = line_of_first(region);
    if line > node.layout.extent.start {
        return format!("{}{}", writer.style.line_break, &text[line..skip_blanks(text, line)]);
    }
    if writer.style.is_tight { String::new() } else { " ".to_owned() }
}

/// Returns a gap that begins with a line break, if it follows a comment.
fn apart(region: &Region<'_>, is_commented: bool, gap: String) -> String {
    if !is_commented || gap.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
        return gap;
    }
    let Region { writer, .. } = region;
    let line = line_of_first(region);
    let indent = skip_blanks(writer.text, line) - line;
    format!("{}{}{gap}", writer.style.line_break, " ".repeat(indent.max(1)))
}

/// Start of the line of the first entry.
fn line_of_first(region: &Region<'_>) -> usize {
    region.node.child(0).map_or(0, |first| line_start(region.writer.text, first.layout.start))
}

/// Begins a line for a comment, indented as that of a place, if there is text on the last one.
fn end_line(pieces: &mut [Piece], region: &Region<'_>, place: usize) {
    let Region { writer, .. } = region;
    if let Some(Piece::Text(last)) = pieces.last_mut()
        && !last.rsplit('\n').next().is_some_and(|line| last.contains('\n') && is_blank(line))
    {
        last.truncate(last.trim_end_matches(' ').len());
        last.push_str(writer.style.line_break);
        last.push_str(&writer.text[line_start(writer.text, place)..place]);
    }
}

fn flow_entry(region: &Region<'_>, part: &EntryPart<'_>, gap: &str) -> String {
    let Region { writer, node, .. } = region;
    let style = &writer.style;
    let (name, value) = match part {
        EntryPart::Item(value, _) => (None, *value),
        EntryPart::Key(name, value) => (Some(*name), value),
        EntryPart::Own { .. } => return String::new(),
    };
    let value = match gap.rfind('\n') {
        Some(line) if style.is_json && is_full(value) && spans_lines(writer.text, node) => {
            style.pretty(value, &gap[line + 1..])
        }
        _ => style.flow(value),
    };
    match name {
        Some(name) => {
            format!("{}:{}{value}", style.key(name, true), if style.is_tight { "" } else { " " })
        }
        None => value,
    }
}

/// Tells whether the values of a collection that have entries are written over several lines; true if there are none.
fn spans_lines(text: &str, node: &Node) -> bool {
    let full = node.children().find(|it| it.is_full_flow());
    full.is_none_or(|it| text[it.layout.extent.clone()].contains('\n'))
}
