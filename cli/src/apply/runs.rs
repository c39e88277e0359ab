//! Recorded runs in the state directory.

use std::path::Path;

use links_sdk::ProfileKey;
use links_sdk::apply::{
    JournalError, JournalStore, LockError, RecordedRun, RunCommand, RunOwner, RunSettings,
};

use crate::context::Context;
use crate::env_vars::STATE_DIR;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
pub(crate) use crate::journal::{directory, service};

/// Maximum number of runs that a hint names.
const NAMED_RUNS: usize = 10;

/// Returns the error for the beginning of a name that several runs have, with their names.
pub(crate) fn ambiguous(name: &str, runs: &[&str]) -> CommandError {
    let (shown, more) = runs.split_at(runs.len().min(NAMED_RUNS));
    let more = if more.is_empty() { "" } else { ", …" };
    CommandError::usage(format!("{name} matches {} runs; nothing was written", runs.len()))
        .with_hint(format!("one of {}{more}", shown.join(", ")))
}

/// Returns the settings of a run that only reads, and knows the journals of unfinished runs if there is a directory for them.
pub(crate) fn settings(context: &Context) -> RunSettings {
    let settings = RunSettings::new().service(service(context).unwrap_or_default());
    match directory(context) {
        Ok(state) => settings.journal(state),
        Err(_) => settings,
    }
}

/// Returns the settings of a run that writes, and is recorded as this command.
pub(crate) fn write_settings(
    context: &Context,
    command: RunCommand,
) -> Result<RunSettings, CommandError> {
    let recorded = settings(context).journal(directory(context)?);
    Ok(recorded.owner(context.owner()).command(Some(command)))
}

/// Runs of all pages of the configured service, the oldest first, without those of other accounts; of all services if none is configured.
pub(crate) fn all(context: &Context) -> Result<Vec<(JournalStore, RecordedRun)>, CommandError> {
    let (service, directory) = (service(context), directory(context)?);
    let mut all = Vec::new();
    for runs in JournalStore::all(&directory, service.as_deref())
        .map_err(|it| unreadable(&directory, &it))?
    {
        let recorded = runs.list().map_err(|error| unreadable(&directory, &error))?;
        all.extend(recorded.into_iter().map(|it| (runs.clone(), it)));
    }
    if let Some(own) = context.owner() {
        all.retain(|(_, recorded)| is_own(recorded, &own) != Some(false));
    }
    all.sort_by(|(_, one), (_, other)| one.run.cmp(&other.run));
    Ok(all)
}

/// Tells whether a run belongs to an account. `None` if unknown: the journal names no owner, or another token.
pub(crate) fn is_own(recorded: &RecordedRun, own: &RunOwner) -> Option<bool> {
    recorded.opening.as_ref()?.owner.as_ref()?.is(own)
}

fn unreadable(directory: &Path, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("cannot read {}: {error}", directory.display()))
}

/// Error for a page whose runs cannot be listed.
pub(crate) fn list_error(error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("the runs of the page cannot be read: {error}"))
        .with_hint(format!("set {STATE_DIR} to another directory"))
}

/// Error for a journal that cannot be used, with a hint.
pub(crate) fn bad(path: &Path, why: &JournalError) -> CommandError {
    let hint = match why {
        JournalError::Newer(_) => {
            "update this program; or `links slots apply --abort FILE` sets the journal aside"
        }
        _ => {
            "`links slots apply --abort FILE` sets the journal aside; what the run has written stays on the page"
        }
    };
    CommandError::new(
        Exit::Refused,
        format!("the journal {} cannot be used: {why}", path.display()),
    )
    .with_hint(hint)
}

/// Tells whether a run belongs to the page that a key names.
pub(crate) fn is_of(runs: &JournalStore, recorded: &RecordedRun, key: &ProfileKey) -> bool {
    match (key, &recorded.opening) {
        (ProfileKey::Id(id), _) => runs.profile() == Some(*id),
        (ProfileKey::Login(login), Some(opening)) => opening.login == *login,
        // The login of the page is recorded only in the journal.
        (ProfileKey::Login(_), None) => true,
    }
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
        LockError::Taken(_) => CommandError::new(Exit::Refused, error.to_string())
            .with_hint("--wait waits until it has ended"),
        error => unwritable(error),
    }
}

/// Error for a journal that cannot be written; every step is recorded before it is taken.
pub(crate) fn unwritable(why: &dyn std::error::Error) -> CommandError {
    CommandError::usage(format!("cannot write the journal: {why}"))
        .with_hint(format!("free some space, or set {STATE_DIR} to another directory"))
}
