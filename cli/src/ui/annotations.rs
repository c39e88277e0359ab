//! Annotations for a CI service, which shows them beside the lines of a file.

use clap::ValueEnum;

use super::{markers, stream};
use crate::error::CommandError;
use links_pages::page_file::FilePlace;

/// Whose form the notes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotate {
    /// GitHub Actions workflow commands, on stderr
    Github,
}

/// Weight of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    /// Returns its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

impl Annotate {
    /// Writes a note at a line of a file, counted from 1.
    pub(crate) fn note(self, level: Level, (file, line): (&str, usize), message: &str) {
        self.write(level, Some((file, line, None)), message);
    }

    /// Writes an error at a line of a file, counted from 1, or without a file.
    pub(crate) fn error(self, place: Option<(&str, usize)>, message: &str) {
        self.write(Level::Error, place.map(|(file, line)| (file, line, None)), message);
    }

    /// Writes the error of a command at each place that it names.
    pub(crate) fn failure(self, failure: &CommandError) {
        if !failure.others().is_empty() {
            return failure.others().iter().for_each(|other| self.failure(other));
        }
        if failure.file().is_none() {
            return self.error(None, &failure.to_string());
        }
        for (FilePlace { file, line, column }, message) in failure.places() {
            self.write(Level::Error, Some((file, line, Some(column))), &message);
        }
    }

    fn write(self, level: Level, place: Option<(&str, usize, Option<usize>)>, message: &str) {
        let Self::Github = self;
        stream::command(&github(level, place, message));
    }
}

fn github(level: Level, place: Option<(&str, usize, Option<usize>)>, message: &str) -> String {
    let (level, message) = (level.name(), escaped(&markers::broken(message)));
    match place {
        Some((file, line, column)) => {
            let file = escaped(&markers::broken(file)).replace(':', "%3A").replace(',', "%2C");
            let column = column.map(|it| format!(",col={it}")).unwrap_or_default();
            format!("::{level} file={file},line={line}{column}::{message}")
        }
        None => format!("::{level}::{message}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::{Level, github};

    #[test]
    fn commands_in_an_annotation_are_neutralized() {
        assert_eq!(
            github(Level::Error, None, "##[error]x\n::stop-commands::y"),
            "::error::# #[error]x%0A: :stop-commands::y"
        );
    }

    #[test]
    fn special_characters_in_an_annotation_are_escaped() {
        let text = "100% taken\n::error::forged";
        assert_eq!(
            github(Level::Error, Some(("a,b:c.txt", 3, None)), text),
            "::error file=a%2Cb%3Ac.txt,line=3::100%25 taken%0A: :error::forged"
        );
        assert_eq!(
            github(Level::Notice, Some(("a", 3, Some(7))), "x"),
            "::notice file=a,line=3,col=7::x"
        );
        assert_eq!(github(Level::Error, None, "x"), "::error::x");
        let named = github(Level::Error, Some(("##vso[x]a.txt", 1, None)), "x");
        assert!(!named.contains("##vso["), "{named}");
    }
}
