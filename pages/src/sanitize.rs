//! Sanitizing of human-readable text: escapes control characters, which could control the terminal, and direction marks and invisible
//! characters, which could make a text look like another one.

use std::borrow::Cow;
use std::fmt::Write;

/// Tells whether a character must not reach a terminal, including line breaks and tabs.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Sanitizes text of several lines: unsafe characters other than line breaks and tabs are escaped as `\u{..}`.
pub fn text(text: &str) -> Cow<'_, str> {
    written_out(text, |c| matches!(c, '\n' | '\t'))
}

/// Sanitizes text to one line: line breaks and tabs become a space as well.
pub fn line(text: &str) -> Cow<'_, str> {
    joined(text, &['\n', '\r', '\t'])
}

/// Sanitizes text to one line but keeps tabs, which may be the difference between two lines.
pub fn one_line(text: &str) -> Cow<'_, str> {
    joined(text, &['\n', '\r'])
}

/// Sanitizes text whose parts between `breaks` become one line.
fn joined<'t>(text: &'t str, breaks: &[char]) -> Cow<'t, str> {
    let keep = |c| c == '\t' && !breaks.contains(&c);
    if is_plain(text) || !text.contains(breaks) {
        return written_out(text, keep);
    }
    let parts: Vec<_> = text.split(breaks).filter(|part| !part.is_empty()).collect();
    Cow::Owned(written_out(&parts.join(" "), keep).into_owned())
}

/// Sanitizes formatted text of several lines: sequences that only set a style (`ESC [ .. m`) stay.
pub fn styled(formatted: &str) -> Cow<'_, str> {
    if !formatted.contains('\u{1b}') {
        return text(formatted);
    }
    let mut out = String::with_capacity(formatted.len());
    let mut parts = formatted.split('\u{1b}');
    out.push_str(&text(parts.next().unwrap_or_default()));
    for part in parts {
        let parameters = part.strip_prefix('[').unwrap_or_default();
        let rest = parameters.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        out.push_str(if rest.starts_with('m') { "\u{1b}" } else { "\\u{1b}" });
        out.push_str(&text(part));
    }
    Cow::Owned(out)
}

/// Sanitizes JSON for a terminal without changing its value: unsafe characters are written as `\uXXXX`. In JSON they occur only in strings.
pub fn json(text: &str) -> Cow<'_, str> {
    written_as(
        text,
        |c| c.is_ascii_whitespace(),
        |out, c| {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        },
    )
}

/// Quotes a text as one word for a shell. One that no shell can be given becomes `FILE`.
pub fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| "FILE".to_owned(), Into::into)
}

/// Tells whether a text has only printable ASCII characters, each of which takes one column and is safe.
pub fn is_plain(text: &str) -> bool {
    // A whole chunk at once: without an end at each byte the compiler compares many together.
    let is_plain =
        |chunk: &[u8]| chunk.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'));
    text.as_bytes().chunks(64).all(is_plain)
}

fn written_out(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    written_as(text, keep, |out, c| out.extend(c.escape_unicode()))
}

/// Replaces each unsafe character, except those to `keep`, by what `escape` writes for it.
fn written_as(
    text: &str,
    keep: impl Fn(char) -> bool,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    let bad = |c: char| is_unsafe(c) && !keep(c);
    if is_plain(text) || !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if bad(c) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_format_characters_are_escaped() {
        assert_eq!(line("a\u{1b}]52;c;x\u{7}b"), "a\\u{1b}]52;c;x\\u{7}b");
        assert_eq!(
            line("\u{9b}31m \u{202e}cod.exe\u{200b}"),
            "\\u{9b}31m \\u{202e}cod.exe\\u{200b}"
        );
        assert_eq!(line("one\r\ntwo\tthree"), "one two three");
        assert_eq!(text("one\r\n\ttwo"), "one\\u{d}\n\ttwo");
    }

    #[test]
    fn only_style_sequences_stay_in_styled_text() {
        let fine = "\u{1b}[1;31mred\u{1b}[0m\n\tplain\u{1b}[m";
        assert_eq!(styled(fine), fine);
        assert_eq!(
            styled("a\u{1b}]52;c;x\u{7}\u{1b}[2J\u{1b}\u{1b}[38:5m\u{202e}\r"),
            "a\\u{1b}]52;c;x\\u{7}\\u{1b}[2J\\u{1b}\\u{1b}[38:5m\\u{202e}\\u{d}"
        );
    }

    #[test]
    fn one_line_keeps_tabs_and_replaces_line_breaks() {
        assert_eq!(one_line("+\ta\r\n::b\u{1b}"), "+\ta ::b\\u{1b}");
        assert_eq!(one_line("\n"), "");
    }

    #[test]
    fn emoji_and_text_of_any_script_are_unchanged() {
        for text in ["Café ☕", "👩‍👩‍👧", "日本語", "می‌خواهم", "a b"] {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let json_text = "{\"a\": \"x\u{9b}\u{202e}\u{e0041}\"}\n";
        let shown = json(json_text);
        assert!(shown.is_ascii(), "{shown}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(json_text));
    }
}
