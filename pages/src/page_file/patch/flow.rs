//! Rearrangement of a list or mapping in flow style, JSON among them.
//!
//! An entry is cut out with the comment lines directly above it, and the comment at the end of its line.

use super::changes::EntryPart;
use super::edit::{PatchError, not_in_place};
use super::splice::{Piece, Region, Splice, begins_with_comment, push_text, sequence, sorted};
use crate::page_file::emit::is_full;
use crate::page_file::lex::{
    comment_after, comments_above, is_blank, line_start, skip_blanks, skip_trivia,
};
use crate::page_file::node::{Node, Span};

/// Entry with the comments above it, and the comment after its comma.
struct Entries {
    main: Vec<Span>,
    tails: Vec<Span>,
    has_last_comma: bool,
}

/// Returns the splices for entries in another order, some of them new.
pub(super) fn rearranged(
    region: &Region<'_>,
    parts: &[EntryPart<'_>],
    by_entry: Vec<(usize, Vec<Splice>)>,
) -> Result<Vec<Splice>, PatchError> {
    let Region { writer, node, .. } = region;
    let (text, extent) = (writer.text, &node.layout.extent);
    let entries = entries(region)?;
    let (Some(first), Some(last)) = (entries.main.first(), entries.tails.last()) else {
        return Ok(Vec::new());
    };
    let gap = |at: usize| &text[entries.tails[at - 1].end..entries.main[at].start];
    let default_gap = default_gap(region, &entries);
    let (ordered, rest_gaps) = sequence(parts, entries.main.len(), |at| is_blank(gap(at)));

    let mut splices = Vec::new();
    let mut within = sorted(region, &entries.main, by_entry, &mut splices)?;
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
            && begins_with_comment(text, &entries.main, part, &within)
            && (at > 0 || !text[extent.start..first.start].contains('\n'))
        {
            end_line(&mut pieces, region, entries.main[*own].start);
        }
        let has_comma = at + 1 < ordered.len() || entries.has_last_comma;
        is_commented = false;
        match part {
            EntryPart::Own { at: own, .. } => {
                let splices = within.remove(own).unwrap_or_default();
                pieces.push(Piece::Copy(entries.main[*own].clone(), splices));
                push_text(&mut pieces, if has_comma { "," } else { "" });
                let tail = &text[entries.tails[*own].clone()];
                is_commented = !tail.is_empty();
                push_text(&mut pieces, tail);
            }
            part => {
                push_text(&mut pieces, &new_entry(region, part, &default_gap));
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

/// Finds the entries with their comments and commas.
fn entries(region: &Region<'_>) -> Result<Entries, PatchError> {
    let Region { writer, node, path } = region;
    let text = writer.text;
    let mut found = Entries { main: Vec::new(), tails: Vec::new(), has_last_comma: false };
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
        found.has_last_comma = text.as_bytes().get(next) == Some(&b',');
        let after = if found.has_last_comma { next + 1 } else { end };
        let tail = comment_after(text, after).unwrap_or(after..after);
        before = tail.end;
        found.main.push(start..end);
        found.tails.push(tail);
    }
    Ok(found)
}

/// Returns the text after a comma before a new entry.
fn default_gap(region: &Region<'_>, entries: &Entries) -> String {
    let Region { writer, node, .. } = region;
    let text = writer.text;
    let gaps = (1..entries.main.len()).map(|at| entries.tails[at - 1].end..entries.main[at].start);
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

fn new_entry(region: &Region<'_>, part: &EntryPart<'_>, gap: &str) -> String {
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
