//! `links log`: lists every write of this machine, and removes old ones.

use super::prelude::*;
use crate::apply::write_log::{self, COLUMNS, LoggedWrite, PageFilter};
use crate::context::seconds_now;
use links_pages::apply::JournalStore;

#[derive(Args, Debug)]
#[command(
    notes = "Kept without --prune: the last 50 runs of each page, the last 200 other commands, and every write of which it is unknown whether it was carried out.",
    examples = ["links log --profile cafe -n 10", "links log --prune --keep 20 --days 30"]
)]
pub(crate) struct LogArgs {
    /// Only the writes to this page: id, login or URL
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse)]
    profile: Option<ProfileKey>,
    /// Number of writes to list, the newest first
    #[arg(short = 'n', long, value_name = "N")]
    number: Option<usize>,
    /// Remove old writes that have ended, with their backups: they cannot be undone any more
    #[arg(long, conflicts_with_all = ["profile", "number"])]
    prune: bool,
    /// Keep the last N runs of each page, and the last N other commands
    #[arg(long, value_name = "N", requires = "prune")]
    keep: Option<usize>,
    /// Keep what is at most this many days old
    #[arg(long, value_name = "N", requires = "prune")]
    days: Option<u32>,
}

/// Number of writes that `--prune` keeps unless something else is asked for.
const KEPT: usize = 50;

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

pub(crate) fn run(context: &Context, args: &LogArgs) -> CommandResult {
    if args.prune {
        return prune(context, args);
    }
    let all = write_log::all(context)?;
    let undone = undone(&all);
    let filter = args.profile.as_ref().map(|key| PageFilter::new(&all, key));
    let is_shown = |write: &&LoggedWrite| filter.as_ref().is_none_or(|filter| filter.has(write));
    let newest = all.iter().rev().filter(is_shown).take(args.number.unwrap_or(usize::MAX));
    let rows: Vec<Value> =
        newest.map(|write| write.row(undone.get(write.run()).copied())).collect();
    Ok(CommandOutput::own(rows, View::Table(COLUMNS)))
}

/// Returns the runs that were undone, each with the last run that did it.
fn undone(all: &[LoggedWrite]) -> BTreeMap<&str, &str> {
    let undoes = |write: &'_ LoggedWrite| {
        write.log().filter(|log| log.has_effect())?.opening.command.as_ref()?.undoes.clone()
    };
    let mut undone = BTreeMap::new();
    for write in all {
        if let Some(run) = undoes(write)
            && let Some(of) = all.iter().find(|it| it.run() == run)
        {
            undone.insert(of.run(), write.run());
        }
    }
    undone
}

fn prune(context: &Context, args: &LogArgs) -> CommandResult {
    let before =
        args.days.map(|days| seconds_now().saturating_sub(u64::from(days) * SECONDS_A_DAY));
    let keep = args.keep.unwrap_or(if before.is_some() { 0 } else { KEPT });
    let (service, directory) = (runs::service(context), runs::directory(context)?);
    let refused =
        |error: std::io::Error| CommandError::usage(format!("cannot remove old writes: {error}"));
    let stores = JournalStore::all(&directory, service.as_deref()).map_err(refused)?;
    let own = context.owner();
    let mut removed = Vec::new();
    for store in stores {
        let is_own = |recorded: &links_pages::apply::RecordedRun| {
            own.as_ref().is_none_or(|own| runs::is_own(recorded, own) != Some(false))
        };
        removed.extend(store.prune(keep, before, is_own).map_err(refused)?);
    }
    let kept = write_log::all(context)?.len();
    let text = match removed.len() {
        0 => format!("nothing to remove, {kept} kept"),
        count => format!("{count} removed, {kept} kept"),
    };
    Ok(said(json!({ "removed": removed, "kept": kept }), text))
}
