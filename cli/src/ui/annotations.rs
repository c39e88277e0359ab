//! Annotations for a CI service, which shows them beside the lines of a file.

use clap::ValueEnum;

use crate::error::CommandError;
use crate::ui;

/// Whose form the notes have.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Annotate {
    /// Workflow commands of GitHub Actions, on stderr
    Github,
}

impl Annotate {
    /// Writes an error at a line of a file, counted from 1, or without a file.
    pub(crate) fn error(self, place: Option<(&str, usize)>, message: &str) {
        let Self::Github = self;
        ui::annotate(&github(place.map(|(file, line)| (file, line, None)), message));
    }

    /// Writes the error of a command at each place that it names.
    pub(crate) fn failure(self, failure: &CommandError) {
        let Self::Github = self;
        if !failure.others().is_empty() {
            return failure.others().iter().for_each(|other| self.failure(other));
        }
        let Some(file) = failure.file() else {
            return ui::annotate(&github(None, &failure.to_string()));
        };
        for (line, column, message) in failure.places() {
            ui::annotate(&github(Some((file, line, Some(column))), &message));
        }
    }
}

fn github(place: Option<(&str, usize, Option<usize>)>, message: &str) -> String {
    let message = escaped(&ui::unmarked(message));
    match place {
        Some((file, line, column)) => {
            let file = escaped(file).replace(':', "%3A").replace(',', "%2C");
            let column = column.map(|it| format!(",col={it}")).unwrap_or_default();
            format!("::error file={file},line={line}{column}::{message}")
        }
        None => format!("::error::{message}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::github;

    #[test]
    fn found_10_commands_in_an_annotation_are_neutralized() {
        assert_eq!(
            github(None, "##[error]x\n::stop-commands::y"),
            "::error::# #[error]x%0A: :stop-commands::y"
        );
    }

    #[test]
    fn special_characters_in_an_annotation_are_escaped() {
        let text = "100% taken\n::error::forged";
        assert_eq!(
            github(Some(("a,b:c.txt", 3, None)), text),
            "::error file=a%2Cb%3Ac.txt,line=3::100%25 taken%0A: :error::forged"
        );
        assert_eq!(github(Some(("a", 3, Some(7))), "x"), "::error file=a,line=3,col=7::x");
        assert_eq!(github(None, "x"), "::error::x");
    }
}
