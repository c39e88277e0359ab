//! Places in a filter, for messages.

use jaq_core::load::lex::{Lexer, Tok};

/// Maximum number of characters of a message that are shown.
const MOST_SHOWN: usize = 120;
/// Maximum number of characters of the filter that are shown for the place of a mistake.
const MOST_FOUND: usize = 20;

/// Returns "at `foo` (character 3)" for the rest of a filter.
pub(super) fn at(code: &str, rest: &str) -> String {
    let begin = rest.lines().next().unwrap_or_default().trim_end();
    if begin.is_empty() {
        return "at the end of the filter".to_owned();
    }
    let found: String = begin.chars().take(MOST_FOUND).collect();
    let cut = &rest[..found.len()];
    format!("at {}", named(code, cut))
}

/// Returns "`foo` (character 3)" for a part of a filter.
pub(super) fn named(code: &str, part: &str) -> String {
    let offset = (part.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
    match offset.and_then(|offset| code.get(..offset)) {
        Some(before) => format!("`{part}` ({})", position(code, before)),
        None => format!("`{part}`"),
    }
}

/// Returns the position after a beginning of a filter, with the line if there are several.
fn position(code: &str, before: &str) -> String {
    let line = before.split('\n').next_back().unwrap_or_default();
    let character = format!("character {}", line.chars().count() + 1);
    if code.trim_end().contains('\n') {
        format!("line {}, {character}", before.matches('\n').count() + 1)
    } else {
        character
    }
}

/// Returns the beginnings of a filter that end before a `|`, and the step that each of them ends with; the last is the whole filter.
pub(super) fn steps(code: &str) -> Vec<(&str, &str)> {
    let tokens = Lexer::new(code).lex().unwrap_or_default();
    let bars = tokens.iter().filter(|it| matches!(it.1, Tok::Sym) && it.0 == "|");
    let ends = bars.map(|bar| bar.0.as_ptr() as usize - code.as_ptr() as usize);
    let mut start = 0;
    let step = |end| {
        let step = code[start..end].trim();
        start = end + 1;
        (&code[..end], step)
    };
    ends.chain([code.len()]).map(step).collect()
}

/// Shortens a message that quotes values of any length: its beginning, and its end, which says what was done with the value.
pub(super) fn shortened(why: &str) -> String {
    let length = why.chars().count();
    if length <= MOST_SHOWN {
        return why.to_owned();
    }
    let begin = why.chars().take(MOST_SHOWN * 2 / 3);
    let end = why.chars().skip(length - MOST_SHOWN / 3);
    begin.chain(['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_by_its_text_and_its_position() {
        let code = ".[]\n| фу";
        assert_eq!(at(code, &code[6..]), "at `фу` (line 2, character 3)");
        assert_eq!(at(".a | b", &".a | b"[..0]), "at the end of the filter");
        let code = ".a | b";
        assert_eq!(at(code, &code[5..]), "at `b` (character 6)");
    }

    #[test]
    fn steps_are_divided_by_the_bars_outside_of_brackets() {
        let steps: Vec<_> = steps(".[] | map(.a | .b) | \"x|\\(1 | 2)\"");
        let steps: Vec<_> = steps.into_iter().map(|it| it.1).collect();
        assert_eq!(steps, [".[]", "map(.a | .b)", "\"x|\\(1 | 2)\""]);
        assert_eq!(super::steps(".a"), [(".a", ".a")]);
    }

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_end() {
        let why = format!("cannot index [{}] with \"title\"", "1,".repeat(500));
        let short = shortened(&why);
        assert!(short.starts_with("cannot index [1,") && short.ends_with("] with \"title\""));
        assert_eq!(short.chars().count(), MOST_SHOWN + 1);
        assert_eq!(shortened("no"), "no");
    }
}
