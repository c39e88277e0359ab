//! Shells with completion, and their scripts.

use std::io;

use clap::{Args, ValueEnum};
use clap_complete::env::{Elvish, EnvCompleter};

use crate::env_vars;
use crate::help::HelpText;

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
    /// Returns the script that makes this shell complete `links` commands.
    pub(crate) fn script(self) -> io::Result<String> {
        match self {
            Self::Bash => Ok(include_str!("bash.sh").to_owned()),
            Self::Zsh => Ok(include_str!("zsh.sh").to_owned()),
            Self::Elvish => registration(&Elvish),
            Self::Fish => Ok(include_str!("fish.fish").to_owned()),
            Self::Power => Ok(include_str!("powershell.ps1").to_owned()),
        }
    }
}

pub(crate) fn registration(shell: &dyn EnvCompleter) -> io::Result<String> {
    let mut script = Vec::new();
    shell.write_registration(env_vars::COMPLETE, "links", "links", "links", &mut script)?;
    let script = String::from_utf8(script).map_err(io::Error::other)?;
    Ok(script.trim().to_owned() + "\n")
}

// The shell that a script is wanted for. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
#[command(examples = ["source <(links completions bash)", "links completions zsh > ~/.zfunc/_links", "links completions fish > ~/.config/fish/completions/links.fish"])]
pub(crate) struct ShellArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}
