//! Power cuts: what a disk may have lost is worked out from recorded system calls, tried, and the next command has to go on from there.
//!
//! Each scenario is a command that writes files. One run of it is recorded; from that follow the states that a power cut at any moment may
//! leave, by the promises of POSIX alone (`disk.rs`). Each state is made, and the next commands are run. The variables are:
//!
//! - `LINKS_POWER_STATES`: number of states that are tried at least (without it a sample of each scenario).
//! - `LINKS_POWER_SEED`: the first seed; the same seed repeats the same states.
//! - `LINKS_POWER_ONLY`: the name of a scenario.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "the numbers are what it is for")]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod disk;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod place;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../campaign/random.rs"]
#[expect(dead_code, reason = "the campaign needs more of it")]
mod random;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod runner;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod scenarios;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> std::process::ExitCode {
    runner::main()
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() {
    println!("skipped: system calls are recorded on Linux on x86-64 only");
}
