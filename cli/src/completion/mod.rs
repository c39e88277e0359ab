//! Completion at TAB: the shell's script runs the program with `LINKS_COMPLETE` set, and the program prints candidates from the command
//! tree and from what earlier commands have cached. No network, no keyring.

mod candidates;
pub(crate) mod line;
pub(crate) mod offer;

use std::ffi::OsString;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use candidates::CompletionData;
use clap::{Command, ValueEnum};
use clap_complete::engine;
use line::CompletionRequest;
pub(crate) use offer::Shell;

use crate::env_vars;
use crate::error::Exit;

/// Prints candidates, if the program was started for that. Errors are not reported: they would appear in the line that the user types.
pub(crate) fn run_if_requested(args: &[OsString], command: fn() -> Command) -> Option<Exit> {
    let name = std::env::var(env_vars::COMPLETE).ok().filter(|it| !it.is_empty())?;
    let Ok(shell) = Shell::from_str(&name, true) else { return Some(Exit::Usage) };
    let line: Vec<OsString> = args.iter().skip_while(|it| *it != "--").skip(1).cloned().collect();
    let request = match shell {
        Shell::Bash => CompletionRequest::of(&line),
        Shell::Power => {
            let words = std::env::var(env_vars::COMPLETE_WORDS).unwrap_or_default();
            CompletionRequest {
                words: words.split('\n').map(OsString::from).collect(),
                ..CompletionRequest::default()
            }
        }
        _ => CompletionRequest { words: line, ..CompletionRequest::default() },
    };
    let Some(last) = request.words.last() else { return Some(Exit::Ok) };
    let typed = last.to_string_lossy();
    let data = Arc::new(CompletionData::new(&request.words, command));
    let at = request.words.len() - 1;
    // The definitions are not dropped: that takes as long as making them, and the process is about to end.
    let whole = ManuallyDrop::new(command());
    let mut selected = candidates::selected(&whole, request.words.get(1..at).unwrap_or_default());
    selected.build();
    let mut selected = ManuallyDrop::new(candidates::offered(selected, "", &data));
    let directory = std::env::current_dir().ok();
    let found = engine::complete(&mut selected, request.words.clone(), at, directory.as_deref());
    let offers = offer::select_candidates(&found.unwrap_or_default(), &typed);
    let lines = match shell {
        Shell::Bash => offer::bash(&offers, &request),
        _ => offer::lines(shell, &offers),
    };
    let _ = io::stdout().lock().write_all(lines.as_bytes());
    Some(Exit::Ok)
}
