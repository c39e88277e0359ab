//! Unfinished runs: listing them, selecting one and aborting it.

use links_pages::apply::RunHeader;

use super::runs;
use super::write_log::{self, COLUMNS, LoggedWrite};

use crate::context::prelude::*;

/// Lists the unfinished runs.
pub(crate) fn status(context: &Context, key: Option<&ProfileKey>) -> Result<CommandOutput> {
    let all = find(context, key)?;
    if all.is_empty() {
        return Ok(said(json!([]), "no unfinished runs"));
    }
    let rows: Vec<Value> = all.iter().rev().map(LoggedWrite::row).collect();
    Ok(CommandOutput::own(rows, View::Table(COLUMNS)))
}

/// Header of the only unfinished run.
pub(crate) fn only(context: &Context, key: Option<&ProfileKey>) -> Result<RunHeader> {
    let recorded = one(context, key)?.recorded;
    match recorded.log {
        Ok(log) => Ok(log.opening.clone()),
        Err(why) => Err(runs::bad(&recorded.path, &why)),
    }
}

/// Aborts the only unfinished run.
pub(crate) fn abort(context: &Context, key: Option<&ProfileKey>) -> Result<CommandOutput> {
    let write = one(context, key)?;
    let lock = write.store.lock()?;
    write
        .store
        .abort(Some(lock), write.run())
        .map_err(|error| CommandError::usage(format!("cannot close the journal: {error}")))?;
    let row = write.row();
    let text = format!(
        "discarded the run from {}; its writes stay on the page ({})",
        row["time"].as_str().unwrap_or("an unknown time"),
        row["summary"].as_str().unwrap_or("unknown"),
    );
    Ok(said(row, text))
}

/// Returns the only unfinished run. Without the key of a page, the run must be known to belong to this account.
fn one(context: &Context, key: Option<&ProfileKey>) -> Result<LoggedWrite> {
    let mut all = find(context, key)?;
    let Some(one) = all.pop() else { return Err(CommandError::not_found("no unfinished runs")) };
    let is_own = || one.is_of(&context.owner()) == Some(true);
    let why = if !all.is_empty() {
        "more than one run is unfinished"
    } else if key.is_some() || is_own() {
        return Ok(one);
    } else {
        "found an unfinished run that may belong to another account"
    };
    let hint = "pass the page file of the run; to list the runs, pass --status";
    Err(CommandError::usage(why).with_hint(hint))
}

fn find(context: &Context, key: Option<&ProfileKey>) -> Result<Vec<LoggedWrite>> {
    let mut all = write_log::all(context)?;
    let is_of_page = |write: &LoggedWrite| match key {
        None => true,
        Some(ProfileKey::Id(id)) => write.store.profile() == Some(*id),
        // The login of the page is recorded only in the journal.
        Some(ProfileKey::Login(login)) => ["", login.as_str()].contains(&&*write.opening().login),
    };
    all.retain(|write| write.is_run() && write.recorded.is_open() && is_of_page(write));
    Ok(all)
}
