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
use links_pages::sanitize;

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

/// Reports the error of the parser, and returns the exit code.
pub(crate) fn report(error: clap::Error, args: &[OsString]) -> Exit {
    let words: Vec<_> = args.iter().map(|it| it.to_string_lossy()).collect();
    let words: Vec<&str> = words.iter().map(|it| &**it).collect();
    let arguments = words.get(1..).unwrap_or_default();
    let line = PartialLine::read(arguments);
    // Where the message may quote a word that is not safe to print, the line is parsed again with words that are.
    let shown: Vec<OsString> =
        words.iter().map(|it| OsString::from(&*sanitize::one_line(it))).collect();
    let error = if shown == args { error } else { parse(&shown).err().unwrap_or(error) };
    // The names of commands are known without their arguments.
    let tree = Cli::command();
    let format = format(&line.global);
    if line.other_options.iter().any(|it| it == "--token") {
        // Other users of the machine and the history of the shell see the arguments of a command.
        let message = "there is no `--token` option, because other users can read command lines";
        return Ui::plain(format).fail(&CommandError::usage(message).with_hint(format!(
            "store it with `links auth login --token-stdin`, or set {TOKEN} or {TOKEN_FILE}"
        )));
    }
    let suggestion = match error.kind() {
        ErrorKind::InvalidSubcommand => unsupported_command::suggestion(&line.words, &tree),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !format.is_json() => {
            ui::help(&error, settings::color_of_process(line.global.color));
            return Exit::Usage;
        }
        ErrorKind::UnknownArgument
        | ErrorKind::InvalidValue
        | ErrorKind::ValueValidation
        | ErrorKind::ArgumentConflict => {
            let arg = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(arg)) => arg,
                _ => "",
            };
            unsupported_command::foreign_option(arguments, arg)
        }
        _ => None,
    };
    Ui::plain(format).fail(&suggestion.unwrap_or_else(|| failure(&error, &line.words, &tree)))
}

/// Returns the error in the words of this program.
fn failure(error: &clap::Error, words: &[&str], tree: &clap::Command) -> CommandError {
    let all = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(all)) => all.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        _ => Vec::new(),
    };
    let [arg, value] =
        [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|it| all(it).join(" "));
    let text = error.render().to_string();
    let message = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "a command is missing".to_owned()
        }
        ErrorKind::InvalidSubcommand => {
            format!("unknown command `{}`", all(ContextKind::InvalidSubcommand).join(" "))
        }
        ErrorKind::UnknownArgument if arg.starts_with('-') => format!("unknown option `{arg}`"),
        ErrorKind::UnknownArgument => format!("unexpected argument `{arg}`"),
        ErrorKind::MissingRequiredArgument => format!("missing {arg}"),
        ErrorKind::InvalidValue if !value.is_empty() => {
            format!("invalid value `{value}` for `{arg}`")
        }
        _ => {
            let first = text.split("\n\n").next().unwrap_or_default().trim();
            first.strip_prefix("error: ").unwrap_or(first).replace('\'', "`")
        }
    };
    let meant =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    // Hidden aliases are shown nowhere.
    let is_shown =
        |word: &String| error.kind() != ErrorKind::InvalidSubcommand || has_name(tree, word);
    let meant = meant.into_iter().flat_map(all).filter(is_shown).collect::<Vec<_>>().join("` or `");
    let values = all(ContextKind::ValidValue).join(", ");
    let file_option = if words.contains(&"plan") { "--out" } else { "-O" };
    let hint = match &*arg {
        _ if !meant.is_empty() => format!("did you mean `{meant}`?"),
        "--output <FORMAT>" if value.contains('.') => {
            format!("did you mean `{file_option} {value}`?")
        }
        _ if !values.is_empty() => format!("use one of {values}"),
        "" if error.kind() == ErrorKind::MissingSubcommand => {
            format!("`{} --help` lists the commands", all(ContextKind::InvalidSubcommand).concat())
        }
        "" => "`links --help` lists the commands".to_owned(),
        _ => all(ContextKind::Usage).concat().replace("Usage", "usage"),
    };
    CommandError::usage(message).hinted(Some(hint).filter(|it| !it.is_empty()))
}

/// Tells whether a command, or one below it, has this name.
fn has_name(tree: &clap::Command, word: &str) -> bool {
    tree.get_subcommands().any(|command| command.get_name() == word || has_name(command, word))
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
