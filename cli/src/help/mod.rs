//! Texts that help shows besides the arguments: notes and examples below the help of a command, and the topics of `links help`. Short help
//! (`-h`) fits a screen: it leaves the options of every command to `links help options`, and examples that do not fit to long help (`--help`).

use std::fmt::Write;

use clap::Command;

use crate::env_vars;
use crate::error::Exit;
use crate::settings::config_file::KEYS;

/// Last line of help.
pub(crate) const POINTER: &str =
    "`links help options` lists the options that every command accepts.";

/// Template of the main help, with the commands in groups.
pub(crate) const MAIN: &str = include_str!("main.txt");

/// Attributes of a command for the examples below its help. What else is to be known about it is its `after_help`, which comes first.
pub(crate) trait HelpText {
    /// Adds lines that can be typed unchanged.
    fn examples<const N: usize>(self, lines: [&'static str; N]) -> Self;

    /// Adds lines that can be typed unchanged, where short help has room for the first only, and for no notes.
    fn long_examples<const N: usize>(self, lines: [&'static str; N]) -> Self;
}

impl HelpText for Command {
    fn examples<const N: usize>(self, lines: [&'static str; N]) -> Self {
        let text = with_examples(&self, &lines);
        self.after_help(text.clone()).after_long_help(text)
    }

    fn long_examples<const N: usize>(self, lines: [&'static str; N]) -> Self {
        let short = ["Example:\n  ", lines[0], "\n\n", POINTER].concat();
        let text = with_examples(&self, &lines);
        self.after_help(short).after_long_help(text)
    }
}

/// Returns the notes of a command and its examples. Every start of the program needs the texts of verbs that are declared in their nouns,
/// so they are joined without the machinery of formats.
fn with_examples(command: &Command, lines: &[&str]) -> String {
    let notes = command.get_after_help().map(|it| format!("{it}\n\n")).unwrap_or_default();
    let heading = if lines.len() == 1 { "Example:\n  " } else { "Examples:\n  " };
    [&*notes, heading, &*lines.join("\n  "), "\n\n", POINTER].concat()
}

/// Explanation of a topic.
type Explain = fn(&Command) -> String;

/// Every topic of `links help`: its name, and its explanation.
pub(crate) const TOPICS: &[(&str, Explain)] = &[
    ("options", options),
    ("exit-codes", exit_codes),
    ("environment", environment),
    ("output", |_| include_str!("output.txt").to_owned()),
    ("files", files),
    ("agents", |_| include_str!("agents.txt").to_owned()),
];

/// Command lines of the skill, each of which has an example.
const WORKED: [&str; 10] = [
    "profile list",
    "slots list",
    "search",
    "pull",
    "lint",
    "plan",
    "preview",
    "apply",
    "log",
    "undo",
];

/// Returns a SKILL.md: when an agent uses the program and how, with all commands.
pub(crate) fn skill(tree: &Command) -> String {
    let mut text = include_str!("skill.txt").to_owned();
    text += include_str!("agents.txt");
    text += "\n## Examples\n\n";
    for line in WORKED {
        let command = line.split(' ').try_fold(tree, |command, name| command.find_subcommand(name));
        let Some(command) = command else { continue };
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let example = help.lines().find_map(|it| it.strip_prefix("  links ")).unwrap_or(line);
        let about = command.get_about().cloned().unwrap_or_default();
        let _ = writeln!(text, "- {about}: `links {example}`");
    }
    text += "\n## Commands\n\n`links COMMAND -h` explains a command.\n\n";
    commands(tree, "links", &mut text);
    text
}

fn commands(command: &Command, name: &str, text: &mut String) {
    for sub in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let name = format!("{name} {}", sub.get_name());
        if sub.has_subcommands() {
            commands(sub, &name, text);
        } else {
            let about = sub.get_about().cloned().unwrap_or_default();
            let _ = writeln!(text, "- `{name}`: {about}");
        }
    }
}

fn exit_codes(_: &Command) -> String {
    let mut text =
        "Every command exits with one of these codes, which scripts can check:\n\n".to_owned();
    for exit in Exit::ALL {
        let _ = writeln!(text, "{:>5}  {:<18}{}", exit.code(), exit.name(), exit.meaning());
    }
    text + "\nWith -o json, `code` is the name (or the service's own code), and `exit` is the number.\n"
}

/// Returns the help of the options that every command takes.
fn options(tree: &Command) -> String {
    let global = tree.get_arguments().filter(|it| it.is_global_set()).cloned();
    let global = global.map(|it| it.help_heading("Options of every command").hide_long_help(false));
    let command = Command::new("links").disable_help_flag(true).max_term_width(100).args(global);
    command.help_template("{all-args}").render_long_help().to_string()
}

fn environment(_: &Command) -> String {
    let mut text = "Flags override variables, variables override the configuration file, and the file overrides the defaults.\n\n".to_owned();
    for key in KEYS {
        let default = match key.default {
            "" => String::new(),
            default => format!(" [{default}]"),
        };
        let _ = writeln!(text, "  {}\n      {}{default}", key.variable, key.about);
    }
    for (name, about) in env_vars::ABOUT {
        let _ = writeln!(text, "  {name}\n      {about}");
    }
    text
}

fn files(_: &Command) -> String {
    let mut text = include_str!("files.txt").to_owned();
    for key in KEYS {
        let _ = writeln!(text, "  {:<16}{}", key.name, key.about);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns and lines of the smallest terminal that short help has to fit.
    const SCREEN: (usize, usize) = (80, 24);

    fn too_long(command: &mut Command, path: &str, found: &mut Vec<String>) {
        if !command.has_subcommands() {
            let lines = command.render_help().to_string().lines().count();
            if lines > SCREEN.1 {
                found.push(format!("{path}: {lines} lines"));
            }
        }
        for sub in command.get_subcommands_mut() {
            let path = format!("{path} {}", sub.get_name());
            too_long(sub, &path, found);
        }
    }

    #[test]
    fn short_help_of_each_leaf_fits_a_screen() {
        let mut tree = crate::command().term_width(SCREEN.0);
        tree.build();
        let mut found = Vec::new();
        too_long(&mut tree, "links", &mut found);
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn help_of_a_command_names_the_topic_of_the_global_options() {
        let mut tree = crate::command();
        tree.build();
        let leaf = tree.find_subcommand_mut("me").unwrap();
        let long = leaf.render_long_help().to_string();
        assert!(long.contains("--output") && long.contains("--jq") && long.contains("--sandbox"));
        for help in [long, leaf.render_help().to_string()] {
            assert!(!help.contains("--max-wait") && help.contains("links help options"), "{help}");
        }
        assert!(options(&tree).contains("--max-wait"));
        assert!(files(&tree).contains("\n  safe-directory  directories"));
    }

    #[test]
    fn the_main_help_has_every_command_in_one_group() {
        let tree = crate::command();
        let shown = tree.get_subcommands().filter(|it| !it.is_hide_set());
        let row = |it: &Command| format!("  {:<11}  {}", it.get_name(), it.get_about().unwrap());
        let mut expected: Vec<String> = shown.map(row).collect();
        expected.sort();
        let mut rows: Vec<_> = MAIN.lines().filter(|line| line.starts_with("  ")).collect();
        rows.sort_unstable();
        assert_eq!(rows, expected);
    }

    fn each_leaf(command: &Command, path: &str, look: &mut impl FnMut(&Command, &str)) {
        if !command.has_subcommands() {
            look(command, path);
        }
        for sub in command.get_subcommands() {
            each_leaf(sub, &format!("{path} {}", sub.get_name()), look);
        }
    }

    #[test]
    fn every_command_has_an_example_that_can_be_typed() {
        let tree = crate::command();
        each_leaf(&tree, "links", &mut |leaf, path| {
            let help = leaf.get_after_long_help().or(leaf.get_after_help());
            let text = help.map(ToString::to_string).unwrap_or_default();
            let lines: Vec<_> = text
                .lines()
                .filter(|it| it.trim_start().starts_with("links ") || it.contains("links "))
                .collect();
            assert!(text.contains("Example") && !lines.is_empty(), "{path} has no example");
            for line in lines {
                let line = line.trim().trim_start_matches("source <(").trim_end_matches(')');
                let words =
                    shlex::split(line.split([';', '|', '>', '<']).next().unwrap_or_default());
                // The part for other programs of the shell is not checked.
                let Some(words) = words.filter(|it| it.first().is_some_and(|it| it == "links"))
                else {
                    continue;
                };
                if let Err(error) = crate::command().try_get_matches_from(&words) {
                    panic!("{line}: {error}");
                }
            }
        });
    }
}
