//! Snapshots of the help of every command and of the global options: no flag can vanish or change its name unnoticed.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::test_env::TestEnv;

/// Returns the names of the snapshots of this module that are there.
fn stored_snapshots() -> BTreeSet<String> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cli/snapshots");
    let files = std::fs::read_dir(directory).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let stem =
        |name: String| Some(name.strip_prefix("cli__surface__")?.strip_suffix(".snap")?.to_owned());
    names.filter_map(stem).collect()
}

#[test]
fn each_top_level_command_has_a_snapshot_of_its_help() {
    let mut text = String::new();
    let links = describe(links_cli::command(), "links", &mut text);
    insta::assert_snapshot!("links", text);
    let mut checked = BTreeSet::from(["links".to_owned(), "global_options".to_owned()]);
    for noun in links.get_subcommands() {
        let mut text = String::new();
        describe_all(noun.clone(), &format!("links {}", noun.get_name()), &mut text);
        insta::assert_snapshot!(noun.get_name(), text);
        checked.insert(noun.get_name().to_owned());
    }
    assert_eq!(stored_snapshots(), checked, "a command is gone, or its snapshot was left behind");
}

#[test]
fn the_global_options_have_a_snapshot() {
    insta::assert_snapshot!("global_options", TestEnv::cafe().run("help options").stdout);
}

/// Writes the help of a command and of all below it.
fn describe_all(command: clap::Command, path: &str, text: &mut String) {
    let command = describe(command, path, text);
    for sub in command.get_subcommands() {
        describe_all(sub.clone(), &format!("{path} {}", sub.get_name()), text);
    }
}

/// Writes the help of one command. Returns the command, whose subcommands have inherited its settings.
fn describe(command: clap::Command, path: &str, text: &mut String) -> clap::Command {
    let mut command = command.bin_name(path).term_width(100);
    let help = command.render_help().to_string();
    let _ = writeln!(text, "# {path}\n\n{help}");
    command
}

#[test]
fn there_is_no_flag_for_the_token() {
    fn flags(command: &clap::Command) -> Vec<String> {
        let own = command.get_arguments().filter_map(|it| it.get_long().map(str::to_owned));
        own.chain(command.get_subcommands().flat_map(flags)).collect()
    }
    let flags = flags(&links_cli::command());
    assert!(flags.contains(&"sandbox".to_owned()));
    assert!(!flags.contains(&"token".to_owned()), "{flags:?}");
}
