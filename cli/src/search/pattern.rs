//! The pattern of a search, where it occurs in a text, and the part of a value that is shown around it.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use unicode_width::UnicodeWidthChar;

use links_pages::sanitize;

/// Maximum size of a compiled pattern in bytes.
const MAX_SIZE: usize = 1 << 20;

/// Maximum number of places that are looked for in a value, so that a long one takes linear time.
const MAX_PLACES: usize = 100;

/// Text or regular expression.
#[derive(Debug)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Creates a pattern from a plain text, in which case does not matter, or from a regular expression.
    ///
    /// # Errors
    ///
    /// When the text is empty, or no regular expression that can be used.
    pub(crate) fn new(text: &str, is_regex: bool) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the pattern is empty".to_owned());
        }
        let source = if is_regex { text.to_owned() } else { regex::escape(text) };
        let mut builder = RegexBuilder::new(&source);
        builder.case_insensitive(!is_regex).size_limit(MAX_SIZE).dfa_size_limit(MAX_SIZE);
        builder.build().map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
            other => {
                let shown = other.to_string();
                let why = shown.lines().last().unwrap_or_default();
                let why = why.strip_prefix("error: ").unwrap_or(why);
                format!("`{text}` is not a regular expression: {why}")
            }
        })
    }

    /// Returns where the pattern occurs in a text. A place is never empty.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let places = self.0.find_iter(text).map(|found| found.range());
        places.filter(|place| !place.is_empty()).take(MAX_PLACES).collect()
    }
}

/// Part of a text, and whether the pattern occurs there.
type Piece = (String, bool);

/// Returns the part of a text that fits into a number of columns, in pieces that say whether the pattern occurs there. Line breaks are shown
/// as spaces.
pub(super) fn excerpt(text: &str, places: &[Range<usize>], room: usize) -> Vec<Piece> {
    let text = text.replace(['\n', '\r', '\t'], " ");
    let shown = window(&text, places.first().cloned().unwrap_or_default(), room);
    let mut pieces = Vec::new();
    let mut add = |piece: &str, is_marked| {
        if !piece.is_empty() {
            pieces.push((piece.to_owned(), is_marked));
        }
    };
    add(if shown.start > 0 { "…" } else { "" }, false);
    let mut end = shown.start;
    for place in places {
        let place = place.start.clamp(end, shown.end)..place.end.clamp(end, shown.end);
        add(&text[end..place.start], false);
        add(&text[place.clone()], true);
        end = place.end;
    }
    add(&text[end..shown.end], false);
    add(if shown.end < text.len() { "…" } else { "" }, false);
    pieces
}

/// Returns the range of a text to show: a third of the room is for what is before the place, the rest for the place and what follows.
fn window(text: &str, place: Range<usize>, room: usize) -> Range<usize> {
    if width(text) <= room {
        return 0..text.len();
    }
    // Two columns are for the marks at the ends.
    let room = room.saturating_sub(2).max(1);
    let start = place.start - taken(text[..place.start].chars().rev(), room / 3);
    let end = start + taken(text[start..].chars(), room);
    start..end.max(start)
}

/// Returns the number of bytes of the characters that fit.
fn taken(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let mut used = 0;
    let fits = |c: &char| {
        used += char_width(*c);
        used <= room
    };
    chars.take_while(fits).map(char::len_utf8).sum()
}

fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Returns the columns of a character as it is shown.
fn char_width(c: char) -> usize {
    if sanitize::is_unsafe(c) { c.escape_unicode().count() } else { c.width().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(pattern: &str, is_regex: bool, text: &'t str) -> Vec<&'t str> {
        let pattern = Pattern::new(pattern, is_regex).unwrap();
        pattern.places(text).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn a_plain_text_is_found_in_any_case_and_a_regular_expression_as_it_is() {
        for (pattern, is_regex, text, expected) in [
            ("menu", false, "Menu, MENU and menus", vec!["Menu", "MENU", "menu"]),
            ("КОФЕ", false, "кофе и Кофе", vec!["кофе", "Кофе"]),
            ("a.b*", false, "aXbb A.B*", vec!["A.B*"]),
            ("(", false, "f(x)", vec!["("]),
            ("two\nlines", false, "Two\nLines", vec!["Two\nLines"]),
            ("menu", true, "Menu menu", vec!["menu"]),
            ("(?i)menu", true, "Menu menu", vec!["Menu", "menu"]),
            (
                r"https?://old\.example\S*",
                true,
                "see http://old.example/a b",
                vec!["http://old.example/a"],
            ),
            (r"^\w+$", true, "кофе", vec!["кофе"]),
            // Nothing is not a hit.
            ("x*", true, "abc", vec![]),
            ("none", false, "", vec![]),
        ] {
            assert_eq!(found(pattern, is_regex, text), expected, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_cannot_be_used_is_refused_in_one_line() {
        for (pattern, is_regex, expected) in [
            ("", false, "the pattern is empty"),
            ("", true, "the pattern is empty"),
            ("a(", true, "`a(` is not a regular expression: unclosed group"),
            (r"\w{1000}{1000}", true, "the pattern is too large"),
            (
                r"(a)\1",
                true,
                r"`(a)\1` is not a regular expression: backreferences are not supported",
            ),
        ] {
            let refused = Pattern::new(pattern, is_regex).unwrap_err();
            assert_eq!(refused, expected);
        }
        let nested = "(".repeat(5000) + &")".repeat(5000);
        assert!(Pattern::new(&nested, true).is_err());
        assert!(Pattern::new(&"long ".repeat(20_000), false).is_err());
    }

    #[test]
    fn expressions_that_make_others_slow_end_at_once() {
        let text = "a".repeat(200_000);
        assert_eq!(found("(a|a)*b", true, &text).len(), 0);
        assert_eq!(found("(a+)+$", true, &text), [&text]);
        assert_eq!(found(".*[^a]|a", true, &text[..20_000]).len(), MAX_PLACES);
    }

    fn shown(text: &str, hit: &str, room: usize) -> String {
        let places: Vec<_> = text.match_indices(hit).map(|(at, it)| at..at + it.len()).collect();
        let pieces = excerpt(text, &places, room);
        pieces
            .into_iter()
            .map(|(text, is_marked)| if is_marked { format!("[{text}]") } else { text })
            .collect()
    }

    #[test]
    fn a_long_value_is_cut_around_the_first_place() {
        for (text, hit, room, expected) in [
            ("a menu of menus", "menu", 40, "a [menu] of [menu]s"),
            ("two\nlines\there", "lines", 40, "two [lines] here"),
            ("0123456789 menu 0123456789 0123456789", "menu", 20, "…56789 [menu] 0123456…"),
            ("0123456789 0123456789 menu", "menu", 20, "…56789 [menu]"),
            ("menu 0123456789 0123456789", "menu", 20, "[menu] 0123456789 01…"),
            ("aaaa menumenumenumenu", "menumenumenumenu", 12, "…aa [menumen]…"),
            ("кофе кофе кофе чай кофе кофе", "чай", 12, "…фе [чай] коф…"),
            ("日本語日本語日本語", "語", 8, "…本[語]日…"),
        ] {
            let shown = shown(text, hit, room);
            assert_eq!(shown, expected);
            assert!(width(&shown.replace(['[', ']'], "")) <= room, "{shown}");
        }
    }

    #[test]
    fn any_room_and_place_gives_a_part_of_the_text() {
        let text = "\u{1b}[31mü日\u{202e}abc".repeat(3);
        for room in 0..40 {
            for (start, _) in text.char_indices() {
                for (end, _) in text.char_indices().filter(|(end, _)| *end > start) {
                    let pieces = excerpt(&text, std::slice::from_ref(&(start..end)), room);
                    let joined: String = pieces.into_iter().map(|it| it.0).collect();
                    assert!(text.contains(joined.trim_matches('…')), "{joined}");
                }
            }
        }
    }
}
