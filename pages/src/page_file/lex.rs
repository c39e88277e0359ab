//! White space, comments and lines between the values of a document.

use super::node::{Node, Span};

/// Returns the place of the next character that is neither white space nor in a comment.
pub(super) fn skip_trivia(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at = line_end(text, at),
            _ => break,
        }
    }
    at
}

/// Returns the place of the next character that is neither a space nor a tab.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Start of the line of a place.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |before| before + 1)
}

/// End of the line of a place, before its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    if end > at && text.as_bytes()[end - 1] == b'\r' && end < text.len() { end - 1 } else { end }
}

/// Start of the line below that of a place.
pub(super) fn next_line(text: &str, at: usize) -> Option<usize> {
    text[at..].find('\n').map(|length| at + length + 1)
}

/// Column of a place in characters, counted from 0.
pub(super) fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].chars().count()
}

/// Span of the comment that follows a place on its line, with the white space before it.
pub(super) fn comment_after(text: &str, at: usize) -> Option<Span> {
    let start = skip_blanks(text, at);
    (text.as_bytes().get(start) == Some(&b'#')).then(|| at..line_end(text, start))
}

/// Tells whether a text holds no comment.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim_ascii().is_empty()
}

/// Returns the start of the first of the comment lines directly above a place. The lines begin at `from` or later, and the place is the
/// first on its line.
pub(super) fn comments_above(text: &str, from: usize, at: usize) -> usize {
    let mut start = at;
    let mut line = text[..at].trim_end_matches([' ', '\t']).len();
    if line < from || line > 0 && !text[..line].ends_with('\n') {
        return at;
    }
    while line > from {
        let above = line_start(text, line - 1);
        let comment = skip_blanks(text, above);
        if above < from || text.as_bytes().get(comment) != Some(&b'#') {
            break;
        }
        (start, line) = (comment, above);
    }
    start
}

/// End of an entry of a block collection with its comments, before the line break.
pub(super) fn tail_end(text: &str, value: &Node) -> usize {
    let indent = column(text, value.layout.start);
    let end = value.layout.extent.end;
    let mut end = comment_after(text, end).map_or(end, |comment| comment.end);
    let mut line = next_line(text, end);
    while let Some(start) = line {
        let first = skip_blanks(text, start);
        match text.as_bytes().get(first) {
            Some(b'#') if column(text, first) > indent => end = line_end(text, first),
            Some(b'\r' | b'\n') => {}
            _ => break,
        }
        line = next_line(text, first);
    }
    end
}

/// Number of spaces between a dash and the value that follows it on its line; one if there is none.
pub(super) fn spaces_after_dash(text: &str, item: &Node) -> usize {
    let dash = item.layout.start;
    let spaces = skip_blanks(text, dash + 1) - dash - 1;
    let is_beside = item.layout.after_head + spaces == item.layout.extent.start;
    if is_beside { spaces.max(1) } else { 1 }
}
