//! Replacement of the value of a key or item.

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::context::{Writer, not_in_place};
use super::edit::Path;
use super::emit::is_full;
use super::error::PatchError;
use super::layout::{spaces_after_dash, tail_end};
use super::lex::{column, comment_after, line_end, line_start, skip_blanks};
use super::splice::Splice;
use super::syntax::{Collection, Entry, Kind};
use crate::page_file::node::Span;

/// Returns the splice that replaces the value of an entry.
pub(super) fn splice(
    writer: &Writer<'_>,
    collection: &Collection,
    at: usize,
    new: &Value,
    path: &Path,
) -> Result<Splice, PatchError> {
    let entry = &collection.entries[at];
    if collection.is_flow {
        return Ok(in_flow(writer, entry, new));
    }
    let value = &entry.value;
    if let (Kind::Block(style, indent), Value::String(text)) = (&value.kind, new) {
        let column = indent.unwrap_or(column(writer.text, entry.start) + writer.style.map_indent);
        if let Some((header, lines)) = writer.style.block_scalar(text, *style, column) {
            let comment = header_comment(writer, entry);
            let text = format!("{header}{comment}{}{lines}", writer.style.line_break);
            return Ok(Splice::new(value.span.clone(), text));
        }
    }
    match in_lines(writer, collection, at, new, path)? {
        Some(splice) => Ok(splice),
        None => Ok(on_one_line(writer, collection, at, new)),
    }
}

/// Replaces a value of a flow collection.
fn in_flow(writer: &Writer<'_>, entry: &Entry, new: &Value) -> Splice {
    let value = &entry.value;
    let text = match &value.kind {
        Kind::Scalar(style) => match new {
            Value::Array(_) | Value::Object(_) => json_or_flow(writer, entry, new),
            scalar => writer.style.scalar(scalar, *style, true),
        },
        _ => json_or_flow(writer, entry, new),
    };
    if !matches!(value.kind, Kind::Empty) {
        return Splice::new(value.span.clone(), text);
    }
    Splice::new(value.span.clone(), format!("{}{text}", if entry.lacks_colon { ": " } else { " " }))
}

/// Writes a value of a flow collection; in JSON over several lines if the object around it is.
fn json_or_flow(writer: &Writer<'_>, entry: &Entry, new: &Value) -> String {
    let line = line_start(writer.text, entry.start);
    let first = skip_blanks(writer.text, line);
    if writer.style.is_json && line > 0 && first == entry.start {
        return writer.style.pretty(new, &writer.text[line..first]);
    }
    writer.style.flow(new)
}

/// Replaces a value of a block collection by one on the line of its key.
fn on_one_line(writer: &Writer<'_>, collection: &Collection, at: usize, new: &Value) -> Splice {
    let entry = &collection.entries[at];
    let value = &entry.value;
    let text = match (&value.kind, new) {
        (Kind::Scalar(style), scalar) if !is_full(scalar) => {
            writer.style.scalar(scalar, *style, false)
        }
        (_, Value::Array(_) | Value::Object(_)) => writer.style.flow(new),
        (_, scalar) => writer.style.scalar(scalar, ScalarStyle::Plain, false),
    };
    match value.kind {
        Kind::Empty => Splice::new(value.span.clone(), format!(" {text}")),
        Kind::Block(..) => {
            Splice::new(value.span.clone(), format!("{text}{}", header_comment(writer, entry)))
        }
        Kind::Collection(Collection { is_flow: false, .. }) => {
            let comment = comment(writer, value.after_head);
            let end = tail_end(writer.text, collection, at);
            Splice::new(value.after_head..end, format!(" {text}{comment}"))
        }
        _ => Splice::new(value.span.clone(), text),
    }
}

/// Replaces a value of a block collection by one on lines of its own: a collection, or a string of several lines.
fn in_lines(
    writer: &Writer<'_>,
    collection: &Collection,
    at: usize,
    new: &Value,
    path: &Path,
) -> Result<Option<Splice>, PatchError> {
    let (text, style) = (writer.text, &writer.style);
    let entry = &collection.entries[at];
    let value = &entry.value;
    let is_quoted =
        matches!(value.kind, Kind::Scalar(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted));
    let here = column(text, entry.start);
    let (header, lines, indent) = match new {
        Value::String(string) if string.contains('\n') && !is_quoted && !value.is_full_flow() => {
            // A comment below would become a line of the string.
            if tail_end(text, collection, at) > line_end(text, value.span.end) {
                return Ok(None);
            }
            let indent = here + style.map_indent;
            match style.block_scalar(string, ScalarStyle::Literal, indent) {
                // These lines are indented already.
                Some((header, lines)) => (Some(header), lines, 0),
                None => return Ok(None),
            }
        }
        new if is_full(new) && !value.is_full_flow() => {
            let indent = match (value.collection(), new) {
                (Some(old), new) if !old.is_flow && old.is_map == new.is_object() => {
                    column(text, value.span.start)
                }
                (_, Value::Array(_)) if collection.is_map => here + style.list_indent,
                _ => here + style.map_indent,
            };
            (None, style.block(new, indent, None), indent)
        }
        _ => return Ok(None),
    };
    let after_head = value.after_head;
    let (end, comment) = match &value.kind {
        Kind::Block(..) => {
            if text[after_head..value.span.start].contains('#') {
                let reason = "there is a comment above the value";
                return Err(not_in_place(path, &value.span, reason));
            }
            (value.span.end, header_comment(writer, entry))
        }
        Kind::Collection(Collection { is_flow: false, .. }) => {
            (tail_end(text, collection, at), comment(writer, after_head))
        }
        Kind::Empty => (line_end(text, after_head), comment(writer, after_head)),
        _ => {
            let before = &text[after_head..value.span.start];
            let (above, after) = (comment(writer, after_head), comment(writer, value.span.end));
            let comments = before.lines().filter(|line| line.contains('#')).count();
            if comments > usize::from(!above.is_empty()) || !above.is_empty() && !after.is_empty() {
                let reason = "there are several comments beside the value";
                return Err(not_in_place(path, &value.span, reason));
            }
            (line_end(text, value.span.end), format!("{above}{after}"))
        }
    };
    let follows_dash = !collection.is_map && comment.is_empty() && after_head == entry.start + 1;
    let new = match header {
        Some(header) => format!(" {header}{comment}{}{lines}", style.line_break),
        None if follows_dash => {
            style.block_item(new, here, spaces_after_dash(text, entry), None).split_off(1)
        }
        None => format!("{comment}{}{}{lines}", style.line_break, " ".repeat(indent)),
    };
    Ok(Some(Splice::new(after_head..end, new)))
}

/// Comment on the line of the header of a block scalar, with the space before it.
fn header_comment(writer: &Writer<'_>, entry: &Entry) -> String {
    let start = entry.value.span.start;
    let header: Span = start..line_end(writer.text, start);
    let indicators = writer.text[header].find(char::is_whitespace);
    indicators.map(|length| comment(writer, start + length)).unwrap_or_default()
}

/// Comment that follows a place on its line, with one space before it.
fn comment(writer: &Writer<'_>, at: usize) -> String {
    match comment_after(writer.text, at) {
        Some(span) => format!(" {}", writer.text[span].trim()),
        None => String::new(),
    }
}
