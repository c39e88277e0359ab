//! Everything that can be typed, as one snapshot: no flag can vanish or change its name unnoticed.

use std::fmt::Write;

#[test]
fn the_whole_command_line() {
    let mut text = String::new();
    describe(links_cli::command(), "", &mut text);
    insta::assert_snapshot!(text);
}

fn describe(mut command: clap::Command, parents: &str, text: &mut String) {
    let path = format!("{parents}{}", command.get_name());
    command = command.bin_name(&path).term_width(100);
    let help = command.render_help().to_string();
    // What every command takes is said once.
    let own = if parents.is_empty() {
        &help
    } else {
        help.split("\nGlobal options:").next().unwrap_or_default()
    };
    let _ = writeln!(text, "# {path}\n\n{own}");
    for sub in command.get_subcommands() {
        describe(sub.clone(), &format!("{path} "), text);
    }
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
