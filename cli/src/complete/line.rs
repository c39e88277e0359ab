//! Bash hands over the line as it was typed. It breaks words at `=`, `:` and `@` too, and replaces only what stands behind the break.

use std::ffi::OsString;

/// Stands where the cursor is, so that an empty last word is one.
const CURSOR: char = '\u{1}';

/// What is asked for: the line up to the cursor, what of its last word is replaced, why, and how wide the terminal is.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) words: Vec<OsString>,
    /// Bytes of the last word that stay as they are.
    pub(super) kept: usize,
    /// Whether the last word has a quote that is not closed.
    pub(super) quoted: bool,
    /// Whether the candidates are only shown.
    pub(super) lists: bool,
    pub(super) width: usize,
}

impl Asked {
    /// As the script of bash says it.
    pub(super) fn of(said: &[OsString]) -> Self {
        let said = |at: usize| said.get(at).map(|it| it.to_string_lossy()).unwrap_or_default();
        let (words, quoted) = split(&said(0));
        let typed = words.last().map_or("", String::as_str);
        let replaced = said(1);
        let plain = shlex::split(&replaced).map(|words| words.concat());
        let kept = [Some(replaced.into_owned()), plain]
            .into_iter()
            .flatten()
            .find_map(|it| typed.strip_suffix(it.as_str()).map(str::len))
            .unwrap_or(0);
        Self {
            kept,
            quoted,
            // `?`, `!` and `@`: the ways of readline to show candidates.
            lists: matches!(said(2).as_ref(), "63" | "33" | "64"),
            width: said(3).parse().unwrap_or(80),
            words: words.into_iter().map(OsString::from).collect(),
        }
    }
}

/// The words of a line that may end anywhere, and whether it ends inside quotes.
fn split(line: &str) -> (Vec<String>, bool) {
    let ends = ["", "\"", "'"];
    let found = ends.iter().find_map(|end| {
        let words = shlex::split(&format!("{line}{CURSOR}{end}"))?;
        Some((words, !end.is_empty()))
    });
    let (mut words, quoted) = found.unwrap_or_default();
    if let Some(last) = words.last_mut() {
        last.retain(|c| c != CURSOR);
    }
    (words, quoted)
}

/// A word as it can stand in a line.
pub(super) fn escaped(word: &str) -> String {
    let plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "%+,-./:=@_^~".contains(c);
    word.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str, replaced: &str) -> (Vec<String>, usize) {
        let asked = Asked::of(&[line, replaced, "9", "80"].map(OsString::from));
        (asked.words.into_iter().map(|it| it.into_string().unwrap()).collect(), asked.kept)
    }

    #[test]
    fn the_words_are_those_of_the_shell_and_only_what_bash_replaces_is_printed() {
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
        ] {
            let (words, found) = asked(line, replaced);
            assert_eq!((words.last().unwrap().as_str(), found), (last, kept), "{line}");
        }
        assert_eq!(asked("links  'a b' ", "").0, ["links", "a b", ""]);
        assert!(Asked::of(&["links \"a".into()]).quoted);
    }

    #[test]
    fn any_line_is_answered() {
        for line in ["", " ", "\\", "links \\", "links '\"", "\u{1}\u{1}", "links $(", "日本 "] {
            let asked = Asked::of(&[line.into(), line.into()]);
            assert!(asked.kept <= line.len(), "{line}");
        }
        assert!(Asked::of(&[]).words.len() < 2);
    }

    #[test]
    fn what_a_shell_would_read_otherwise_is_escaped() {
        assert_eq!(escaped("style=primary"), "style=primary");
        assert_eq!(escaped("./my page$(x)*.yaml"), "./my\\ page\\$\\(x\\)\\*.yaml");
        assert_eq!(escaped("кафе"), "кафе");
    }
}
