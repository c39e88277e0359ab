//! Output for a command line that is not to be run: the help that it asks for, or a usage error in the format that it asks for, as far as
//! that format can be read.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::command_line::{Cli, parse};
use super::unsupported_command;
use crate::context::prelude::*;
use crate::env_vars::{OUTPUT, TOKEN, TOKEN_FILE};
use crate::output::format::Format;
use crate::settings::global_args::{GlobalArgs, PartialLine};
use crate::ui::Ui;
use crate::{settings, ui};

/// Prints the help that the parser has made, and returns the exit code.
pub(crate) fn help(help: &clap::Error, args: &[OsString]) -> Exit {
    let words: Vec<_> = args.iter().map(|it| it.to_string_lossy()).collect();
    // Only this of all options matters to help, and to read the others takes a quarter of the time.
    let color = words
        .iter()
        .any(|it| it.starts_with("--color"))
        .then(|| PartialLine::read(words.get(1..).unwrap_or_default()).global.color);
    ui::help(help, settings::color_of_process(color.flatten()));
    Exit::Ok
}

/// Returns the error without suggestions of hidden aliases, which help shows nowhere.
fn without_aliases(mut error: clap::Error, tree: &clap::Command) -> clap::Error {
    fn is_name(tree: &clap::Command, word: &str) -> bool {
        tree.get_subcommands().any(|command| command.get_name() == word || is_name(command, word))
    }
    if let Some(ContextValue::Strings(meant)) = error.remove(ContextKind::SuggestedSubcommand) {
        let meant: Vec<String> = meant.into_iter().filter(|word| is_name(tree, word)).collect();
        if !meant.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(meant));
        }
    }
    error
}

/// Reports the error of the parser, and returns the exit code.
pub(crate) fn report(error: clap::Error, args: &[OsString]) -> Exit {
    let words: Vec<_> = args.iter().map(|it| it.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(|it| &**it).collect();
    let line = PartialLine::read(words.get(1..).unwrap_or_default());
    // Where the message may quote a word that is not safe to print, the line is parsed again with words that are.
    let shown = words.iter().map(|word| OsString::from(&*sanitize::one_line(word)));
    let shown: Vec<OsString> = shown.collect();
    let error = if shown == args { error } else { parse(&shown).err().unwrap_or(error) };
    // The names of commands are known without their arguments.
    let tree = Cli::command();
    let format = format(&line.global);
    if line.other_options.iter().any(|it| it == "--token") {
        // Other users of the machine and the history of the shell see the arguments of a command.
        let message = "there is no flag for the token, because other users can read a command line";
        Ui::plain(format).fail(&CommandError::usage(message).with_hint(format!(
            "store it with `links auth login --token-stdin`, or set {TOKEN} or {TOKEN_FILE}"
        )));
        return Exit::Usage;
    }
    let error = without_aliases(error, &tree);
    let suggestion = match error.kind() {
        ErrorKind::InvalidSubcommand => unsupported_command::suggestion(&line.words, &tree),
        _ => None,
    };
    match suggestion {
        Some(suggestion) => Ui::plain(format).fail(&suggestion),
        None if format.is_json() => Ui::plain(format).fail(&failure(&error)),
        None => ui::help(&error, settings::color_of_process(line.global.color)),
    }
    Exit::Usage
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
        Some(ContextValue::String(meant)) => failure.with_hint(format!("did you mean `{meant}`?")),
        Some(ContextValue::Strings(all)) if !all.is_empty() => {
            failure.with_hint(format!("did you mean `{}`?", all.join("` or `")))
        }
        _ => failure,
    }
}

/// Format of the messages of a command line whose settings are not known.
pub(crate) fn format(global: &GlobalArgs) -> Format {
    let of_environment = || Format::from_word(&std::env::var(OUTPUT).ok()?);
    let of_filter =
        global.jq.as_ref().map(|_| ui::message_format(Format::Json, global.implies_format()));
    global.output.or(of_filter).or_else(of_environment).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_format_is_read_from_an_invalid_command_line() {
        for line in ["links -o json", "links --output=json x", "links x -ojson", "links -o=json"] {
            let words: Vec<_> = line.split(' ').collect();
            assert_eq!(format(&PartialLine::read(&words).global), Format::Json, "{line}");
        }
        // Only where stderr is a terminal, a filter alone is no reason for JSON.
        let line = PartialLine::read(&["links", "--jq", ".", "y"]);
        assert_eq!(format(&line.global), ui::message_format(Format::Json, true));
        let line = PartialLine::read(&["links", "-o", "json", "-o", "csv"]);
        assert_eq!(format(&line.global), Format::Csv);
    }
}
