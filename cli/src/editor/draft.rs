//! Draft of a text in an editor: a temporary file that is kept whenever the text might be lost, with problems marked as comments.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use links_pages::fs::named::{self, ReadError};
use links_pages::sanitize;

/// Prefix of a line that describes a problem of the next line.
const MARK: &str = "#!! ";

/// Temporary file of the draft, deleted on drop unless it is [kept](Self::keep).
#[derive(Debug)]
pub(crate) struct Draft(TempPath);

impl Draft {
    /// Creates a file named after what is edited. The name comes from the service, so path separators in it are replaced.
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let suffix: String = format!("-{name}").chars().map(plain).collect();
        let file = tempfile::Builder::new().prefix("links-").suffix(&suffix).tempfile()?;
        Ok(Self(file.into_temp_path()))
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Replaces the text, with each problem (line, message) above its line. Returns the new content of the file.
    pub(crate) fn write(&self, text: &str, problems: &[(usize, String)]) -> io::Result<Vec<u8>> {
        let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&self.0)?;
        let marked = marked(text, problems).into_bytes();
        file.write_all(&marked)?;
        file.sync_all()?;
        Ok(marked)
    }

    /// Returns the content of the file.
    pub(crate) fn read(&self) -> Result<Vec<u8>, ReadError> {
        named::read(&self.0).map(|(_, bytes)| bytes)
    }

    /// Returns the text without the problems. Text that is not UTF-8 is returned unchanged, for the parser to refuse.
    pub(crate) fn without_problems(saved: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(saved) {
            Ok(text) => unmarked(text).into_bytes(),
            Err(_) => saved.to_owned(),
        }
    }

    /// Keeps the file and returns its path.
    pub(crate) fn keep(self) -> PathBuf {
        let path = self.0.to_path_buf();
        // If this fails the file is still there: only its deletion could not be cancelled.
        self.0.keep().unwrap_or(path)
    }
}

fn marked(text: &str, problems: &[(usize, String)]) -> String {
    let mut out = String::new();
    // A problem after the last line is written above that line.
    let last = text.lines().count().max(1);
    let lines = text.split_inclusive('\n').chain(text.is_empty().then_some(""));
    for (at, line) in lines.enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        for (_, message) in problems.iter().filter(|(nth, _)| (*nth).min(last) == at + 1) {
            let indent = indent.trim_end_matches(['\r', '\n']);
            out.extend([indent, MARK, &sanitize::line(message), "\n"]);
        }
        out.push_str(line);
    }
    out
}

fn unmarked(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with(MARK)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn problems_are_written_as_comments_above_their_lines() {
        let text = "a:\n  b: 1\n\n  c: 2";
        let problems =
            [(2, "first\nline".to_owned()), (2, "second".to_owned()), (9, "end".to_owned())];
        let expected = "a:\n  #!! first line\n  #!! second\n  b: 1\n\n  #!! end\n  c: 2";
        assert_eq!(marked(text, &problems), expected);
        assert_eq!(unmarked(expected), text);
        assert_eq!(marked("", &[(1, "empty".to_owned())]), "#!! empty\n");
    }

    proptest! {
        #[test]
        fn removing_problems_restores_text(
            text in "([ a\n\r#é]|\r\n)*",
            problems in proptest::collection::vec((0_usize..9, "[a\n#]*"), 0..5)
        ) {
            prop_assert_eq!(unmarked(&marked(&text, &problems)), text);
        }
    }

    #[test]
    fn a_draft_file_is_removed_unless_it_is_kept() {
        let evil = Draft::new("../../evil\\\u{1b}.yaml").unwrap();
        assert_eq!(evil.path().parent(), Some(std::env::temp_dir().as_path()));
        assert!(evil.path().display().to_string().ends_with("-..-..-evil--.yaml"));
        let draft = Draft::new("cafe.yaml").unwrap();
        let path = draft.path().to_owned();
        draft.write("a: 1\n", &[(1, "bad".to_owned())]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "#!! bad\na: 1\n");
        assert_eq!(draft.read().unwrap(), b"#!! bad\na: 1\n");
        assert_eq!(Draft::without_problems(&draft.read().unwrap()), b"a: 1\n");
        drop(draft);
        assert!(!path.exists());

        let draft = Draft::new("cafe.yaml").unwrap();
        draft.write("text", &[]).unwrap();
        let path = draft.keep();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        std::fs::remove_file(path).unwrap();
    }
}
