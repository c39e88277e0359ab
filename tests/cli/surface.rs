//! Snapshots of the help of every command and of the global options: no flag can vanish or change its name unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use crate::test_env::TestEnv;

/// Returns the names of the snapshots of this module that are stored.
fn stored_snapshots() -> BTreeSet<String> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cli/snapshots");
    let files = std::fs::read_dir(directory).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let stem =
        |name: String| Some(name.strip_prefix("cli__surface__")?.strip_suffix(".snap")?.to_owned());
    names.filter_map(stem).collect()
}

/// Collects the short help of a command and of all below it, by the name of the snapshot.
fn collect(command: clap::Command, path: &str, found: &mut BTreeMap<String, String>) {
    let mut command = command.bin_name(path).term_width(100);
    let help = command.render_help().to_string();
    let name = path.strip_prefix("links ").unwrap_or(path).replace(' ', "_");
    found.insert(name, help);
    // They have inherited the settings of the command by now.
    for sub in command.get_subcommands() {
        collect(sub.clone(), &format!("{path} {}", sub.get_name()), found);
    }
}

#[test]
fn every_command_has_a_snapshot_of_its_help() {
    let mut commands = BTreeMap::new();
    collect(links_cli::command(), "links", &mut commands);
    for (name, help) in &commands {
        insta::assert_snapshot!(name.as_str(), help);
    }
    let mut expected: BTreeSet<_> = commands.into_keys().collect();
    expected.insert("global_options".to_owned());
    assert_eq!(stored_snapshots(), expected, "the snapshot of a command that is gone is left");
}

#[test]
fn the_global_options_have_a_snapshot() {
    insta::assert_snapshot!("global_options", TestEnv::cafe().run("help options").stdout);
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
