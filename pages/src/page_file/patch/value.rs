//! Replacement of the value of a key or item.

use granit_parser::ScalarStyle;
use serde_json::Value;

use super::edit::{PatchError, Path, not_in_place};
use super::{Splice, Writer};
use crate::page_file::emit::is_full;
use crate::page_file::lex::{
    column, comment_after, line_end, line_start, skip_blanks, spaces_after_dash, tail_end,
};
use crate::page_file::node::{Node, Notation};

/// Returns the splice that replaces a value of a collection.
pub(super) fn splice(
    writer: &Writer<'_>,
    parent: &Node,
    value: &Node,
    new: &Value,
    path: &Path,
) -> Result<Splice, PatchError> {
    if parent.is_flow() {
        return Ok(in_flow(writer, value, new));
    }
    let layout = &value.layout;
    if let (Notation::Block(indent), Value::String(text)) = (&layout.style, new) {
        let column = indent.unwrap_or(column(writer.text, layout.start) + writer.style.map_indent);
        if let Some((header, lines)) = writer.style.block_scalar(text, column) {
            let comment = header_comment(writer, value);
            let text = format!("{header}{comment}{}{lines}", writer.style.line_break);
            return Ok(Splice { span: layout.extent.clone(), text });
        }
    }
    let splice = in_lines(writer, parent, value, new, path)?;
    Ok(splice.unwrap_or_else(|| on_one_line(writer, value, new)))
}

/// Replaces a value of a flow collection.
fn in_flow(writer: &Writer<'_>, value: &Node, new: &Value) -> Splice {
    let line = line_start(writer.text, value.layout.start);
    let first = skip_blanks(writer.text, line);
    let text = match &value.layout.style {
        Notation::Scalar(style) if !new.is_array() && !new.is_object() => {
            writer.style.scalar(new, *style, true)
        }
        // JSON is written over several lines if the object around the value is.
        _ if writer.style.is_json && line > 0 && first == value.layout.start => {
            writer.style.flow(new, Some(&writer.text[line..first]))
        }
        _ => writer.style.flow(new, None),
    };
    let space = if value.layout.style == Notation::Empty { " " } else { "" };
    Splice { span: value.layout.extent.clone(), text: format!("{space}{text}") }
}

/// Replaces a value of a block collection by one on the line of its key.
fn on_one_line(writer: &Writer<'_>, value: &Node, new: &Value) -> Splice {
    let style = match value.layout.style {
        Notation::Scalar(style) => style,
        _ => ScalarStyle::Plain,
    };
    let text = match new {
        Value::Array(_) | Value::Object(_) => writer.style.flow(new, None),
        scalar => writer.style.scalar(scalar, style, false),
    };
    let (after_head, extent) = (value.layout.after_head, value.layout.extent.clone());
    let (span, text) = match value.layout.style {
        Notation::Empty => (extent, format!(" {text}")),
        Notation::Block(..) => (extent, text + &header_comment(writer, value)),
        Notation::Collection { is_flow: false } => {
            let comment = comment(writer, after_head);
            (after_head..tail_end(writer.text, value), format!(" {text}{comment}"))
        }
        _ => (extent, text),
    };
    Splice { span, text }
}

/// Replaces a value of a block collection by one on lines of its own: a collection, or a string of several lines.
fn in_lines(
    writer: &Writer<'_>,
    parent: &Node,
    value: &Node,
    new: &Value,
    path: &Path,
) -> Result<Option<Splice>, PatchError> {
    let (text, style) = (writer.text, &writer.style);
    let layout = &value.layout;
    let is_quoted = matches!(
        layout.style,
        Notation::Scalar(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)
    );
    let here = column(text, layout.start);
    let (header, lines, indent) = match new {
        Value::String(string) if string.contains('\n') && !is_quoted && !value.is_full_flow() => {
            // A comment below would become a line of the string.
            if tail_end(text, value) > line_end(text, layout.extent.end) {
                return Ok(None);
            }
            let indent = here + style.map_indent;
            match style.block_scalar(string, indent) {
                // These lines are indented already.
                Some((header, lines)) => (Some(header), lines, 0),
                None => return Ok(None),
            }
        }
        new if is_full(new) && !value.is_full_flow() => {
            let indent = if value.is_block() && value.is_map() == new.is_object() {
                column(text, layout.extent.start)
            } else if new.is_array() && parent.is_map() {
                here + style.list_indent
            } else {
                here + style.map_indent
            };
            (None, style.block(new, indent, None), indent)
        }
        _ => return Ok(None),
    };
    let (after_head, extent) = (layout.after_head, &layout.extent);
    let has_comment_above = text[after_head..extent.start].contains('#');
    if has_comment_above && !value.is_block() {
        return Err(not_in_place(path, extent, "there is a comment above the value"));
    }
    let (end, comment) = match &layout.style {
        Notation::Block(..) => (extent.end, header_comment(writer, value)),
        Notation::Collection { is_flow: false } => {
            (tail_end(text, value), comment(writer, after_head))
        }
        _ => (line_end(text, extent.end), comment(writer, extent.end)),
    };
    let follows_dash = !parent.is_map() && comment.is_empty() && after_head == layout.start + 1;
    let new = match header {
        Some(header) => format!(" {header}{comment}{}{lines}", style.line_break),
        None if follows_dash => {
            style.block_item(new, here, spaces_after_dash(text, value), None).split_off(1)
        }
        None => format!("{comment}{}{}{lines}", style.line_break, " ".repeat(indent)),
    };
    Ok(Some(Splice { span: after_head..end, text: new }))
}

/// Comment on the line of the header of a block scalar, with the space before it.
fn header_comment(writer: &Writer<'_>, value: &Node) -> String {
    let start = value.layout.extent.start;
    let indicators = writer.text[start..line_end(writer.text, start)].find(char::is_whitespace);
    indicators.map(|length| comment(writer, start + length)).unwrap_or_default()
}

/// Comment that follows a place on its line, with one space before it.
fn comment(writer: &Writer<'_>, at: usize) -> String {
    match comment_after(writer.text, at) {
        Some(span) => format!(" {}", writer.text[span].trim()),
        None => String::new(),
    }
}
