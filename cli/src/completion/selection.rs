//! The part of the command line's definition that a line needs: the command that its words select, and the commands above it. To build all of
//! it would cost several times as much as everything else that happens at TAB.

use std::ffi::OsString;

use clap::Command;

/// Returns the selected command with its arguments and the names of its commands, below those above it, and builds it. Each word that is
/// the name of a command selects it, as it does for the engine that completes.
pub(super) fn selected(command: &Command, words: &[OsString]) -> Command {
    let mut selected = below(command, words);
    selected.build();
    selected
}

fn below(command: &Command, words: &[OsString]) -> Command {
    let found = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((command.find_subcommand(word.to_str()?)?, &words[at + 1..])));
    let Some((sub, rest)) = found else { return with_names_of_commands(command.clone()) };
    let options = command.get_arguments().filter(|it| it.is_global_set()).cloned();
    let above = Command::new(command.get_name().to_owned());
    above.disable_help_subcommand(true).args(options).subcommand(below(sub, rest))
}

fn with_names_of_commands(command: Command) -> Command {
    let mut order = 0;
    command.mut_subcommands(|sub| {
        order += 1;
        let name = Command::new(sub.get_name().to_owned()).display_order(order);
        name.hide(sub.is_hide_set()).about(sub.get_about().cloned().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use clap_complete::engine;

    use super::*;

    fn each_path(command: &Command, path: &[String], look: &mut impl FnMut(&[String])) {
        look(path);
        for sub in command.get_subcommands() {
            let path = [path, &[sub.get_name().to_owned()]].concat();
            each_path(sub, &path, look);
        }
    }

    /// Returns the candidates for the last word, with their descriptions.
    fn candidates(mut command: Command, words: &[String]) -> Vec<(OsString, Option<String>)> {
        let args: Vec<OsString> = words.iter().map(OsString::from).collect();
        let found = engine::complete(&mut command, args, words.len() - 1, None).unwrap();
        let help = |it: &engine::CompletionCandidate| it.get_help().map(ToString::to_string);
        found.iter().map(|it| (it.get_value().to_owned(), help(it))).collect()
    }

    #[test]
    fn the_selected_command_has_the_candidates_of_the_whole_command_line() {
        let whole = crate::command();
        let mut lines: Vec<Vec<String>> = Vec::new();
        each_path(&whole, &["links".to_owned()], &mut |path| {
            for last in ["", "-", "--ba"] {
                lines.push([path, &[last.to_owned()]].concat());
            }
        });
        for line in ["-o json slots li", "slots --output ", "slots get --output=j", "slots slots "]
        {
            lines.push(format!("links {line}").split(' ').map(str::to_owned).collect());
        }
        assert!(lines.len() > 100);
        for line in lines {
            let words: Vec<OsString> = line.iter().map(OsString::from).collect();
            let selected = selected(&whole, &words[1..words.len() - 1]);
            assert_eq!(candidates(selected, &line), candidates(whole.clone(), &line), "{line:?}");
        }
    }
}
