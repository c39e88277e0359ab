//! What `links help` explains beside the commands. A topic is text; those that a table of the program decides are made from it.

use std::fmt::Write;

use crate::config::KEYS;
use crate::exit::Exit;

/// Something to explain.
pub(crate) struct Topic {
    /// What it is asked for by.
    pub(crate) name: &'static str,
    /// The explanation.
    pub(crate) text: fn() -> String,
}

/// Every topic.
pub(crate) const TOPICS: &[Topic] = &[
    Topic { name: "exit-codes", text: exit_codes },
    Topic { name: "environment", text: environment },
    Topic { name: "output", text: || include_str!("output.txt").to_owned() },
    Topic { name: "files", text: files },
];

/// Variables that are no key of the configuration file, and what they set.
const VARIABLES: &[(&str, &str)] = &[
    ("LINKS_TOKEN", "the access token"),
    ("LINKS_TOKEN_FILE", "a file with the access token"),
    ("LINKS_ACCOUNT", "the account to use, of those that are logged in"),
    ("LINKS_MCP_URL", "address of the connector, for logging in"),
    ("LINKS_SANDBOX", "1: work on the embedded service of this machine"),
    ("LINKS_LOG", "1: a line for each request, 2: headers and bodies too"),
    ("LINKS_CONFIG_DIR", "folder of the configuration"),
    ("LINKS_STATE_DIR", "folder of state: rate limits, runs of apply, the sandbox"),
    ("LINKS_CACHE_DIR", "folder of what can be fetched again"),
    ("NO_COLOR", "set to anything: no colour"),
    ("CLICOLOR_FORCE", "1: colour where there is no terminal, too"),
    ("VISUAL, EDITOR", "the program in which pages, forms and blocks are edited"),
    ("BROWSER", "the program that opens pages, and the page of a login"),
    ("HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies, and hosts that need none"),
];

/// The codes as a brief line for the main help.
pub(crate) fn exit_codes_in_brief() -> String {
    let codes: Vec<_> = Exit::ALL
        .iter()
        .map(|it| format!("{} {}", it.code(), it.name().replace('_', " ")))
        .collect();
    format!("Exit codes: {}; `links help exit-codes` explains them.", codes.join(", "))
}

fn exit_codes() -> String {
    let mut text = "How a command ended, as a script sees it.\n\n".to_owned();
    for exit in Exit::ALL {
        let _ = writeln!(text, "{:>5}  {:<18}{}", exit.code(), exit.name(), exit.meaning());
    }
    text + "\nWith -o json the name stands in `code`, unless the service has one of its own, and the number in `exit`.\n"
}

fn environment() -> String {
    let mut text = "A flag goes before a variable, a variable before the configuration file, and that before the default.\n\n".to_owned();
    for key in KEYS {
        let default = match key.default {
            "" => String::new(),
            default => format!(" [{default}]"),
        };
        let _ = writeln!(text, "  {}\n      {}{default}", key.variable, key.about);
    }
    for (name, about) in VARIABLES {
        let _ = writeln!(text, "  {name}\n      {about}");
    }
    text
}

fn files() -> String {
    let mut text = include_str!("files.txt").to_owned();
    for key in KEYS {
        let _ = writeln!(text, "  {:<10}{}", key.name, key.about);
    }
    text
}
