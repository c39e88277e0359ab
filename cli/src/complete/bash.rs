//! Bash splits a line at `=` and `:` too, and replaces only what stands behind them: the words are put together again, and of each
//! candidate that part is printed.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;

const BREAKS: [&str; 3] = ["=", ":", ":="];

pub(super) fn complete(
    command: &mut Command,
    words: Vec<OsString>,
    folder: Option<&Path>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let variable = |name| std::env::var(name).ok();
    let index = variable("_CLAP_COMPLETE_INDEX").and_then(|it| it.parse().ok()).unwrap_or_default();
    let separator = variable("_CLAP_IFS").unwrap_or_else(|| "\n".to_owned());
    let (words, index) = joined(words, index);
    let typed = words.get(index).map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let kept = typed.rfind(['=', ':']).map_or(0, |at| at + 1);
    let candidates = clap_complete::engine::complete(command, words, index, folder)?;
    let texts: Vec<String> = candidates
        .iter()
        .map(|it| it.get_value().to_string_lossy())
        .filter_map(|it| it.get(kept..).map(str::to_owned))
        .collect();
    out.write_all(texts.join(&separator).as_bytes())
}

/// The words as they stand on the line, and which of them the cursor is in.
fn joined(words: Vec<OsString>, index: usize) -> (Vec<OsString>, usize) {
    let is_break = |word: &OsString| BREAKS.iter().any(|it| word == it);
    let mut out: Vec<OsString> = Vec::new();
    let mut at = 0;
    let mut glued = false;
    for (nth, word) in words.into_iter().enumerate() {
        let breaks = is_break(&word);
        match out.last_mut() {
            // The first word is the program, the second begins the line.
            Some(last) if (breaks || glued) && nth > 1 => last.push(&word),
            _ => out.push(word),
        }
        glued = breaks;
        if nth == index {
            at = out.len() - 1;
        }
    }
    if index > 0 && at == 0 {
        at = out.len();
        out.push(OsString::new());
    }
    (out, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(words: &[&str], index: usize) -> (Vec<String>, usize) {
        let (words, index) = joined(words.iter().map(OsString::from).collect(), index);
        (words.into_iter().map(|it| it.into_string().unwrap()).collect(), index)
    }

    #[test]
    fn values_are_put_together_again() {
        let (words, at) =
            split(&["links", "slots", "add", "cafe", "button", "style", "=", "pri"], 7);
        assert_eq!((words[5].as_str(), at), ("style=pri", 5));
        let (words, at) = split(&["links", "slots", "add", "style", "="], 4);
        assert_eq!((words[3].as_str(), at), ("style=", 3));
        let (words, at) = split(&["links", "x", "n", ":=", "3", "next"], 5);
        assert_eq!((words[2].as_str(), words[3].as_str(), at), ("n:=3", "next", 3));
        let (words, at) = split(&["links", "get", "https", ":", "//links.test/ca"], 4);
        assert_eq!((words[2].as_str(), at), ("https://links.test/ca", 2));
        assert_eq!(split(&["links", ""], 1), (vec!["links".into(), String::new()], 1));
    }
}
