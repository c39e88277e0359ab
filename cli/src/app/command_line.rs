//! Definition of the command line, and its parsing at the least cost: every command pays for it.

use std::ffi::OsString;
use std::mem::ManuallyDrop;

use clap::error::ErrorKind;
use clap::{Args, Command as Definition, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::Command;
use crate::help::MAIN;
use crate::settings::global_args::GlobalArgs;

/// Columns of help, where the terminal has more.
const MAX_WIDTH: usize = 100;

/// Edit public link pages and the slots on them.
#[derive(Debug, Parser)]
#[command(
    name = "links",
    version,
    propagate_version = false,
    bin_name = "links",
    disable_help_subcommand = true,
    max_term_width = MAX_WIDTH
)]
pub(crate) struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Its name, such as `slots add`.
    #[arg(skip)]
    pub(crate) name: String,
}

impl Cli {
    /// Tells whether a part of the data is selected.
    pub(crate) fn selects(&self) -> bool {
        self.global.fields.is_some() || self.global.jq.is_some()
    }
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
    Cli::command().help_template(MAIN)
}

/// Parses a command line.
pub(super) fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    match part_for(args).map(|definition| parse_as(definition, args)) {
        Some(Ok(cli)) => Ok(cli),
        // Help or the version, or a command that nothing knows.
        Some(Err(answer))
            if answer.exit_code() == 0 || answer.kind() == ErrorKind::InvalidSubcommand =>
        {
            Err(answer)
        }
        // What is wrong is said by the whole definition, which knows every command.
        _ => parse_as(whole(), args),
    }
}

/// Returns the part of the definition that a line needs. The parser copies the global options into every command that it knows, which is a
/// third of its work: help, the version of the program and an unknown command need no copy, and a line that begins with a command needs one for
/// each word of its name.
fn part_for(args: &[OsString]) -> Option<Definition> {
    let first = args.get(1)?.to_str()?;
    let without_copies = || whole().mut_args(|it| it.global(false));
    if first.starts_with('-') {
        return (args.len() == 2).then(without_copies);
    }
    let all = Command::augment_subcommands(Definition::new("links"));
    let only = only(all, &args[1..]);
    if only.get_subcommands().nth(1).is_some() {
        leave(only);
        return Some(without_copies());
    }
    Some(GlobalArgs::augment_args(only).disable_help_subcommand(true).max_term_width(MAX_WIDTH))
}

/// Returns a group of commands without those that a line is not about, which starts with these words; the group as it is if the line names none.
fn only(mut group: Definition, words: &[OsString]) -> Definition {
    let word = words.first().filter(|_| group.get_arguments().next().is_none());
    let named = word.and_then(|word| group.find_subcommand_mut(word)).map(std::mem::take);
    let Some(named) = named else { return group };
    let names = std::iter::once(group.get_name()).chain(group.get_all_aliases());
    let leaked = |name: &str| -> &'static str { Box::leak(Box::from(name)) };
    let names: Vec<_> = names.map(leaked).collect();
    leave(group);
    let group = Definition::new(names[0]).aliases(&names[1..]).subcommand_required(true);
    group.subcommand(only(named, &words[1..]))
}

fn parse_as(mut definition: Definition, args: &[OsString]) -> Result<Cli, clap::Error> {
    let parsed = definition.try_get_matches_from_mut(args).and_then(|mut matches| {
        let names = std::iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
        let name = names.map(|(name, _)| name).collect::<Vec<_>>().join(" ");
        let cli = Cli::from_arg_matches_mut(&mut matches);
        let cli = cli.map_err(|error| error.format(&mut definition))?;
        Ok(Cli { name, ..cli })
    });
    leave(definition);
    parsed
}

/// Leaves a large value to the end of the process: to free a definition takes a tenth of the instructions of a short command.
pub(super) fn leave<T>(value: T) {
    #[cfg(debug_assertions)]
    if crate::testing::is_simulated() {
        return drop(value);
    }
    let _ = ManuallyDrop::new(value);
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
            "links forms field add 6f1c type=phone label=Phone required:=true --at 1",
            "links profile update cafe title=-h",
            "links sandbox serve --port 8080",
        ] {
            let args = words(line);
            let one = part_for(&args).map(|it| parse_as(it, &args));
            let one = format!("{:?}", one.unwrap().unwrap());
            assert_eq!(one, format!("{:?}", parse_as(whole(), &args).unwrap()), "{line}");
        }
    }

    fn answer(result: Result<Cli, clap::Error>) -> String {
        let error = result.unwrap_err();
        format!("{:?}\n{}", error.kind(), error.render().ansi())
    }

    fn each_path(command: &Definition, path: &str, look: &mut impl FnMut(&str)) {
        look(path);
        for sub in command.get_subcommands() {
            for name in std::iter::once(sub.get_name()).chain(sub.get_all_aliases()) {
                each_path(sub, &format!("{path} {name}"), look);
            }
        }
    }

    #[test]
    fn help_of_every_command_is_that_of_the_whole_definition() {
        let mut count = 0;
        each_path(&Cli::command(), "links", &mut |path| {
            for option in ["-h", "--help"] {
                let args = words(&format!("{path} {option}"));
                let part = parse_as(part_for(&args).unwrap(), &args);
                assert_eq!(answer(part), answer(parse_as(whole(), &args)), "{path} {option}");
                count += 1;
            }
        });
        assert!(count > 200, "{count}");
    }

    #[test]
    fn mistakes_come_from_the_whole_definition() {
        for line in [
            "links slot list",
            "links slotz",
            "links slotz -o json --help",
            "links slots lst",
            "links forms field ad",
            "links slots list cafe --fild id",
            "links slots list --help=x",
            "links -o json me",
            "links --versoin",
            "links -x",
            "links --version",
            "links",
        ] {
            let args = words(line);
            let whole = parse_as(whole(), &args).map_err(|it| it.render().ansi().to_string());
            let parsed = parse(&args).map_err(|it| it.render().ansi().to_string());
            assert_eq!(format!("{parsed:?}"), format!("{whole:?}"), "{line}");
        }
    }
}
