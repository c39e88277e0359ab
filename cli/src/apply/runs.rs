//! Recorded runs in the state directory.

use links_pages::apply::{JournalError, LockError, RunCommand, RunHeader, RunOwner, RunSettings};

use crate::context::prelude::*;
use crate::env_vars::STATE_DIR;
pub(crate) use crate::journal::{directory, service};

/// Returns the settings of a run that only reads, and knows the journals of unfinished runs if there is a directory for them.
pub(crate) fn settings(context: &Context) -> RunSettings {
    let (service, state) = (service(context).unwrap_or_default(), directory(context).ok());
    RunSettings { service: Some(service), state, ..RunSettings::default() }
}

/// Returns the settings of a run that writes, and is recorded as this command.
pub(crate) fn write_settings(context: &Context, command: RunCommand) -> Result<RunSettings> {
    let (state, owner) = (Some(directory(context)?), context.owner());
    Ok(RunSettings { state, owner, command: Some(command), ..settings(context) })
}

/// Tells whether a run belongs to an account. `None` if unknown: the journal names no owner, or another token.
pub(crate) fn is_own(opening: Option<&RunHeader>, own: &RunOwner) -> Option<bool> {
    opening?.owner.as_ref()?.is(own)
}

/// Error for a page whose runs cannot be listed.
pub(crate) fn list_error(error: &std::io::Error) -> CommandError {
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

/// Error for a page that could not be locked.
pub(crate) fn not_locked(error: &LockError) -> CommandError {
    match error {
        LockError::Taken(_) => CommandError::refused(error.to_string())
            .with_hint("use --wait to wait until it is done"),
        LockError::Elsewhere => CommandError::refused(error.to_string()).with_hint(
            "use --wait to wait until it is done; a run that was cut off keeps its lock for up to 30 s more than --timeout",
        ),
        LockError::Lost => CommandError::refused(error.to_string())
            .with_hint("run the same command again; it continues from the current state of the page"),
        LockError::Unreachable(_) => CommandError::new(Exit::Network, error.to_string())
            .with_hint("run the same command again once the server can be reached"),
        error => unwritable(error),
    }
}

/// Error for a journal that cannot be written; every step is recorded before it is taken.
pub(crate) fn unwritable(why: &dyn std::error::Error) -> CommandError {
    CommandError::usage(format!("cannot write the journal: {why}"))
        .with_hint(format!("free some space, or set {STATE_DIR} to another directory"))
}
