//! Tests for words that users no longer read, in documents, help, messages and snapshots. `retired_words.txt` lists them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use regex::{Regex, RegexBuilder};

use crate::test_env::TestEnv;

const LIST: &str = include_str!("retired_words.txt");

// Retired words that are still there. These numbers may only become smaller; at 0 the rule is in force.
const LEFT_IN_HELP: usize = 0;
const LEFT_IN_MESSAGES: usize = 0;
const LEFT_IN_SNAPSHOTS: usize = 0;

struct RetiredWords {
    words: Vec<(Regex, &'static str)>,
    /// Texts in which the words are allowed.
    kept: Vec<Regex>,
}

impl RetiredWords {
    fn read() -> Self {
        let regex = |text: &str| RegexBuilder::new(text).case_insensitive(true).build().unwrap();
        let lines = || LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let words = lines().filter_map(|line| line.split_once(" => "));
        let kept = lines().filter_map(|line| line.strip_prefix("keep: "));
        let read = Self {
            words: words.map(|(word, instead)| (regex(word), instead)).collect(),
            kept: kept.map(|text| regex(&regex::escape(text))).collect(),
        };
        assert_eq!(read.words.len() + read.kept.len(), lines().count(), "a line is neither");
        read
    }

    /// Returns the places where a text has a retired word, each with what to write instead.
    fn found_in(&self, text: &str) -> Vec<String> {
        let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for kept in &self.kept {
            text = kept.replace_all(&text, "").into_owned();
        }
        let mut found = Vec::new();
        for (word, instead) in &self.words {
            for place in word.find_iter(&text) {
                let begin = text[..place.start()].char_indices().rev().nth(30);
                let end = text[place.end()..].char_indices().nth(30);
                let excerpt = &text[begin.map_or(0, |(at, _)| at)
                    ..end.map_or(text.len(), |(at, _)| place.end() + at)];
                found.push(format!("\"{excerpt}\": {} => {instead}", place.as_str()));
            }
        }
        found
    }

    /// Fails where these texts, by name, have more retired words than are allowed. The same words around one count once.
    fn check(&self, texts: &[(String, String)], allowed: usize) {
        assert!(texts.len() > 5, "only {} texts were found", texts.len());
        let mut found = BTreeMap::new();
        for (name, text) in texts {
            found.extend(self.found_in(text).into_iter().map(|place| (place, name)));
        }
        let list: Vec<_> = found.iter().map(|(place, name)| format!("{name}: {place}")).collect();
        assert!(
            list.len() <= allowed,
            "{} retired words, {allowed} allowed:\n{}",
            list.len(),
            list.join("\n")
        );
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the files below a directory with one of these extensions, by path.
fn files(directory: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(directory)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{directory}/{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&path, extensions));
        } else if extensions.iter().any(|it| path.ends_with(&format!(".{it}"))) {
            found.push((path, fs::read_to_string(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

/// Returns the string literals of a source file that hold a space, without its tests; text in braces is a name of the source, and is left
/// out.
fn literals(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let no_text = [r"(?m)^\s*//.*$", r##"(?s)\br#+".*?"#+"##, r#"b?'\\?"'"#, r#"reason = "[^"]*""#];
    let source = no_text.iter().fold(source.to_owned(), |source, pattern| {
        Regex::new(pattern).unwrap().replace_all(&source, "").into_owned()
    });
    let literal = Regex::new(r#"(?s)"((?:[^"\\]|\\.)*)""#).unwrap();
    let name = Regex::new(r"\{[^{}]*\}").unwrap();
    let texts = literal.captures_iter(&source).map(|it| it[1].replace("\\n", " "));
    let texts = texts.filter(|text| text.contains(' '));
    texts.map(|text| name.replace_all(&text, "_").into_owned()).collect::<Vec<_>>().join(" | ")
}

#[test]
fn documents_have_no_retired_words() {
    let mut texts = files("docs", &["md"]);
    // Made from the tables of the program, whose words are checked below.
    texts.retain(|(path, _)| path != "docs/exit-codes.md");
    for (_, text) in &mut texts {
        if let Some((before, rest)) = text.split_once("<!-- table -->") {
            *text = [before, rest.split("<!-- end of table -->").nth(1).unwrap()].concat();
        }
    }
    for path in ["README.md", "CONTRIBUTING.md", "action.yml", "fixtures/README.md"] {
        texts.push((path.to_owned(), fs::read_to_string(root().join(path)).unwrap()));
    }
    RetiredWords::read().check(&texts, 0);
}

#[test]
fn help_has_no_retired_words() {
    let env = TestEnv::cafe();
    let directory = env.home.path().join("man");
    let run = env.run_args(["man", directory.to_str().unwrap()], b"");
    assert_eq!(run.exit, 0, "{run}");
    let pages = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: &Path| fs::read_to_string(path).unwrap().replace("\\-", "-");
    let texts: Vec<_> =
        pages.map(|path| (path.file_name().unwrap().display().to_string(), text(&path))).collect();
    RetiredWords::read().check(&texts, LEFT_IN_HELP);
}

#[test]
fn messages_have_no_retired_words() {
    let is_test = |path: &str| path.contains("/tests") || path.contains("/testing/");
    let mut texts = files("cli/src", &["txt"]);
    for directory in ["cli/src", "pages/src", "sdk/src", "spec/src"] {
        let sources = files(directory, &["rs"]).into_iter().filter(|(path, _)| !is_test(path));
        texts.extend(sources.map(|(path, source)| (path, literals(&source))));
    }
    RetiredWords::read().check(&texts, LEFT_IN_MESSAGES);
}

#[test]
fn snapshots_have_no_retired_words() {
    // The head of a snapshot names its source.
    let body = |text: String| text.splitn(3, "---\n").nth(2).unwrap_or_default().to_owned();
    let snapshots = files("tests/cli/snapshots", &["snap"]).into_iter();
    let texts: Vec<_> = snapshots.map(|(path, text)| (path, body(text))).collect();
    RetiredWords::read().check(&texts, LEFT_IN_SNAPSHOTS);
}

#[test]
fn retired_words_are_recognised() {
    let found = |text: &str| RetiredWords::read().found_in(text).len();
    assert_eq!(found("Blocks stay behind\n  the others, and SOMEBODY agreed\nto it"), 4);
    assert_eq!(found("bind to a loopback\naddress; blocked; agrees with it"), 0);
    let source = "// \"a block\"\nf(\"a block\", '\"', \"{block} of it\", \"block\", \"a \\\"folder\\\" \\\n  there\");\n";
    assert_eq!(found(&literals(source)), 2);
}
