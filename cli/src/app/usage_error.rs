//! A command line that is no command: help that was asked for, or a mistake, said in the format that the line asks for as far as it can
//! be read.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::unsupported_command;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::format::Format;
use crate::settings::global_args::{Color, GlobalArgs};
use crate::ui::Ui;
use crate::{env_vars, sanitize, settings, ui};

/// Flags of every command that are followed by a value.
const WITH_VALUE: &[&str] = &[
    "-o",
    "--output",
    "--fields",
    "--jq",
    "--base-url",
    "--account",
    "--color",
    "--timeout",
    "--max-wait",
];

/// Longest time for a question on the way to a mere sentence.
const DASHBOARD_SECONDS: u32 = 3;

/// Says it, and gives the exit code.
pub(crate) fn said(args: &[OsString], command: fn() -> clap::Command) -> Exit {
    let words: Vec<_> = args.iter().map(|it| it.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(|it| &**it).collect();
    let tree = command();
    // Once more, over the tree with its examples, and with words that can be shown where they are quoted.
    let shown = words.iter().map(|word| sanitize::one_line(word).into_owned());
    let parsed = [shown.map(OsString::from).collect(), args.to_vec()]
        .into_iter()
        .map(|args: Vec<OsString>| tree.clone().try_get_matches_from(args))
        .find_map(Result::err);
    let Some(error) = parsed else { return Exit::Internal };
    if error.exit_code() == 0 {
        ui::help(&error, color(&words));
        return Exit::Ok;
    }
    let format = format(&words);
    if words.iter().any(|it| *it == "--token" || it.starts_with("--token=")) {
        Ui::plain(format).fail(&no_token_flag());
        return Exit::Usage;
    }
    let elsewhere = match error.kind() {
        ErrorKind::InvalidSubcommand => unsupported_command::said(&named(&words), &tree),
        _ => None,
    };
    match elsewhere {
        Some(it) => {
            let at = if it.in_dashboard { dashboard(&words, command) } else { None };
            let hint = match at {
                Some(address) => format!("{}; the account in the dashboard: {address}", it.hint),
                None => it.hint,
            };
            Ui::plain(format).fail(&CommandError::usage(it.message).hint(hint));
        }
        None if format.is_json() => Ui::plain(format).fail(&failure(&error)),
        None => ui::help(&error, color(&words)),
    }
    Exit::Usage
}

/// Where the service keeps the account, as its index says; nothing where that cannot be had at once.
fn dashboard(words: &[&str], command: fn() -> clap::Command) -> Option<String> {
    let global = GlobalArgs {
        base_url: value(words, "--base-url", None).map(str::to_owned),
        account: value(words, "--account", None).and_then(|it| it.parse().ok()),
        sandbox: words.contains(&"--sandbox"),
        timeout: Some(DASHBOARD_SECONDS),
        ..GlobalArgs::default()
    };
    let settings = settings::of_process(&global).ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(async {
        let mut context = Context::new(settings, Ui::plain(Format::Json), command);
        let index = context.anyone().await.ok()?.index().await.ok()?;
        Some(index.authentication.issued_at)
    })
}

/// Other users of the machine and the history of the shell see what stands on a command line.
fn no_token_flag() -> CommandError {
    CommandError::usage("there is no flag for the token, because other users can read a command line").hint(
        "`links auth login --token-stdin` keeps it, LINKS_TOKEN and LINKS_TOKEN_FILE give it to one command",
    )
}

fn failure(error: &clap::Error) -> CommandError {
    let text = error.render().to_string();
    let message = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a command is missing",
        _ => text.split("\n\n").next().unwrap_or_default().trim(),
    };
    let failure = CommandError::usage(message.strip_prefix("error: ").unwrap_or(message));
    let meant =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    match meant.into_iter().find_map(|kind| error.get(kind)) {
        Some(ContextValue::String(meant)) => failure.hint(format!("did you mean `{meant}`?")),
        Some(ContextValue::Strings(all)) if !all.is_empty() => {
            failure.hint(format!("did you mean `{}`?", all.join("` or `")))
        }
        _ => failure,
    }
}

/// The words that name a command: no flags and not their values.
fn named<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut named = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            named.push(*word);
        }
    }
    named
}

/// What stands behind a flag, in any of the ways it can be written.
fn value<'w>(words: &[&'w str], long: &str, short: Option<&str>) -> Option<&'w str> {
    words.iter().enumerate().rev().find_map(|(at, word)| {
        if *word == long || short.is_some_and(|it| *word == it) {
            return words.get(at + 1).copied();
        }
        let rest = word.strip_prefix(long).and_then(|it| it.strip_prefix('='));
        rest.or_else(|| {
            let rest = word.strip_prefix(short?)?;
            Some(rest.strip_prefix('=').unwrap_or(rest))
        })
    })
}

fn format(words: &[&str]) -> Format {
    let named = value(words, "--output", Some("-o")).and_then(Format::from_word);
    let has_filter = value(words, "--jq", None).map(|_| Format::Json);
    let of_environment = || Format::from_word(&std::env::var(env_vars::OUTPUT).ok()?);
    named.or(has_filter).or_else(of_environment).unwrap_or_default()
}

fn color(words: &[&str]) -> Color {
    let flag = value(words, "--color", None);
    settings::color_of_process(flag.and_then(|it| clap::ValueEnum::from_str(it, true).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_read_from_a_line_that_cannot_be() {
        for line in [
            "links -o json",
            "links --output=json x",
            "links x -ojson",
            "links -o=json",
            "links --jq . y",
        ] {
            assert_eq!(format(&line.split(' ').collect::<Vec<_>>()), Format::Json, "{line}");
        }
        assert_eq!(format(&["links", "-o", "json", "-o", "csv"]), Format::Csv);
    }

    #[test]
    fn a_command_is_found_among_flags() {
        let words = ["links", "-o", "json", "profile", "-v", "delete", "--color=never", "cafe"];
        assert_eq!(named(&words), ["profile", "delete", "cafe"]);
    }
}
