//! Formatting of values for lines of limited width.

use console::truncate_str;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use links_pages::sanitize;

/// Number of characters of a long string to show before the first difference.
const LEAD: usize = 12;

/// Formats a value as human-readable text, on one line and sanitized.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", one_line(text)),
        other => sanitize::line(&other.to_string()).into_owned(),
    }
}

/// Formats two values of which one replaces the other. A difference of line breaks at the end is visible.
pub(super) fn values(old: &Value, new: &Value) -> (String, String) {
    match (value(old), value(new), old.as_str(), new.as_str()) {
        (shown, also, Some(old), Some(new)) if shown == also => {
            (format!("\"{}\"", escaped(old)), format!("\"{}\"", escaped(new)))
        }
        (old, new, ..) => (old, new),
    }
}

/// Formats a text on one line; line breaks become `\n`, and those at the end are left out.
fn one_line(text: &str) -> String {
    escaped(text.trim_end_matches(['\r', '\n']))
}

fn escaped(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\n', "\\n").replace('\t', "\\t");
    sanitize::line(&text).into_owned()
}

/// Cuts a text to the available width.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    format!("{}…", truncate_str(text, room.saturating_sub(1), "").trim_end())
}

/// Shortens two versions of a value so that their first difference is visible.
pub(super) fn pair(old: &str, new: &str, room: usize) -> (String, String) {
    if old.width() <= room && new.width() <= room {
        return (old.to_owned(), new.to_owned());
    }
    let alike = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let start = if alike <= 2 * LEAD { 0 } else { word_start(new, alike) };
    (window(old, start, room), window(new, start, room))
}

/// Start of the first word shortly before a place, or else a fixed number of characters before it.
fn word_start(text: &str, place: usize) -> usize {
    let from = place - LEAD;
    let before: Vec<char> = text.chars().skip(from).take(LEAD).collect();
    before.iter().position(|c| *c == ' ').map_or(from, |at| from + at + 1)
}

/// Part of a text from a place on that fits.
fn window(text: &str, start: usize, room: usize) -> String {
    if start == 0 {
        return cut(text, room);
    }
    let rest: String = text.chars().skip(start).collect();
    cut(&format!("…{rest}"), room)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_strings_are_shortened_around_their_difference() {
        let old = "\"We open at 8 every day. Dogs, laptops and long conversations are welcome.\"";
        let new = old.replace("long", "short");
        assert_eq!(
            pair(old, &new, 30),
            ("…and long conversations are w…".into(), "…and short conversations are…".into())
        );
        assert_eq!(pair(old, &new, 80), (old.to_owned(), new.clone()));
        let (old, new) = pair(old, "\"We open\"", 20);
        assert_eq!((old.as_str(), new.as_str()), ("\"We open at 8 every…", "\"We open\""));
    }

    #[test]
    fn a_difference_of_spaces_or_line_breaks_at_the_end_is_visible() {
        let shown = |old: &str, new: &str| values(&json!(old), &json!(new));
        assert_eq!(shown("Menu", "Menu  "), ("\"Menu\"".into(), "\"Menu  \"".into()));
        assert_eq!(shown("Menu", "Menu\n"), ("\"Menu\"".into(), "\"Menu\\n\"".into()));
        assert_eq!(shown("Menu", "Card\n"), ("\"Menu\"".into(), "\"Card\"".into()));
    }

    #[test]
    fn the_width_is_counted_in_terminal_columns() {
        assert_eq!(cut("日本語のページ", 7), "日本語…");
        assert_eq!(cut("日本語のページ", 8).width(), 7);
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        for room in 0..4 {
            assert!(cut("longer", room).width() <= room.max(1));
        }
    }

    #[test]
    fn a_string_of_several_lines_is_shown_on_one_line() {
        assert_eq!(value(&json!("one\r\n\ttwo\u{1b}[31m\n")), "\"one\\n\\ttwo\\u{1b}[31m\"");
        assert_eq!(value(&json!("Menu \n")), "\"Menu \"");
        assert_eq!(value(&json!({"a": "\u{202e}"})), "{\"a\":\"\\u{202e}\"}");
    }
}
