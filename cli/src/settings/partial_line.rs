//! Reading of command lines that do not parse as a whole: those with a mistake, and those that are being typed.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches, Parser};

use super::global_args::GlobalArgs;

/// Parts of a command line that can be read without the command, wherever they are and whatever is wrong with the line.
///
/// One parse by clap cannot give them: with `ignore_errors` it ends at the first option that is not global, and loses all that follows. A
/// positional with `allow_hyphen_values` does not end there, but from its first value on it takes the global options as values too. So each
/// word is parsed by itself, and together with the next word, which may be its value.
#[derive(Debug, Default)]
pub(crate) struct PartialLine<'w> {
    /// Global options; one with an invalid value counts as absent.
    pub(crate) global: GlobalArgs,
    /// Words that are neither options nor the values of global options.
    pub(crate) words: Vec<&'w str>,
    /// Names of the options that are not global: `--title` for `--title=Shop`.
    pub(crate) other_options: Vec<String>,
}

/// Command line with only the global options.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true, no_binary_name = true)]
struct GlobalOnly {
    #[command(flatten)]
    global: GlobalArgs,
}

impl<'w> PartialLine<'w> {
    /// Reads the words of a command line.
    pub(crate) fn read(words: &'w [impl AsRef<str>]) -> Self {
        let words: Vec<&'w str> = words.iter().map(AsRef::as_ref).collect();
        let mut line = Self::default();
        let mut parser = None;
        let mut needs_value = false;
        for (at, word) in words.iter().copied().enumerate() {
            let is_value = std::mem::take(&mut needs_value);
            if word.starts_with('-') {
                let parser = parser.get_or_insert_with(GlobalOnly::command);
                line.read_global(parser, words[at..].iter().copied().take(2));
                needs_value = line.read_option(parser, word) && !is_value;
            } else if !is_value {
                line.words.push(word);
            }
        }
        line
    }

    /// Reads the global options of a word that may be followed by its value.
    fn read_global(&mut self, parser: &Command, words: impl Iterator<Item = &'w str>) {
        let matches = parser.clone().ignore_errors(true).try_get_matches_from(words);
        if let Ok(matches) = matches {
            let _ = self.global.update_from_arg_matches(&matches);
        }
    }

    /// Reads an option without its value. Returns whether it is a global option whose value has to follow.
    fn read_option(&mut self, parser: &Command, word: &str) -> bool {
        let Err(error) = parser.clone().try_get_matches_from([word]) else { return false };
        if let (ErrorKind::UnknownArgument, Some(ContextValue::String(name))) =
            (error.kind(), error.get(ContextKind::InvalidArg))
        {
            self.other_options.push(name.clone());
        }
        error.kind() == ErrorKind::InvalidValue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_command_are_separated_from_flags_and_their_values() {
        let words = ["-o", "json", "profile", "-v", "delete", "--color=never", "cafe"];
        assert_eq!(PartialLine::read(&words).words, ["profile", "delete", "cafe"]);
    }

    #[test]
    fn options_are_found_after_unknown_words_and_options() {
        let words = ["x", "--token=secret", "-o", "csv", "--title", "--account", "work", "--token"];
        let line = PartialLine::read(&words);
        assert_eq!(line.other_options, ["--token", "--title", "--token"]);
        assert_eq!(line.global.output, Some(crate::output::format::Format::Csv));
        assert_eq!(line.global.account.map(|it| it.to_string()).as_deref(), Some("work"));
        assert_eq!(line.words, ["x"]);
    }
}
