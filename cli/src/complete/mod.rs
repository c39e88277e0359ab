//! Completion at TAB: the shell's script runs the program with [`VARIABLE`] set, and it prints candidates from the command tree and from
//! what earlier commands have kept. No network, no keyring.

mod candidates;
#[cfg(any(test, feature = "fuzzing"))]
mod fuzzed;
mod line;
mod offer;
mod quote;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Args, Command, ValueEnum};
use clap_complete::engine;
use clap_complete::env::{Elvish, EnvCompleter};

use crate::exit::Exit;
use candidates::Known;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use fuzzed::completion as fuzzed;
use line::Asked;

/// Set by the scripts to the name of their shell.
pub(crate) const VARIABLE: &str = "LINKS_COMPLETE";

/// Set by the script of PowerShell to the words of the line, one a line: not all of its versions hand over every argument as it is.
const WORDS: &str = "LINKS_COMPLETE_WORDS";

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
    /// The script that makes this shell complete our commands.
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

fn registration(shell: &dyn EnvCompleter) -> io::Result<String> {
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "links", "links", "links", &mut script)?;
    let script = String::from_utf8(script).map_err(io::Error::other)?;
    Ok(script.trim().to_owned() + "\n")
}

/// Prints candidates, if that is what the program was started for. Nothing that goes wrong here is said: the line is the user's.
pub(crate) fn asked(args: &[OsString], command: impl FnOnce() -> Command) -> Option<Exit> {
    let name = std::env::var(VARIABLE).ok().filter(|it| !it.is_empty())?;
    let Ok(shell) = Shell::from_str(&name, true) else { return Some(Exit::Usage) };
    let said: Vec<OsString> = args.iter().skip_while(|it| *it != "--").skip(1).cloned().collect();
    let mut asked = match shell {
        Shell::Bash => Asked::of(&said),
        Shell::Power => {
            let words = std::env::var(WORDS).unwrap_or_default();
            Asked { words: words.split('\n').map(OsString::from).collect(), ..Asked::default() }
        }
        // Their scripts say nothing of a `~` that will not be expanded.
        _ => Asked { words: said, expands_home: true, ..Asked::default() },
    };
    let Some(last) = asked.words.last_mut() else { return Some(Exit::Ok) };
    let typed = last.to_string_lossy().into_owned();
    // The shell expands this only later.
    let is_below_home = asked.expands_home && typed.starts_with("~/");
    let home = std::env::home_dir().filter(|_| is_below_home);
    let home = home.map(|it| it.to_string_lossy().into_owned());
    if let Some(home) = &home {
        *last = format!("{home}{}", &typed[1..]).into();
    }
    let mut command = candidates::offered(command(), &Known::load(&asked.words));
    let folder = std::env::current_dir().ok();
    let at = asked.words.len() - 1;
    let found = engine::complete(&mut command, asked.words.clone(), at, folder.as_deref());
    let mut offers = offer::offers(&found.unwrap_or_default(), &typed);
    if let Some(home) = &home {
        for offer in &mut offers {
            offer.shorten(home);
        }
    }
    let lines = match shell {
        Shell::Bash => offer::bash(&offers, &asked),
        _ => offer::lines(shell, &offers),
    };
    let _ = io::stdout().lock().write_all(lines.as_bytes());
    Some(Exit::Ok)
}

/// The shell that a script is wanted for.
#[derive(Args, Debug)]
pub(crate) struct ShellArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}
