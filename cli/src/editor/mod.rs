//! Editing of a record in the user's editor, which is reopened with each problem above its line until the text is valid or left unchanged.

pub(crate) mod form_fields;

use std::io::Write;

use tempfile::TempPath;

use crate::context::prelude::*;
use crate::process;
use crate::signal::SuppressInterrupt;
use links_pages::page_file::Document;

/// Opens a YAML text in the editor and passes the result to `apply`, with the path of its file; repeats that when `apply` refuses the text
/// as invalid, or because others changed the same. `apply` returns `None` if nothing was changed.
///
/// # Errors
///
/// Without a terminal or an editor; on an error of `apply` other than an invalid text, or when the text is left as it was refused. The text
/// is then kept, and the failure names its path.
pub(crate) async fn edit(
    context: &mut Context,
    name: &str,
    text: &str,
    instead: &str,
    apply: impl AsyncFnMut(&mut Context, Document, &Path) -> Result<Option<CommandOutput>>,
) -> Result<CommandOutput> {
    if !context.ui.is_interactive() {
        return Err(CommandError::refused("the editor needs a terminal")
            .with_hint(format!("use {instead} instead")));
    }
    let named = context.settings.editor.clone().filter(|it| !it.trim().is_empty());
    let editor = named.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let cannot =
        |error| CommandError::usage(format!("cannot save the text to a temporary file: {error}"));
    let draft = Draft::new(name).map_err(cannot)?;
    draft.write(text, &[]).map_err(cannot)?;
    let ended = rounds(context, &editor, name, text, &draft, apply).await;
    let Some(ended) = ended.transpose() else {
        return Ok(said(json!({ "changed": false }), "no changes"));
    };
    if ended.is_ok() && context.dry_run().is_none() {
        return ended;
    }
    // After an error and in a dry run the text is kept, so that no work is lost.
    let kept = draft.keep();
    if ended.as_ref().err().is_none_or(|failure| !failure.dry_run_results().is_empty()) {
        let text = format!("the text is saved in {}", kept.display());
        context.ui.tell(Style::Plain, text);
    }
    // An editor can have removed it.
    ended.map_err(|failure| if kept.is_file() { failure.kept(&kept) } else { failure })
}

async fn rounds(
    context: &mut Context,
    editor: &str,
    name: &str,
    original: &str,
    draft: &Draft,
    mut apply: impl AsyncFnMut(&mut Context, Document, &Path) -> Result<Option<CommandOutput>>,
) -> Result<Option<CommandOutput>> {
    let mut refused: Option<Refused> = None;
    loop {
        open(editor, &draft.0)?;
        let (_, saved) = named::read(&draft.0)?;
        let text = match &refused {
            Some(before) => unmarked(&saved, &before.mark),
            None => saved.clone(),
        };
        if text == original.as_bytes() || text.trim_ascii().is_empty() {
            return Ok(None);
        }
        if let Some(before) = refused.take_if(|before| before.saved == saved) {
            return Err(before.failure);
        }
        let result = async {
            let document = Document::from_bytes(name, text.clone())?;
            apply(context, document, &draft.0).await
        };
        let failure = match result.await {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        let Ok(shown) = String::from_utf8(text) else { return Err(failure) };
        let is_contested = failure.exit() == Exit::Conflict && failure.file().is_some();
        if failure.exit() != Exit::Invalid && !is_contested {
            return Err(failure);
        }
        // An editor may remove the problems and leave the text as it is, again and again.
        if !is_contested && refused.is_some_and(|before| before.text == shown) {
            return Err(failure);
        }
        context.ui.tell(
            Style::Changed,
            format!("{failure}; reopening the file with each problem above its line"),
        );
        let lines = failure.lines().into_iter().map(|(line, text)| {
            let advice = if is_contested { "; to keep your version, delete this line" } else { "" };
            (line, text + advice)
        });
        let written = draft.write(&shown, &lines.collect::<Vec<_>>());
        let (saved, mark) = written.map_err(cannot("write", &draft.0))?;
        refused = Some(Refused { saved, mark, text: shown, failure });
    }
}

/// A text that was refused.
struct Refused {
    /// Content of the file with the problems.
    saved: Vec<u8>,
    /// Prefix of the lines that describe them.
    mark: String,
    /// The text without them.
    text: String,
    failure: CommandError,
}

fn open(editor: &str, draft: &Path) -> Result<()> {
    let failed = |why: String| {
        CommandError::usage(format!("the editor `{editor}` failed: {why}"))
            .with_hint("to use another editor, set VISUAL or EDITOR")
    };
    let mut command = process::named(editor).map_err(|error| failed(error.to_string()))?;
    // An editor handles Ctrl-C itself.
    let _tended = SuppressInterrupt::new();
    match command.arg(draft).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Temporary file of the draft, deleted on drop unless it is [kept](Self::keep).
#[derive(Debug)]
struct Draft(TempPath);

impl Draft {
    /// Creates a file named after what is edited. The name comes from the service, so path separators in it are replaced.
    fn new(name: &str) -> io::Result<Self> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let suffix: String = format!("-{name}").chars().map(plain).collect();
        let file = tempfile::Builder::new().prefix("links-").suffix(&suffix).tempfile()?;
        Ok(Self(file.into_temp_path()))
    }

    /// Replaces the text, with each problem (line, message) above its line. Returns the new content of the file, and the prefix of the
    /// lines that describe problems.
    fn write(&self, text: &str, problems: &[(usize, String)]) -> io::Result<(Vec<u8>, String)> {
        let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&self.0)?;
        let mark = mark_for(text);
        let marked = marked(text, problems, &mark).into_bytes();
        file.write_all(&marked)?;
        file.sync_all()?;
        Ok((marked, mark))
    }

    /// Keeps the file and returns its path.
    fn keep(self) -> PathBuf {
        let path = self.0.to_path_buf();
        // If this fails the file is still there: only its deletion could not be cancelled.
        self.0.keep().unwrap_or(path)
    }
}

/// Returns a prefix for lines that describe a problem of the next line. No line of the text begins with it.
fn mark_for(text: &str) -> String {
    let mut mark = "#!! ".to_owned();
    while text.lines().any(|line| line.trim_ascii_start().starts_with(&mark)) {
        mark.insert(1, '!');
    }
    mark
}

fn marked(text: &str, problems: &[(usize, String)], mark: &str) -> String {
    let mut out = String::new();
    // A problem after the last line is written above that line.
    let last = text.lines().count().max(1);
    let lines = text.split_inclusive('\n').chain(text.is_empty().then_some(""));
    for (at, line) in lines.enumerate() {
        let indent = &line[..line.len() - line.trim_ascii_start().len()];
        for (_, message) in problems.iter().filter(|(nth, _)| (*nth).min(last) == at + 1) {
            let indent = indent.trim_end_matches(['\r', '\n']);
            out.extend([indent, mark, &sanitize::line(message), "\n"]);
        }
        out.push_str(line);
    }
    out
}

/// Returns the text without the problems.
fn unmarked(saved: &[u8], mark: &str) -> Vec<u8> {
    let lines = saved.split_inclusive(|byte| *byte == b'\n');
    let is_own = |line: &&[u8]| !line.trim_ascii_start().starts_with(mark.as_bytes());
    lines.filter(is_own).flatten().copied().collect()
}

#[cfg(test)]
mod draft_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn problems_are_written_as_comments_above_their_lines() {
        let text = "a:\n  b: 1\n\n  c: 2";
        let problems =
            [(2, "first\nline".to_owned()), (2, "second".to_owned()), (9, "end".to_owned())];
        let expected = "a:\n  #!! first line\n  #!! second\n  b: 1\n\n  #!! end\n  c: 2";
        let mark = mark_for(text);
        assert_eq!(marked(text, &problems, &mark), expected);
        assert_eq!(unmarked(expected.as_bytes(), &mark), text.as_bytes());
        assert_eq!(marked("", &[(1, "empty".to_owned())], &mark), "#!! empty\n");
    }

    proptest! {
        #[test]
        fn removing_problems_restores_text(
            text in "([ a\n\r#é]|\r\n|#!! )*",
            problems in proptest::collection::vec((0_usize..9, "[a\n#]*"), 0..5)
        ) {
            let mark = mark_for(&text);
            let marked = marked(&text, &problems, &mark);
            prop_assert_eq!(unmarked(marked.as_bytes(), &mark), text.into_bytes());
        }
    }

    #[test]
    fn a_draft_file_is_removed_unless_it_is_kept() {
        let evil = Draft::new("../../evil\\\u{1b}.yaml").unwrap();
        assert_eq!(evil.0.parent(), Some(std::env::temp_dir().as_path()));
        assert!(evil.0.display().to_string().ends_with("-..-..-evil--.yaml"));
        let draft = Draft::new("cafe.yaml").unwrap();
        let path = draft.0.to_path_buf();
        let (_, mark) = draft.write("a: 1\n", &[(1, "bad".to_owned())]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "#!! bad\na: 1\n");
        assert_eq!(unmarked(&std::fs::read(&path).unwrap(), &mark), b"a: 1\n");
        drop(draft);
        assert!(!path.exists());

        let draft = Draft::new("cafe.yaml").unwrap();
        draft.write("text", &[]).unwrap();
        let path = draft.keep();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        std::fs::remove_file(path).unwrap();
    }
}
