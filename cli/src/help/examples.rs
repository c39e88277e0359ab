//! Examples below the help of a command. A command with examples of its own keeps them.

use clap::Command;

use super::topics;

/// Words of each command, and example lines that can be typed unchanged.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("me", &["links me", "links me --jq .data.limits.profiles"]),
    (
        "profile list",
        &["links profile list", "links profile list -o csv --fields login,computed.url"],
    ),
    (
        "profile get",
        &["links profile get cafe", "links profile get https://links.example/cafe -o json"],
    ),
    ("profile preview", &["links profile preview cafe", "links profile preview cafe > cafe.md"]),
    (
        "profile check-login",
        &["links profile check-login qara.coffee", "links profile check-login cafe --as cafe"],
    ),
    (
        "slots list",
        &[
            "links slots list cafe",
            "links slots list cafe --jq '.data[] | select(.type == \"button\")'",
        ],
    ),
    ("slots get", &["links slots get cafe 1002", "links slots get cafe 1002 --fields data.link"]),
    ("slots types", &["links slots types", "links slots types -o ids"]),
    ("channels list", &["links channels list", "links channels list --fields id,label"]),
    ("slots pull", &["links slots pull cafe -O cafe.yaml"]),
    ("slots plan", &["links slots plan cafe.yaml", "links slots plan cafe.yaml --prune -o json"]),
    (
        "slots apply",
        &[
            "links slots apply cafe.yaml",
            "links slots apply cafe.yaml --prune --yes --max-deletes 5",
        ],
    ),
    ("slots history", &["links slots history cafe"]),
    (
        "slots restore",
        &[
            "links slots history cafe",
            "links slots restore \"$(links slots history cafe -o ids | head -n 1)\" --yes",
        ],
    ),
    ("slots edit", &["links slots edit cafe"]),
    ("forms list", &["links forms list", "links forms list -o ids"]),
    (
        "forms create",
        &[
            "links forms create contact.yaml",
            "links forms create title=Contact 'fields:=[{\"type\":\"text\",\"label\":\"Name\",\"required\":true}]'",
            "links forms create contact.yaml --dry-run",
        ],
    ),
    (
        "auth login",
        &[
            "links auth login --base-url https://links.example/api/v1",
            "links auth login --base-url https://links.example/api/v1 --token-stdin < token",
        ],
    ),
    ("auth status", &["links auth status", "links auth status -o json"]),
    ("auth list", &["links auth list"]),
    ("auth switch", &["links auth switch work"]),
    ("auth logout", &["links auth logout", "links auth logout work"]),
    ("doctor", &["links doctor", "links doctor --sandbox"]),
    ("config path", &["links config path"]),
    ("config list", &["links config list"]),
    ("config get", &["links config get output"]),
    (
        "config set",
        &[
            "links config set base-url https://links.example/api/v1",
            "links config set output --unset",
        ],
    ),
    (
        "completions",
        &[
            "source <(links completions bash)",
            "links completions zsh > ~/.zfunc/_links",
            "links completions fish > ~/.config/fish/completions/links.fish",
        ],
    ),
    ("help", &["links help exit-codes", "links help slots apply"]),
    ("man", &["links man ~/.local/share/man/man1"]),
    ("sandbox serve", &["links sandbox serve --port 8080"]),
    ("sandbox reset", &["links sandbox reset"]),
    ("sandbox path", &["links sandbox path"]),
];

/// Returns the tree with its examples.
pub(crate) fn shown(command: Command) -> Command {
    EXAMPLES
        .iter()
        .fold(command, |command, (path, lines)| {
            let words: Vec<_> = path.split(' ').collect();
            within(command, &words, lines)
        })
        .after_help(topics::exit_codes_in_brief())
}

fn within(command: Command, path: &[&str], lines: &[&str]) -> Command {
    match path.split_first() {
        Some((word, rest)) if command.find_subcommand(word).is_some() => {
            command.mut_subcommand(word, |sub| within(sub, rest, lines))
        }
        None if command.get_after_help().is_none() => {
            let heading = if lines.len() == 1 { "Example" } else { "Examples" };
            command.after_help(format!("{heading}:\n  {}", lines.join("\n  ")))
        }
        // A command that this build does not have, or that has examples of its own.
        _ => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
