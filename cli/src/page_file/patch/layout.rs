//! Extent of entries in block style, and what new ones look like beside them.

use super::emit::BlockDepth;
use super::lex::{column, comment_after, line_end, next_line, skip_blanks};
use super::syntax::{Collection, Entry, Syntax};

/// End of an entry with its comments, before the line break.
pub(super) fn tail_end(text: &str, collection: &Collection, at: usize) -> usize {
    let entry = &collection.entries[at];
    let indent = column(text, entry.start);
    let mut end = comment_after(text, entry.end()).map_or(entry.end(), |comment| comment.end);
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
pub(super) fn spaces_after_dash(text: &str, entry: &Entry) -> usize {
    let spaces = skip_blanks(text, entry.start + 1) - entry.start - 1;
    let value = &entry.value;
    if value.after_head + spaces == value.span.start { spaces.max(1) } else { 1 }
}

/// Returns the depth of block style of new values after the example of the values of a collection.
pub(super) fn value_depth(collection: &Collection) -> BlockDepth {
    let mut values = collection.entries.iter().map(|it| &it.value);
    let has_flow = values.clone().any(Syntax::is_full_flow);
    (has_flow && !values.any(Syntax::is_block_collection)).then_some(0)
}

/// Returns the depth of block style of a new item after the example of another one.
pub(super) fn item_depth(example: &Syntax) -> BlockDepth {
    if example.is_full_flow() {
        return Some(0);
    }
    value_depth(example.collection()?).map(|depth| depth + 1)
}
