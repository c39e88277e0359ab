//! Texts below the help of a command. Short help (`-h`) fits a screen: it leaves the options of every command to `links help options`, and
//! examples that do not fit to long help (`--help`).

use clap::Command;

/// Last line of short help.
pub(crate) const POINTER: &str =
    "--help says more; `links help options` lists the options of every command.";

/// Attributes of a command for the texts below its help; `notes` comes first.
pub(crate) trait HelpText {
    /// Sets what is to be known about the command.
    fn notes(self, text: &'static str) -> Self;

    /// Adds lines that can be typed unchanged.
    fn examples<const N: usize>(self, lines: [&'static str; N]) -> Self;

    /// Adds lines that can be typed unchanged, to long help only.
    fn long_examples<const N: usize>(self, lines: [&'static str; N]) -> Self;
}

impl HelpText for Command {
    fn notes(self, text: &'static str) -> Self {
        self.after_help(text)
    }

    fn examples<const N: usize>(self, lines: [&'static str; N]) -> Self {
        let text = with_examples(&self, &lines);
        self.after_help(format!("{text}\n\n{POINTER}")).after_long_help(text)
    }

    fn long_examples<const N: usize>(self, lines: [&'static str; N]) -> Self {
        let text = with_examples(&self, &lines);
        self.after_help(POINTER).after_long_help(text)
    }
}

fn with_examples(command: &Command, lines: &[&str]) -> String {
    let notes = command.get_after_help().map(|it| format!("{it}\n\n")).unwrap_or_default();
    let heading = if lines.len() == 1 { "Example" } else { "Examples" };
    format!("{notes}{heading}:\n  {}", lines.join("\n  "))
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
    fn long_help_keeps_the_global_options() {
        let mut tree = crate::command();
        tree.build();
        let leaf = tree.find_subcommand_mut("me").unwrap();
        assert!(leaf.render_long_help().to_string().contains("--max-wait"));
        let short = leaf.render_help().to_string();
        assert!(!short.contains("--max-wait") && short.contains("links help options"), "{short}");
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
