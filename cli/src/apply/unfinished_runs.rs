//! Unfinished runs: listing them, selecting one and aborting it.

use links_sdk::ProfileKey;
use links_sdk::apply::{JournalStore, RecordedRun, RunHeader};
use serde_json::json;

use super::{run_table, runs};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View};

/// Lists the unfinished runs.
pub(crate) fn status(
    context: &Context,
    key: Option<&ProfileKey>,
) -> Result<CommandOutput, CommandError> {
    let all = find(context, key)?;
    if all.is_empty() {
        let line = StyledLine::new(Style::Plain, "no unfinished runs");
        return Ok(CommandOutput::own(json!([]), View::Lines(vec![line])));
    }
    Ok(run_table::listed(&all))
}

/// Header of the only unfinished run.
pub(crate) fn only(context: &Context, key: Option<&ProfileKey>) -> Result<RunHeader, CommandError> {
    let (_, recorded) = one(context, key)?;
    match recorded.log {
        Ok(log) => Ok(log.opening().clone()),
        Err(why) => Err(runs::bad(&recorded.path, &why)),
    }
}

/// Aborts the only unfinished run.
pub(crate) fn abort(
    context: &Context,
    key: Option<&ProfileKey>,
) -> Result<CommandOutput, CommandError> {
    let (runs, recorded) = one(context, key)?;
    let lock = runs.lock().map_err(|error| runs::not_locked(&error))?;
    runs.abort(lock, &recorded.run)
        .map_err(|error| CommandError::usage(format!("the journal cannot be closed: {error}")))?;
    let row = run_table::row(&runs, &recorded);
    let text = format!(
        "run of {} discarded; what it has written stays on the page ({})",
        row["time"].as_str().unwrap_or("an unknown time"),
        row["summary"].as_str().unwrap_or("unknown"),
    );
    Ok(CommandOutput::own(row, View::Lines(vec![StyledLine::new(Style::Plain, text)])))
}

/// Returns the only unfinished run. Without the key of a page, the run must be known to belong to this account.
fn one(
    context: &Context,
    key: Option<&ProfileKey>,
) -> Result<(JournalStore, RecordedRun), CommandError> {
    let mut all = find(context, key)?;
    let named = "pass the page file of the run; --status lists the runs";
    match (all.pop(), all.is_empty()) {
        (Some(one), true) if key.is_some() || is_known_own(context, &one.1) => Ok(one),
        (Some(_), true) => {
            let message =
                "there is an unfinished run, but it is unknown whether it belongs to this account";
            Err(CommandError::usage(message).with_hint(named))
        }
        (None, _) => Err(CommandError::new(Exit::NotFound, "no unfinished runs")),
        (Some(_), false) => {
            Err(CommandError::usage("more than one run is unfinished").with_hint(named))
        }
    }
}

fn is_known_own(context: &Context, recorded: &RecordedRun) -> bool {
    context.owner().is_some_and(|own| runs::is_own(recorded, &own) == Some(true))
}

fn find(
    context: &Context,
    key: Option<&ProfileKey>,
) -> Result<Vec<(JournalStore, RecordedRun)>, CommandError> {
    let mut all = runs::all(context)?;
    all.retain(|(runs, recorded)| {
        recorded.is_open() && key.is_none_or(|key| runs::is_of(runs, recorded, key))
    });
    Ok(all)
}
