//! Topics that `links help` explains besides the commands. A topic is text; one about a table of the program is generated from that table.

use std::fmt::Write;

use clap::Command;

use crate::env_vars;
use crate::error::exit_code::Exit;
use crate::settings::config_file::KEYS;

/// Topic of `links help`.
pub(crate) struct Topic {
    /// Name by which the user asks for the topic.
    pub(crate) name: &'static str,
    /// Explanation of the topic.
    pub(crate) text: fn(&Command) -> String,
}

/// Every topic.
pub(crate) const TOPICS: &[Topic] = &[
    Topic { name: "options", text: options },
    Topic { name: "exit-codes", text: exit_codes },
    Topic { name: "environment", text: environment },
    Topic { name: "output", text: |_| include_str!("output.txt").to_owned() },
    Topic { name: "files", text: files },
    Topic { name: "agents", text: |_| include_str!("agents.txt").to_owned() },
];

/// Returns the exit codes as a short line for the main help.
pub(crate) fn exit_codes_in_brief() -> String {
    let codes: Vec<_> = Exit::ALL
        .iter()
        .map(|it| format!("{} {}", it.code(), it.name().replace('_', " ")))
        .collect();
    format!("Exit codes: {}; `links help exit-codes` explains them.", codes.join(", "))
}

fn exit_codes(_: &Command) -> String {
    let mut text = "The result of a command, for scripts.\n\n".to_owned();
    for exit in Exit::ALL {
        let _ = writeln!(text, "{:>5}  {:<18}{}", exit.code(), exit.name(), exit.meaning());
    }
    text + "\nWith -o json the name is in `code`, unless the service has a code of its own, and the number is in `exit`.\n"
}

/// Returns the help of the options that every command takes.
fn options(tree: &Command) -> String {
    let global = tree.get_arguments().filter(|it| it.is_global_set()).cloned();
    let mut command = Command::new("links").disable_help_flag(true).max_term_width(100);
    command = command.args(global.map(|it| it.help_heading("Options of every command")));
    command.help_template("{all-args}").render_long_help().to_string()
}

fn environment(_: &Command) -> String {
    let mut text = "Flags take precedence over variables, variables over the configuration file, and the file over the defaults.\n\n".to_owned();
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
        let _ = writeln!(text, "  {:<10}{}", key.name, key.about);
    }
    text
}
