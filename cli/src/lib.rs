//! The command-line tool for public link pages.
//!
//! A command is one file under `commands`: its arguments, and a `run` that returns a `CommandOutput` or a
//! `CommandError`. What is printed, in which format and with which exit code is decided in `app` and `ui`.

mod account;
mod app;
mod apply;
mod args;
mod auth;
mod bulk;
mod cache;
mod check;
mod commands;
mod completion;
mod confine;
mod context;
mod editor;
mod env_vars;
mod error;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod git;
mod help;
mod journal;
mod lint;
mod output;
mod preview;
mod process;
mod sandbox;
mod schema;
mod search;
mod settings;
mod signal;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod simulation;
#[cfg(debug_assertions)]
mod testing;
mod ui;

pub use crate::app::{command, main};
pub use crate::error::exit_code::Exit;
