//! Parser for the command line as bash hands it over, as typed, and quoting of words under any quotes that are open at the cursor. Bash breaks
//! words at `=`, `:` and `@` too, and replaces only the text after the break.

use std::ffi::OsString;

/// Completion request: the line up to the cursor, the part of its last word to replace, the kind of list, and the width of the terminal.
#[derive(Debug, Default)]
pub(crate) struct CompletionRequest {
    pub(crate) words: Vec<OsString>,
    /// Number of bytes of the last word that stay as they are.
    pub(crate) kept: usize,
    /// Quotes that are open in the last word.
    pub(crate) quote: Quote,
    /// Kind of list that bash asks for.
    pub(crate) lists: ListSyntax,
    pub(crate) width: usize,
}

/// Tells whether bash shows the candidates.
#[derive(Debug, Default)]
pub(crate) enum ListSyntax {
    /// The candidates are not shown: the only one, or the common prefix of all, is inserted.
    #[default]
    No,
    /// The candidates are shown, and their common prefix is inserted.
    Also,
    /// The candidates are shown, and nothing is inserted.
    Only,
}

impl CompletionRequest {
    /// Parses the arguments that the bash script passes.
    pub(crate) fn of(args: &[OsString]) -> Self {
        let arg = |at: usize| args.get(at).map(|it| it.to_string_lossy()).unwrap_or_default();
        let (words, quote) = read(&arg(0));
        let typed = words.last().map_or("", String::as_str);
        let replaced = arg(1);
        let plain = read(&replaced).0.concat();
        let kept = [&*replaced, &plain]
            .into_iter()
            .find_map(|it| typed.strip_suffix(it).map(str::len))
            .unwrap_or(0);
        Self {
            kept,
            quote,
            // Codes of readline's completion types that show candidates.
            lists: match arg(2).as_ref() {
                "63" => ListSyntax::Only,
                "33" | "64" => ListSyntax::Also,
                _ => ListSyntax::No,
            },
            width: arg(3).parse().unwrap_or(80),
            words: words.into_iter().map(OsString::from).collect(),
        }
    }
}

/// Splits a line that may end anywhere into its words, including an empty last word, and returns the quotes that are open at its end.
fn read(line: &str) -> (Vec<String>, Quote) {
    let (mut quote, mut is_strange) = (Quote::None, false);
    // `begun` is `None` between two words.
    let (mut words, mut begun) = (Vec::new(), None::<String>);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        if quote == Quote::None && c.is_ascii_whitespace() {
            words.extend(begun.take());
            continue;
        }
        let word = begun.get_or_insert_default();
        let next = rest.peek().copied();
        match (quote, c) {
            (Quote::None, '\'') => quote = Quote::Single,
            (Quote::None, '"') => quote = Quote::Double,
            (Quote::Single, '\'') | (Quote::Double, '"') => quote = Quote::None,
            (Quote::None, '\\') => word.extend(rest.next()),
            (Quote::Double, '\\') if next.is_none_or(|it| "$`\"\\".contains(it)) => {
                word.extend(rest.next());
            }
            (Quote::None, '$' | '<' | '>') if next == Some('(') => is_strange = true,
            (Quote::None, '$') if matches!(next, Some('\'' | '{')) => is_strange = true,
            (Quote::Double, '$') if matches!(next, Some('(' | '{')) => is_strange = true,
            (Quote::None | Quote::Double, '`') => is_strange = true,
            (_, c) => word.push(c),
        }
    }
    words.push(begun.unwrap_or_default());
    (words, if is_strange { Quote::Unknown } else { quote })
}

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
fn escaped(word: &str) -> String {
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

    fn request(line: &str, replaced: &str) -> (Vec<String>, usize) {
        let request = CompletionRequest::of(&[line, replaced, "9", "80"].map(OsString::from));
        (request.words.into_iter().map(|it| it.into_string().unwrap()).collect(), request.kept)
    }

    #[test]
    fn words_are_split_as_by_a_shell_with_the_length_of_what_bash_keeps() {
        for (line, replaced, last, kept) in [
            ("links slots get cafe ", "", "", 0),
            ("links slots get ca", "ca", "ca", 0),
            ("links slots add cafe button style=", "", "style=", 6),
            ("links slots add cafe button style=pr", "pr", "style=pr", 6),
            ("links slots add cafe button n:=", "", "n:=", 3),
            (
                "links slots get https://links.test/ca",
                "//links.test/ca",
                "https://links.test/ca",
                6,
            ),
            ("links slots add x text=@fi", "@fi", "text=@fi", 5),
            ("links slots add x title=\"a b", "a b", "title=a b", 6),
            ("links slots add x a\\ b", "a\\ b", "a b", 0),
            ("links slots add x \"a\\$b", "a\\$b", "a$b", 0),
            ("links slots add x \"a\\b", "a\\b", "a\\b", 0),
            ("links slots add x t=@a\\$\\", "@a\\$\\", "t=@a$", 2),
        ] {
            let (words, found) = request(line, replaced);
            assert_eq!((words.last().unwrap().as_str(), found), (last, kept), "{line}");
        }
        assert_eq!(request("links  'a b' ", "").0, ["links", "a b", ""]);
        assert_eq!(request("links ''", "").0, ["links", ""]);
    }

    #[test]
    fn the_open_quotes_of_a_line_are_detected() {
        for (line, quote) in [
            ("links a", Quote::None),
            ("links \"a", Quote::Double),
            ("links 'a", Quote::Single),
            ("links 'a'", Quote::None),
            ("links \"it's", Quote::Double),
            ("links \"a\\\"b", Quote::Double),
            ("links 'a\\", Quote::Single),
            ("links 'a'\"b", Quote::Double),
            ("links \\'a", Quote::None),
            ("links $a", Quote::None),
            ("links $'a", Quote::Unknown),
            ("links \"$(a", Quote::Unknown),
            ("links `a", Quote::Unknown),
            ("links <(a", Quote::Unknown),
            ("links '$(a`", Quote::Single),
        ] {
            assert_eq!(CompletionRequest::of(&[line.into()]).quote, quote, "{line}");
        }
    }

    #[test]
    fn any_line_is_parsed_without_a_panic() {
        for line in ["", " ", "\\", "links \\", "links '\"", "\u{1}\u{1}", "links $(", "日本 "] {
            let request = CompletionRequest::of(&[line.into(), line.into()]);
            assert!(request.kept <= line.len(), "{line}");
        }
        assert!(CompletionRequest::of(&[]).words.len() < 2);
    }

    #[test]
    fn characters_with_a_meaning_to_the_shell_are_escaped() {
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
        fn a_shell_reads_the_same_string(text in "[ -~é]{1,20}") {
            for (quote, mark) in [(Quote::None, ""), (Quote::Single, "'"), (Quote::Double, "\"")] {
                let Some(written) = quote.written(&text) else { continue };
                let script = format!("printf %s {mark}{written}{mark}");
                let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
                prop_assert_eq!(String::from_utf8_lossy(&output.stdout), text.as_str(), "{}", script);
            }
        }
    }
}
