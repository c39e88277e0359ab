//! The campaign: random pages, page files and commands, with faults, kills and edits by other clients, against the real program.
//!
//! Without variables it replays the histories that once found a violation. `tests/campaign/run SECONDS` runs a campaign of random ones. The
//! variables are:
//!
//! - `LINKS_CAMPAIGN_SECONDS`, `LINKS_CAMPAIGN_COMMANDS`: time or number of commands after which it ends.
//! - `LINKS_CAMPAIGN_SEED`: the first history; the others follow it.
//! - `LINKS_CAMPAIGN_KIND`: `page`, `account` or `git`: only histories of one page, of an account, or of one in Git; one of two is of an account
//!   otherwise, and half of those are in Git.
//! - `LINKS_CAMPAIGN_BINARY`: another build of the program. One in a directory named `debug` does not wait; a release build does.
//! - `LINKS_CAMPAIGN_KILL=0`: nothing is killed.
//! - `LINKS_CAMPAIGN_STEPS`: the commands run in this process, until so many requests, edits and commands have been: the simulation.
//! - `LINKS_CAMPAIGN_THREADS`: histories at once.
//! - `LINKS_CAMPAIGN_IGNORE`: rules that are not checked, such as `outcome,counts`.
//! - `LINKS_CAMPAIGN_HISTORY`: replays this history and shows its violation.
//! - `LINKS_CAMPAIGN_SHOW`: shows every command of an account and what is done with Git, and keeps the directory.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "another process runs in real time")]
#![expect(clippy::print_stdout, reason = "the numbers are what the campaign is for")]

#[cfg(target_os = "linux")]
mod accounts;
#[cfg(target_os = "linux")]
mod applicable;
#[cfg(target_os = "linux")]
mod bulk;
#[cfg(target_os = "linux")]
mod bulk_rules;
#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod command_line;
#[cfg(target_os = "linux")]
mod content;
#[cfg(target_os = "linux")]
mod editor;
#[cfg(target_os = "linux")]
mod edits;
#[cfg(target_os = "linux")]
mod execute;
#[cfg(target_os = "linux")]
mod generate;
#[cfg(target_os = "linux")]
mod history;
#[cfg(target_os = "linux")]
mod invariants;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod page_file;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod random;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod shorten;
#[cfg(target_os = "linux")]
mod simulated;
#[cfg(target_os = "linux")]
mod tally;
#[cfg(target_os = "linux")]
mod turns;
#[cfg(target_os = "linux")]
mod world;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    runner::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the campaign runs on Linux");
}
