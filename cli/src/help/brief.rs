//! Short help (`-h`) that fits a screen, because the options of every command are left to `links help options`.

use clap::Command;

const MORE: &str = "--help says more; `links help options` lists the options of every command.";

/// Columns and lines of the smallest terminal that short help has to fit.
const SCREEN: (usize, usize) = (80, 24);

/// Returns the tree with the global options in long help (`--help`) only.
pub(crate) fn shortened(command: Command) -> Command {
    let command =
        command.mut_args(|arg| if arg.is_global_set() { arg.hide_short_help(true) } else { arg });
    pointed(command)
}

/// Adds a pointer to the full help to the end of short help.
fn pointed(command: Command) -> Command {
    let after = command.get_after_help().cloned().unwrap_or_default();
    let names: Vec<_> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    let command = match command.get_after_long_help() {
        None if !after.to_string().is_empty() => command.after_long_help(after.clone()),
        _ => command,
    };
    let whole = format!("{after}\n\n{MORE}").trim_start().to_owned();
    let command = command.after_help(whole);
    // If the examples do not fit the screen, they are left to long help.
    let command = if lines(&command) > SCREEN.1 { command.after_help(MORE) } else { command };
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, pointed))
}

/// Number of lines of the short help of a leaf.
fn lines(command: &Command) -> usize {
    if command.has_subcommands() {
        return 0;
    }
    command.clone().term_width(SCREEN.0).render_help().to_string().lines().count()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
