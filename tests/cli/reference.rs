//! The reference of commands: an index in `docs/commands.md` and a page for each noun in `docs/commands`, made from the definition of the
//! command line. `LINKS_UPDATE=1 cargo test --workspace --test cli reference` writes them.

use std::fmt::Write;

use clap::{Arg, Command};

use crate::docs::compare;

const INTRODUCTION: &str = "# Commands\n\n\
     Each page describes a command and its subcommands. `links COMMAND --help` shows the same text.\n\n\
     | command | purpose |\n|---|---|\n";

/// Returns a text in which no character has a meaning of Markdown, outside of its spans of code.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let escaped = parts.map(|(nth, part)| match nth % 2 {
        0 => part.replace('*', "\\*").replace('<', "\\<").replace('[', "\\["),
        _ => part.to_owned(),
    });
    escaped.collect::<Vec<_>>().join("`").replace('\n', " ")
}

/// Returns an argument as one item of a list.
fn item(argument: &Arg) -> String {
    let short = argument.get_short().map(|it| format!("-{it}, ")).unwrap_or_default();
    let help = argument.get_long_help().or(argument.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let help = help.replace(".\n\n", ". ").replace("\n\n", ". ");
    let mut text = format!("- `{short}{argument}`: {}", escaped(&help));
    let values = argument.get_possible_values();
    let takes_value = argument.get_action().takes_values();
    let values: Vec<_> = values.iter().filter(|it| !it.is_hide_set()).collect();
    if takes_value && !values.is_empty() && !argument.is_hide_possible_values_set() {
        let names: Vec<_> = values.iter().map(|it| format!("`{}`", it.get_name())).collect();
        write!(text, " (one of {})", names.join(", ")).unwrap();
    }
    let defaults = argument.get_default_values();
    if takes_value && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        let names: Vec<_> = defaults.iter().map(|it| format!("`{}`", it.display())).collect();
        write!(text, " (default {})", names.join(", ")).unwrap();
    }
    text + "\n"
}

fn items<'c>(arguments: impl Iterator<Item = &'c Arg>) -> String {
    let shown = arguments.filter(|it| !it.is_hide_set() && it.get_id() != "help");
    let list: String = shown.map(item).collect();
    if list.is_empty() { list } else { list + "\n" }
}

/// Appends the section of a command, and those of its subcommands.
fn section(command: &mut Command, path: &str, text: &mut String) {
    let depth = "#".repeat(path.split(' ').count() - 1);
    let about = command.get_long_about().or(command.get_about());
    let about = escaped(&about.map(ToString::to_string).unwrap_or_default());
    write!(text, "{depth} {path}\n\n{about}\n\n").unwrap();
    if command.has_subcommands() {
        let names: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
        for name in names {
            let below = command.find_subcommand_mut(&name).unwrap();
            if !below.is_hide_set() {
                section(below, &format!("{path} {name}"), text);
            }
        }
        return;
    }
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").split_whitespace().collect::<Vec<_>>();
    write!(text, "```text\n{}\n```\n\n", usage.join(" ")).unwrap();
    *text += &items(command.get_arguments().filter(|it| !it.is_global_set()));
    let schema = path.trim_start_matches("links ").replace(' ', "-");
    write!(text, "With `-o json`: [schema](../schemas/{schema}.json)\n\n").unwrap();
    let help = command.get_after_long_help().or(command.get_after_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let (notes, examples) = help.split_once("Example").unwrap();
    if !notes.is_empty() {
        write!(text, "```text\n{}\n```\n\n", notes.trim_end()).unwrap();
    }
    let examples = examples.lines().skip(1).take_while(|line| !line.is_empty());
    let examples: Vec<_> = examples.map(str::trim).collect();
    write!(text, "```sh\n{}\n```\n\n", examples.join("\n").trim_end()).unwrap();
}

#[test]
fn the_reference_of_commands_is_what_the_definition_says() {
    let mut tree = links_cli::command();
    let mut index = INTRODUCTION.to_owned();
    let names: Vec<_> = tree.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in names {
        let command = tree.find_subcommand_mut(&name).unwrap();
        if command.is_hide_set() {
            continue;
        }
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(index, "| [`links {name}`](commands/{name}.md) | {} |", escaped(&about)).unwrap();
        let mut page = String::new();
        section(command, &format!("links {name}"), &mut page);
        page += "The [options of every command](../commands.md#options-of-every-command) apply as well.\n";
        compare(&format!("docs/commands/{name}.md"), &format!("{}\n", page.trim_end()));
    }
    index += "\n## Options of every command\n\n";
    index += &items(tree.get_arguments().filter(|it| it.is_global_set()));
    compare("docs/commands.md", &format!("{}\n", index.trim_end()));
}
