//! Quoting of words for bash under any quotes that are open at the cursor.

/// Quotes that are open at the end of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Quote {
    /// No open quotes.
    #[default]
    None,
    /// `'`
    Single,
    /// `"`
    Double,
    /// Syntax that is not followed further, such as `$'` or a command within the line.
    Unknown,
}

impl Quote {
    /// Returns the text quoted for this place, or `None` if that is not possible.
    pub(crate) fn written(self, text: &str) -> Option<String> {
        // Within backquotes the shell removes one more level of quoting, and the line does not show whether the word is within them.
        if text.contains('`') {
            return None;
        }
        let (written, quote) = match self {
            Self::None => (escaped(text), None),
            Self::Single => (text.replace('\'', r"'\''"), Some('\'')),
            Self::Double => (double(text), Some('"')),
            Self::Unknown => return is_plain(text).then(|| text.to_owned()),
        };
        // Readline takes a quote at the beginning of a candidate for the open one, and drops it.
        (!quote.is_some_and(|it| written.starts_with(it))).then_some(written)
    }
}

/// Tells whether the text needs no quoting in any shell, inside quotes or not.
pub(crate) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "%+,-./:=@_".contains(c))
}

/// Escapes a word without putting quotes around it.
pub(crate) fn escaped(word: &str) -> String {
    let plain = |c: char| !c.is_ascii() || is_plain(c.encode_utf8(&mut [0; 4]));
    word.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

/// Escapes a text within double quotes. For a `!` the quotes are closed: a backslash before it would stay.
fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '!' => out.push_str("\"\\!\""),
            '$' | '"' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn found_08_characters_with_a_meaning_to_the_shell_are_escaped() {
        assert_eq!(escaped("style=primary"), "style=primary");
        assert_eq!(escaped("./my page$(x)*.yaml"), "./my\\ page\\$\\(x\\)\\*.yaml");
        assert_eq!(escaped("кафе"), "кафе");
        assert_eq!(Quote::Double.written("a$(x)\"\\!b").unwrap(), "a\\$(x)\\\"\\\\\"\\!\"b");
        assert_eq!(Quote::Single.written("a'$(x)").unwrap(), "a'\\''$(x)");
        assert_eq!(Quote::Unknown.written("slots"), Some("slots".to_owned()));
        for (quote, text) in [
            (Quote::None, "a`x`"),
            (Quote::Single, "'a"),
            (Quote::Double, "!a"),
            (Quote::Unknown, "a b"),
            (Quote::Unknown, "$(x)"),
        ] {
            assert_eq!(quote.written(text), None, "{quote:?} {text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Runs a shell that prints what it reads; it has no history to expand.
        #[test]
        fn found_08_a_shell_reads_the_same_string(text in "[ -~é]{1,20}") {
            for (quote, mark) in [(Quote::None, ""), (Quote::Single, "'"), (Quote::Double, "\"")] {
                let Some(written) = quote.written(&text) else { continue };
                let script = format!("printf %s {mark}{written}{mark}");
                let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
                prop_assert_eq!(String::from_utf8_lossy(&output.stdout), text.as_str(), "{}", script);
            }
        }
    }
}
