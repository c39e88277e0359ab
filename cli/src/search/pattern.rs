//! The pattern of a search, and where it occurs in a text.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

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
}
