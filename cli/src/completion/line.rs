//! Bash: the command line as its script hands it over, as typed, and words quoted under any quotes that are open at the cursor. Bash breaks
//! words at `=`, `:` and `@` too, and replaces only the text after the break.

use std::ffi::OsString;

/// Words up to the cursor, and what bash says about the last of them and about its list.
#[derive(Debug, Default)]
pub(crate) struct CompletionRequest {
    pub(crate) words: Vec<OsString>,
    /// Number of bytes of the last word that stay as they are.
    pub(crate) kept: usize,
    /// Quote that is open in the last word.
    pub(crate) quote: Option<char>,
    /// True if the line has syntax that is not followed, such as `$'` or a command within it.
    pub(crate) is_strange: bool,
    /// True if bash shows the candidates.
    pub(crate) is_list: bool,
    /// Width of the terminal.
    pub(crate) width: usize,
}

/// Beginnings of syntax that is not followed.
const STRANGE: [&str; 6] = ["`", "$(", "${", "$'", "<(", ">("];

/// Codes of readline's completion types that show candidates.
const LISTS: [&str; 3] = ["33", "63", "64"];

/// Stands for the cursor while a line is split.
const CURSOR: char = '\u{1}';

impl CompletionRequest {
    /// Parses the arguments that the bash script passes.
    pub(crate) fn of(args: &[OsString]) -> Self {
        let arg = |at: usize| args.get(at).map(|it| it.to_string_lossy()).unwrap_or_default();
        let (line, replaced) = (arg(0), arg(1));
        let (words, quote) = split(&line);
        let typed = words.last().map_or("", String::as_str);
        let plain = split(&replaced).0.concat();
        let kept = [&*replaced, &plain].into_iter().find_map(|it| typed.strip_suffix(it));
        Self {
            kept: kept.map_or(0, str::len),
            quote,
            is_strange: STRANGE.iter().any(|it| line.contains(it)),
            is_list: LISTS.contains(&&*arg(2)),
            width: arg(3).parse().unwrap_or(80),
            words: words.into_iter().map(OsString::from).collect(),
        }
    }

    /// Returns the text quoted for the place of the cursor, or `None` if that is not possible.
    pub(crate) fn quoted(&self, text: &str) -> Option<String> {
        // Within backquotes the shell removes one more level of quoting, and the line does not show whether the word is within them.
        if text.contains('`') {
            return None;
        }
        let quoted = match self.quote {
            _ if self.is_strange => return is_plain(text).then(|| text.to_owned()),
            None => escaped(text),
            Some('\'') => text.replace('\'', r"'\''"),
            Some(_) => within_double_quotes(text),
        };
        // Readline takes a quote at the beginning of a candidate for the open one, and drops it.
        (!self.quote.is_some_and(|quote| quoted.starts_with(quote))).then_some(quoted)
    }
}

/// Splits a line that may end anywhere into its words, including an empty last word, and returns the quote that is open at its end.
fn split(line: &str) -> (Vec<String>, Option<char>) {
    for quote in [None, Some('"'), Some('\'')] {
        let closed: String = line.chars().chain([CURSOR]).chain(quote).collect();
        let Some(mut words) = shlex::split(&closed) else { continue };
        if let Some(last) = words.last_mut()
            && last.pop() == Some(CURSOR)
        {
            return (words, quote);
        }
    }
    (Vec::new(), None)
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
fn within_double_quotes(text: &str) -> String {
    let written = |c: char| match c {
        '!' => "\"\\!\"".to_owned(),
        '$' | '"' | '\\' => format!("\\{c}"),
        _ => c.to_string(),
    };
    text.chars().map(written).collect()
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
    fn found_08_the_open_quotes_of_a_line_are_detected() {
        for (line, quote) in [
            ("links a", None),
            ("links \"a", Some('"')),
            ("links 'a", Some('\'')),
            ("links 'a'", None),
            ("links \"it's", Some('"')),
            ("links \"a\\\"b", Some('"')),
            ("links 'a\\", Some('\'')),
            ("links 'a'\"b", Some('"')),
            ("links \\'a", None),
            ("links $a", None),
        ] {
            let read = CompletionRequest::of(&[line.into()]);
            assert_eq!((read.quote, read.is_strange), (quote, false), "{line}");
        }
        for line in ["links $'a", "links \"$(a", "links `a", "links <(a", "links '$(a`"] {
            assert!(CompletionRequest::of(&[line.into()]).is_strange, "{line}");
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
    fn found_08_characters_with_a_meaning_to_the_shell_are_escaped() {
        assert_eq!(escaped("style=primary"), "style=primary");
        assert_eq!(escaped("./my page$(x)*.yaml"), "./my\\ page\\$\\(x\\)\\*.yaml");
        assert_eq!(escaped("кафе"), "кафе");
        let quoted =
            |quote, text| CompletionRequest { quote, ..CompletionRequest::default() }.quoted(text);
        assert_eq!(quoted(Some('"'), "a$(x)\"\\!b").unwrap(), "a\\$(x)\\\"\\\\\"\\!\"b");
        assert_eq!(quoted(Some('\''), "a'$(x)").unwrap(), "a'\\''$(x)");
        for (quote, text) in [(None, "a`x`"), (Some('\''), "'a"), (Some('"'), "!a")] {
            assert_eq!(quoted(quote, text), None, "{quote:?} {text}");
        }
        let strange = CompletionRequest { is_strange: true, ..CompletionRequest::default() };
        assert_eq!(strange.quoted("slots"), Some("slots".to_owned()));
        assert!(["a b", "$(x)"].iter().all(|text| strange.quoted(text).is_none()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Runs a shell that prints what it reads; it has no history to expand.
        #[test]
        fn found_08_a_shell_reads_the_same_string(text in "[ -~é]{1,20}") {
            for (quote, mark) in [(None, ""), (Some('\''), "'"), (Some('"'), "\"")] {
                let line = CompletionRequest { quote, ..CompletionRequest::default() };
                let Some(written) = line.quoted(&text) else { continue };
                let script = format!("printf %s {mark}{written}{mark}");
                let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
                prop_assert_eq!(String::from_utf8_lossy(&output.stdout), text.as_str(), "{}", script);
            }
        }
    }
}
