//! Recorded runs in the state directory.

use std::fmt::Display;

use links_pages::apply::{JournalError, LockError, RunSettings};

use crate::context::prelude::*;
use crate::env_vars::STATE_DIR;
pub(crate) use crate::journal::{directory, service};

/// Returns the settings of a run that only reads, and knows the journals of unfinished runs if there is a directory for them.
pub(crate) fn settings(context: &Context) -> RunSettings {
    let (service, state) = (service(context).unwrap_or_default(), directory(context).ok());
    RunSettings { service: Some(service), state, ..RunSettings::default() }
}

/// Error for a page whose runs cannot be listed.
pub(crate) fn list_error(error: io::Error) -> CommandError {
    CommandError::usage(format!("cannot read the page's runs: {error}"))
        .with_hint(format!("set {STATE_DIR} to another directory"))
}

/// Error for a journal that cannot be used, with a hint.
pub(crate) fn bad(path: &Path, why: &JournalError) -> CommandError {
    let hint = match why {
        JournalError::Newer(_) => {
            "update `links`, or set the journal aside with `links slots apply --abort FILE`"
        }
        _ => {
            "set the journal aside with `links slots apply --abort FILE`; the run's writes stay on the page"
        }
    };
    CommandError::refused(format!("cannot use the journal {}: {why}", path.display()))
        .with_hint(hint)
}

/// Returns the path of a file as journals have it.
pub(crate) fn recorded_path(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Formats a time in seconds since 1970 as an RFC 3339 timestamp.
pub(crate) fn time(seconds: u64) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX).to_string()
}

impl From<LockError> for CommandError {
    fn from(error: LockError) -> Self {
        let (exit, hint) = match &error {
            LockError::Taken(_) => (Exit::Refused, "use --wait to wait until it is done"),
            LockError::Elsewhere => (
                Exit::Refused,
                "use --wait to wait until it is done; a run that was cut off keeps its lock for up to 30 s more than --timeout",
            ),
            LockError::Lost => (
                Exit::Refused,
                "run the same command again; it continues from the current state of the page",
            ),
            LockError::Unreachable(_) => {
                (Exit::Network, "run the same command again once the server can be reached")
            }
            _ => return unwritable(error),
        };
        Self::new(exit, error).with_hint(hint)
    }
}

/// Error for a journal that cannot be written; every step is recorded before it is taken.
pub(crate) fn unwritable(why: impl Display) -> CommandError {
    CommandError::usage(format!("cannot write the journal: {why}"))
        .with_hint(format!("free some space, or set {STATE_DIR} to another directory"))
}
