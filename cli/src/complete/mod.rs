//! Completion at TAB: the shell's script runs the program with [`VARIABLE`] set, and it prints candidates from the command tree and from
//! what earlier commands have kept. No network, no keyring.

mod bash;
mod candidates;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Args, Command, ValueEnum};
use clap_complete::env::{EnvCompleter, Shells};

use crate::exit::Exit;
use candidates::Known;

/// Set by the scripts to the name of their shell.
pub(crate) const VARIABLE: &str = "LINKS_COMPLETE";

/// A shell with a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// Microsoft's PowerShell
    #[value(name = "powershell")]
    Power,
    /// Zsh
    Zsh,
}

impl Shell {
    fn completer(self) -> Option<&'static dyn EnvCompleter> {
        Shells(BUILT_IN).completer(self.to_possible_value()?.get_name())
    }

    /// The script that makes this shell complete our commands.
    pub(crate) fn script(self) -> io::Result<String> {
        let mut script = Vec::new();
        if let Some(completer) = self.completer() {
            completer.write_registration(VARIABLE, "links", "links", "links", &mut script)?;
        }
        let script = String::from_utf8(script).map_err(io::Error::other)?;
        Ok(script.trim().to_owned() + "\n")
    }
}

const BUILT_IN: &[&dyn EnvCompleter] = &[
    &clap_complete::env::Bash,
    &clap_complete::env::Elvish,
    &clap_complete::env::Fish,
    &clap_complete::env::Powershell,
    &clap_complete::env::Zsh,
];

/// Prints candidates, if that is what the program was started for. Nothing that goes wrong here is said: the line is the user's.
pub(crate) fn asked(args: &[OsString], command: impl FnOnce() -> Command) -> Option<Exit> {
    let shell = std::env::var(VARIABLE).ok().filter(|it| !it.is_empty())?;
    let words: Vec<OsString> = args.iter().skip_while(|it| *it != "--").skip(1).cloned().collect();
    let known = Known::load(&words);
    let mut command = candidates::offered(command(), &known);
    command.build();
    let mut printed = Vec::new();
    let folder = std::env::current_dir().ok();
    let done = match Shell::from_str(&shell, true) {
        Ok(Shell::Bash) => bash::complete(&mut command, words, folder.as_deref(), &mut printed),
        Ok(other) => match other.completer() {
            Some(it) => it.write_complete(&mut command, words, folder.as_deref(), &mut printed),
            None => Ok(()),
        },
        Err(_) => return Some(Exit::Usage),
    };
    let written = done.and_then(|()| io::stdout().lock().write_all(&printed));
    Some(if written.is_ok() { Exit::Ok } else { Exit::Internal })
}

/// The shell that a script is wanted for.
#[derive(Args, Debug)]
pub(crate) struct ShellArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}
