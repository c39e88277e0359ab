//! Global options: those that every command takes, anywhere on the command line.

use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, ValueEnum};

use crate::auth::AccountName;
use crate::output::format::{FieldSelection, Format};

/// Global options.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Format of the output.
    #[arg(
        short,
        long,
        global = true,
        value_name = "FORMAT",
        help = "Output format [env: LINKS_OUTPUT] [default: table]"
    )]
    pub(crate) output: Option<Format>,
    /// Fields to show.
    #[arg(
        long,
        global = true,
        value_name = "FIELDS",
        value_parser = FieldSelection::parse,
        conflicts_with = "jq",
        help = "Only these fields of each record: `id,data.title`"
    )]
    pub(crate) fields: Option<FieldSelection>,
    /// Filter to apply.
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        help = "Filter the data with jq; JSON unless -o says otherwise"
    )]
    pub(crate) jq: Option<String>,
    /// Print the strings of the filter without quotes.
    #[arg(short, long, global = true, requires = "jq", help = "Print strings without quotes")]
    pub(crate) raw: bool,
    /// Keep spreadsheets from computing values of CSV.
    #[arg(
        long,
        global = true,
        help = "In CSV, put ' before strings that a spreadsheet would take for formulas"
    )]
    pub(crate) csv_safe: bool,
    /// URL of the service.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        conflicts_with = "sandbox",
        help = "URL of the service, including the version segment [env: LINKS_BASE_URL]"
    )]
    pub(crate) base_url: Option<String>,
    /// Name of the account.
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        conflicts_with = "sandbox",
        help = "One of the accounts of `links auth list` [env: LINKS_ACCOUNT]"
    )]
    pub(crate) account: Option<AccountName>,
    /// When colour is used.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        help = "When to use colour [env: NO_COLOR, CLICOLOR_FORCE] [default: auto]"
    )]
    pub(crate) color: Option<Color>,
    /// Hide the progress of long work.
    #[arg(long, global = true, help = "Do not show the progress of long work")]
    pub(crate) no_progress: bool,
    /// Detail about requests.
    #[arg(
        short,
        long,
        global = true,
        action = ArgAction::Count,
        help = "Show each request with its time and what is left of the rate limit; -vv with headers and bodies [env: LINKS_LOG=1|2]"
    )]
    pub(crate) verbose: u8,
    /// Time limit per call in seconds.
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u32).range(1..),
        help = "Time limit per call, including waits and retries [env: LINKS_TIMEOUT] [default: 120]"
    )]
    pub(crate) timeout: Option<u32>,
    /// Use the embedded service.
    #[arg(
        long,
        global = true,
        help = "Use the embedded service of this machine, without an account [env: LINKS_SANDBOX=1]"
    )]
    pub(crate) sandbox: bool,
    /// Maximum wait for the rate limits in seconds.
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        help = "Fail instead of waiting longer than this [env: LINKS_MAX_WAIT]"
    )]
    pub(crate) max_wait: Option<u64>,
}

/// Command line with only the global options, for lines that cannot be parsed as a whole.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
struct Alone {
    #[command(flatten)]
    global: GlobalArgs,
}

impl GlobalArgs {
    /// Returns the global options of a command line, wherever they are and whatever else is wrong with the line.
    pub(crate) fn of_any_line(words: &[impl AsRef<str>]) -> Self {
        let mut found = Self::default();
        for at in 0..words.len() {
            let words = words[at..].iter().map(AsRef::as_ref).take(2);
            let line = Alone::command().ignore_errors(true).no_binary_name(true);
            if let Ok(matches) = line.try_get_matches_from(words) {
                // An invalid value counts as absent.
                let _ = found.update_from_arg_matches(&matches);
            }
        }
        found
    }

    /// Returns the words of a command line that are neither options nor the values of global options.
    pub(crate) fn other_words<'w>(words: &[&'w str]) -> Vec<&'w str> {
        let needs_value = |word: &&str| {
            let parsed = Alone::command().no_binary_name(true).try_get_matches_from([word]);
            parsed.is_err_and(|error| error.kind() == ErrorKind::InvalidValue)
        };
        let mut others = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                others.push(*word);
            } else if needs_value(word) {
                words.next();
            }
        }
        others
    }
}

/// When colour is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Elsewhere too
    Always,
    /// Nowhere
    Never,
}
