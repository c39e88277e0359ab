//! Global options: those that every command takes, anywhere on the command line, also on one that does not parse as a whole, because it has a
//! mistake or is being typed.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Args, Command, FromArgMatches, ValueEnum};

use crate::auth::AccountName;
use crate::output::format::{FieldSelection, Format};

/// Heading of the global options in the help.
pub(crate) const GLOBAL_OPTIONS: &str = "Global options";

/// Global options.
#[expect(clippy::doc_markdown, reason = "clap prints these texts as they are")]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Args, Debug, Default)]
#[command(next_help_heading = GLOBAL_OPTIONS, mut_args = of_every_command)]
pub(crate) struct GlobalArgs {
    /// Output format [env: LINKS_OUTPUT] [default: table]
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<Format>,
    /// Print only these fields of each record, such as `id,data.title`
    #[arg(long, value_name = "FIELDS", value_parser = FieldSelection::parse, conflicts_with = "jq")]
    pub(crate) fields: Option<FieldSelection>,
    /// Filter the data with jq, such as `.[].id`; the result is JSON unless -o sets another format
    #[arg(long, value_name = "FILTER")]
    pub(crate) jq: Option<String>,
    /// Print strings without quotes
    #[arg(short, long, requires = "jq")]
    pub(crate) raw: bool,
    /// In CSV, put ' before strings that a spreadsheet would evaluate as formulas
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// URL of the service, including the version segment [env: LINKS_BASE_URL]
    #[arg(long, value_name = "URL", conflicts_with = "sandbox")]
    pub(crate) base_url: Option<String>,
    /// Account to use (see `links auth list`) [env: LINKS_ACCOUNT]
    #[arg(long, value_name = "NAME", conflicts_with = "sandbox")]
    pub(crate) account: Option<AccountName>,
    /// When to use color [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]
    #[arg(long, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
    /// Don't show progress
    #[arg(long)]
    pub(crate) no_progress: bool,
    /// Log each request; -vv also logs headers and bodies [env: LINKS_LOG=1|2]
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Time limit per call, including waits and retries [env: LINKS_TIMEOUT] [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout: Option<u32>,
    /// Use the built-in sandbox instead of an account; `=limits` applies rate limits [env: LINKS_SANDBOX=1|limits]
    #[arg(long, value_name = "limits", num_args = 0..=1, require_equals = true, default_missing_value = "1", hide_possible_values = true)]
    pub(crate) sandbox: Option<SandboxMode>,
    /// Maximum wait for rate limits; fail instead of waiting longer [env: LINKS_MAX_WAIT]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_wait: Option<u64>,
    /// Leave a fifth of each rate limit to people, as in CI [env: LINKS_BACKGROUND]
    #[arg(long)]
    pub(crate) background: bool,
    /// Also trust the certificates in this PEM file when connecting to the service [env: LINKS_CA_FILE]
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
    /// Client certificate and its private key, in one PEM file [env: LINKS_CLIENT_CERT]
    #[arg(long, value_name = "FILE")]
    pub(crate) client_cert: Option<PathBuf>,
}

/// Makes an option global. Only the most used ones are in the help of a command.
fn of_every_command(option: Arg) -> Arg {
    let is_shown = matches!(option.get_id().as_str(), "output" | "jq" | "sandbox");
    option.global(true).hide_short_help(true).hide_long_help(!is_shown)
}

impl GlobalArgs {
    /// Tells whether the format is that of a filter, because the command line names none.
    pub(crate) fn implies_format(&self) -> bool {
        self.output.is_none() && self.jq.is_some()
    }
}

/// How the embedded service is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxMode {
    /// Without rate limits
    #[value(name = "1")]
    Unlimited,
    /// With the rate limits of the service
    Limits,
}

/// When colour is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Only on a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

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
                let parser = parser.get_or_insert_with(|| {
                    let only = Command::new("links").disable_help_flag(true).no_binary_name(true);
                    GlobalArgs::augment_args(only)
                });
                // The next word may be its value.
                let both = words[at..].iter().take(2);
                if let Ok(matches) = parser.clone().ignore_errors(true).try_get_matches_from(both) {
                    let _ = line.global.update_from_arg_matches(&matches);
                }
                if let Err(error) = parser.clone().try_get_matches_from([word]) {
                    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(name))) =
                        (error.kind(), error.get(ContextKind::InvalidArg))
                    {
                        line.other_options.push(name.clone());
                    }
                    // A global option whose value has to follow.
                    needs_value = error.kind() == ErrorKind::InvalidValue && !is_value;
                }
            } else if !is_value {
                line.words.push(word);
            }
        }
        line
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
