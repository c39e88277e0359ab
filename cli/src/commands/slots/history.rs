//! `links slots history`

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::apply::{Done, Ending, Recorded, Runs, State};
use serde_json::{Value, json};

use super::executing::written;
use super::state;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::outcome::{Column, Outcome, View};

/// Arguments of `links slots history`.
#[derive(Args, Debug)]
pub(crate) struct SlotsHistoryArgs {
    /// Id, login or address of the page; all pages without it
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: Option<ProfileKey>,
}

const COLUMNS: &[Column] = &[
    Column::at("RUN", "run"),
    Column::at("TIME", "time"),
    Column::at("PAGE", "login"),
    Column::at("DONE", "summary"),
    Column::at("STATE", "state"),
];

pub(crate) fn run(context: &Context, args: &SlotsHistoryArgs) -> Result<Outcome, Failure> {
    let mut all = state::all(context)?;
    let key = args.profile.as_ref();
    all.retain(|(runs, recorded)| key.is_none_or(|key| state::is_of(runs, recorded, key)));
    Ok(listed(&all))
}

/// Runs as a table, the latest first.
pub(super) fn listed(all: &[(Runs, Recorded)]) -> Outcome {
    let rows: Vec<Value> = all.iter().rev().map(|(runs, recorded)| row(runs, recorded)).collect();
    Outcome::own(rows, View::Table(COLUMNS))
}

/// A run as a record.
pub(super) fn row(runs: &Runs, recorded: &Recorded) -> Value {
    let log = match &recorded.log {
        Ok(log) => log,
        Err(why) => {
            return json!({
                "run": recorded.run, "profile": runs.profile(), "state": "unreadable",
                "summary": why.to_string(), "journal": recorded.path.display().to_string(),
            });
        }
    };
    let (opening, done) = (log.opening(), log.done());
    let Done { updated, deleted, reordered, .. } = done;
    json!({
        "run": recorded.run,
        "time": state::time(opening.time),
        "service": opening.service,
        "profile": opening.profile,
        "login": opening.login,
        "file": opening.path,
        "state": named(log.state()),
        "inDoubt": log.is_in_doubt(),
        "done": { "updated": updated, "created": done.created.len(), "deleted": deleted, "reordered": reordered },
        "summary": written(done),
        "deleted": log.deleted(),
        "journal": recorded.path.display().to_string(),
        "backup": runs.backup(&recorded.run).display().to_string(),
    })
}

fn named(state: State) -> &'static str {
    match state {
        State::Unfinished => "unfinished",
        State::Done => "done",
        State::Ended(Ending::Drift) => "drift",
        State::Ended(Ending::Refused) => "refused",
        State::Ended(Ending::Stopped) => "stopped",
        State::Ended(Ending::Replaced) => "replaced",
        State::Ended(Ending::Aborted) => "aborted",
    }
}
