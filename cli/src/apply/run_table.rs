//! Table rows of recorded runs, for `slots history` and `slots apply --status`.

use links_sdk::apply::{
    AppliedChanges, JournalError, JournalStore, RecordedRun, RunEnding, RunState,
};
use serde_json::{Value, json};

use super::report::written;
use super::runs;
use crate::output::{Column, CommandOutput, View};

pub(crate) const COLUMNS: &[Column] = &[
    Column::at("RUN", "run"),
    Column::at("TIME", "time"),
    Column::at("PAGE", "login"),
    Column::at("DONE", "summary"),
    Column::at("STATE", "state"),
];

/// Table of runs, the latest first.
pub(crate) fn listed(all: &[(JournalStore, RecordedRun)]) -> CommandOutput {
    let rows: Vec<Value> = all.iter().rev().map(|(runs, recorded)| row(runs, recorded)).collect();
    CommandOutput::own(rows, View::Table(COLUMNS))
}

/// Record of a run.
pub(crate) fn row(runs: &JournalStore, recorded: &RecordedRun) -> Value {
    let mut row = json!({ "run": recorded.run, "profile": runs.profile() });
    if let Some(opening) = &recorded.opening {
        row["time"] = runs::time(opening.time).into();
        row["service"] = opening.service.clone().into();
        row["user"] = opening.owner.as_ref().and_then(|it| it.user).into();
        row["login"] = opening.login.clone().into();
        row["file"] = opening.path.clone().into();
    }
    match &recorded.log {
        Ok(log) => {
            let done = log.done();
            let AppliedChanges { fields, updated, deleted, reordered, .. } = done;
            row["state"] = named(log.state()).into();
            row["inDoubt"] = log.is_in_doubt().into();
            row["done"] = json!({ "updated": updated, "created": done.created.len(), "deleted": deleted, "reordered": reordered });
            if !fields.is_empty() {
                row["done"]["fields"] = json!(fields);
            }
            row["summary"] = written(done).into();
            row["deleted"] = json!(log.deleted());
        }
        Err(why) => {
            row["state"] = unusable(why).into();
            row["summary"] = why.to_string().into();
        }
    }
    row["journal"] = recorded.path.display().to_string().into();
    row["backup"] = runs.backup(&recorded.run).display().to_string().into();
    row
}

pub(crate) fn unusable(why: &JournalError) -> &'static str {
    match why {
        JournalError::NotBegun => "not_begun",
        JournalError::PutAside => "aborted",
        _ => "unreadable",
    }
}

pub(crate) fn named(state: RunState) -> &'static str {
    match state {
        RunState::Unfinished => "unfinished",
        RunState::Done => "done",
        RunState::Ended(RunEnding::Drift) => "drift",
        RunState::Ended(RunEnding::Refused) => "refused",
        RunState::Ended(RunEnding::Stopped) => "stopped",
        RunState::Ended(RunEnding::Replaced) => "replaced",
        RunState::Ended(RunEnding::Aborted) => "aborted",
    }
}
