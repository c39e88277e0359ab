//! The program as its users run it: the real binary, a cleared environment, a contract server on this machine.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod analytics;
mod api;
mod apply;
mod auth;
mod blocks;
mod ci;
mod crash;
mod failures;
mod files;
mod keyring;
mod forms;
mod leaves;
mod music;
mod output;
mod pacing;
mod pages;
mod runs;
mod sandbox;
mod schemas;
mod stage;
mod surface;
#[cfg(target_os = "linux")]
mod terminal;
mod uploads;
mod validation;
#[cfg(unix)]
mod workflows;
