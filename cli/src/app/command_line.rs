//! Definition of the command line, and its parsing at the least cost: every command pays for it.

use std::ffi::OsString;

use clap::{Args, Command as Definition, CommandFactory, FromArgMatches, Parser};

use crate::commands::Command;
use crate::help::{POINTER, topics};
use crate::settings::global_args::GlobalArgs;

/// Edit public link pages and the slots on them.
#[derive(Debug, Parser)]
#[command(
    name = "links",
    version,
    propagate_version = false,
    bin_name = "links",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Returns the definition of the whole command line, for scripts and tests that walk it.
pub fn command() -> Definition {
    let mut definition = whole();
    // The arguments of a command are made when they are needed.
    definition.build();
    definition
}

/// Returns the definition with every command, and with the texts of help.
fn whole() -> Definition {
    let exit_codes = topics::exit_codes_in_brief();
    Cli::command().after_help(format!("{exit_codes}\n\n{POINTER}")).after_long_help(exit_codes)
}

/// Parses a command line.
pub(super) fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    if let Some(Ok(cli)) = with_one_command(args).map(|definition| parse_as(definition, args)) {
        return Ok(cli);
    }
    // What is wrong, and help, are said by the whole definition, which knows every command.
    parse_as(whole(), args)
}

/// Returns the definition with no other command than the one that the line begins with. The parser copies the global options into every
/// command that it knows, which is a third of its work.
fn with_one_command(args: &[OsString]) -> Option<Definition> {
    let name = args.get(1)?.to_str()?;
    let asks_for_help = |it: &OsString| it == "-h" || it == "--help";
    if args.iter().any(asks_for_help) {
        return None;
    }
    let only = Cli::command().find_subcommand(name)?.clone();
    let root = Definition::new("links").disable_help_subcommand(true).subcommand_required(true);
    Some(GlobalArgs::augment_args(root).subcommand(only))
}

/// Parses with a definition, which is never freed, because the process ends first: to free it takes a tenth of the instructions of a short
/// command.
fn parse_as(definition: Definition, args: &[OsString]) -> Result<Cli, clap::Error> {
    let definition = Box::leak(Box::new(definition));
    let mut matches = definition.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(definition))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_line_means_the_same_with_one_command_as_with_all() {
        for line in [
            "links me -o json",
            "links slots list cafe --fields id,data.title --timeout 5",
            "links slots apply cafe.yaml --prune --yes --max-deletes 5 -vv",
            "links forms field add 6f1c type=phone label=Phone required:=true --at 0",
            "links profile update cafe title=-h",
            "links sandbox serve --port 8080",
        ] {
            let args = words(line);
            let one = with_one_command(&args).map(|it| parse_as(it, &args));
            let one = format!("{:?}", one.unwrap().unwrap());
            assert_eq!(one, format!("{:?}", parse_as(whole(), &args).unwrap()), "{line}");
        }
    }

    #[test]
    fn mistakes_and_help_come_from_the_whole_definition() {
        for line in [
            "links slot list",
            "links slots lst",
            "links slots list --help",
            "links -o json me",
            "links",
        ] {
            let args = words(line);
            let whole = parse_as(whole(), &args).map_err(|it| it.to_string());
            assert_eq!(
                format!("{:?}", parse(&args).map_err(|it| it.to_string())),
                format!("{whole:?}"),
                "{line}"
            );
        }
    }
}
