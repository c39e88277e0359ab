//! File with the Markdown that a page is expected to have: its comparison with the page, and its update.

use std::io;
use std::path::Path;

use links_sdk::Markdown;
use serde_json::{Value, json};
use similar::TextDiff;

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::error::file_error::file_error;
use crate::fs::atomic;
use crate::fs::named::{self, ReadError};
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::output::{diff_lines, unified};
use crate::ui::annotations::Annotate;

/// Writes the page to the file.
pub(super) fn update(
    file: &Path,
    page: &Markdown,
    data: Value,
) -> Result<CommandOutput, CommandError> {
    atomic::write(file, &page.text, true)
        .map_err(|error| file_error(&format!("cannot write {}", file.display()), &error))?;
    let line = StyledLine::new(Style::Plain, format!("{} matches the page", file.display()));
    Ok(CommandOutput::own(data, View::Lines(vec![line])))
}

/// Compares the page with the file. The output adds `differs` and `diff` to `data`.
pub(super) fn compare(
    file: &Path,
    page: &Markdown,
    mut data: Value,
    annotate: Option<Annotate>,
) -> Result<CommandOutput, CommandError> {
    let (name, bytes) = named::read(file).map_err(unreadable)?;
    let (expected, found) = (lines(&String::from_utf8_lossy(&bytes)), lines(&page.text));
    if expected == found {
        data["differs"] = json!(false);
        let line = StyledLine::new(Style::Plain, format!("the page matches {name}"));
        return Ok(CommandOutput::own(data, View::Lines(vec![line])));
    }
    let text = unified((&name, &expected), ("the page", &found));
    if let Some(annotate) = annotate {
        let message = "the page differs from here on; `links profile preview --expect FILE --update` writes the page to the file";
        for group in TextDiff::from_lines(&expected, &found).grouped_ops(0) {
            let line = group.first().map_or(0, |op| op.old_range().start) + 1;
            annotate.error(Some((&name, line)), message);
        }
    }
    data["differs"] = json!(true);
    data["diff"] = json!(text);
    let view = View::Lines(diff_lines(&text));
    Ok(CommandOutput::own(data, view).exit(Exit::No))
}

/// Returns the error for a file that cannot be read, with a hint if there is none.
fn unreadable(error: ReadError) -> CommandError {
    let is_absent =
        matches!(&error, ReadError::Io(_, error) if error.kind() == io::ErrorKind::NotFound);
    let failure = CommandError::from(error);
    if is_absent { failure.with_hint("--update writes it") } else { failure }
}

/// Returns the text with the line ends of the service: Git may have converted those of the file.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_for_a_missing_file_the_hint_names_update() {
        let absent = ReadError::Io("cafe.md".to_owned(), io::ErrorKind::NotFound.into());
        assert_eq!(unreadable(absent).hint(), Some("--update writes it"));
        let locked = ReadError::Io("cafe.md".to_owned(), io::ErrorKind::PermissionDenied.into());
        assert_ne!(unreadable(locked).hint(), Some("--update writes it"));
    }
}
