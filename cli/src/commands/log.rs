//! `links log`: lists the operations of this machine, shows what one of them changed, and removes old ones.

use super::prelude::*;
use crate::apply::operations::{COLUMNS, Operations, READ_COLUMNS, state_words, when};
use crate::apply::write_log::{LoggedWrite, PageFilter};
use crate::context::seconds_now;
use crate::ui;
use crate::ui::plan::{PlanStyle, PlanView, item_of_file};
use links_pages::apply::{DesiredSlot, JournalStore, RunHeader};

#[derive(Args, Debug)]
#[command(
    after_help = "An operation is everything that one command wrote. Without --prune, `links` keeps the last 50 runs of each page, the last 200 other commands, and every write with an unknown outcome.",
    examples = ["links log \"$(links log -n 1 -o ids)\"", "links log --prune --keep 20 --days 30 --yes"]
)]
pub(crate) struct LogArgs {
    /// Show what this operation changed, page by page
    #[arg(value_name = "OPERATION", conflicts_with_all = ["page", "number", "prune"])]
    operation: Option<String>,
    /// List only operations on this page (ID, login, or URL of any host)
    #[arg(long, value_name = "KEY", value_parser = profile_key::parse)]
    page: Option<ProfileKey>,
    /// Number of operations to list, newest first
    #[arg(short = 'n', long, alias = "limit", value_name = "N")]
    number: Option<usize>,
    /// Remove old writes from the log; they can no longer be undone
    #[arg(long, conflicts_with_all = ["page", "number"])]
    prune: bool,
    /// Keep the last N runs of each page, and the last N other commands
    #[arg(long, value_name = "N", requires = "prune")]
    keep: Option<usize>,
    /// Keep writes of the last N days
    #[arg(long, value_name = "N", requires = "prune")]
    days: Option<u32>,
    /// Don't ask for confirmation
    #[arg(short, long, requires = "prune")]
    yes: bool,
}

/// Number of writes that `--prune` keeps unless something else is asked for.
const KEPT: usize = 50;

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

pub(crate) fn run(context: &Context, args: &LogArgs) -> CommandResult {
    if args.prune {
        return prune(context, args);
    }
    let is_any_account = context.settings.account.is_none();
    if !is_any_account {
        context.check_account()?;
    }
    let operations = Operations::read(context)?;
    if let Some(name) = &args.operation {
        return shown(context, &operations, operations.one(name)?);
    }
    let filter = args.page.as_ref().map(|key| PageFilter::new(operations.writes(), key));
    let is_shown = |index: &usize| {
        let mut parts = operations.all[*index].parts.iter();
        let is_meant = |part: &LoggedWrite| match &filter {
            Some(filter) => filter.has(part),
            None => is_any_account || !part.is_foreign,
        };
        parts.any(is_meant)
    };
    let newest = (0..operations.all.len()).rev().filter(is_shown);
    let newest = newest.take(args.number.unwrap_or(usize::MAX));
    let rows: Vec<Value> = newest.map(|index| operations.row(index)).collect();
    let columns = if context.ui.is_read_as_text() { READ_COLUMNS } else { COLUMNS };
    Ok(CommandOutput::own(rows, View::Table(columns)))
}

/// Shows what an operation changed: a line for each page and form, and its changes below.
fn shown(context: &Context, operations: &Operations, index: usize) -> CommandResult {
    let mut row = operations.row(index);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut time = text(&row["time"]);
    if context.ui.is_read_as_text() {
        time = format!("{time}, {}", when(&row));
    }
    let heading = format!("links {} ({time})", text(&row["command"]));
    let mut lines = vec![StyledLine::plain(format!("{heading}: {}", state_words(&row)))];
    let accounts = context.settings.accounts();
    for (nth, part) in operations.all[index].parts.iter().enumerate() {
        let record = &mut row["parts"][nth];
        let [summary, state] = ["summary", "state"].map(|name| text(&record[name]));
        let undone = if record["undoneBy"].is_null() { "" } else { ", undone" };
        let mut target = part.target();
        if part.is_part()
            && let Some(user) = part.account()
        {
            let account = user
                .account(&accounts)
                .map_or_else(|| format!("{} {}", user.service, user.user), |it| it.to_string());
            target = format!("{target} ({account})");
        }
        lines.push(StyledLine::changed(format!("~ {target}: {summary} ({state}{undone})")));
        lines.extend(changes(part, record)?.into_iter().map(StyledLine::indented));
    }
    Ok(CommandOutput::own(vec![row], View::Lines(lines)))
}

/// Returns lines about what a write asked for, and adds it to its record.
fn changes(part: &LoggedWrite, record: &mut Value) -> Result<Vec<StyledLine>> {
    let Some(log) = part.log() else { return Ok(Vec::new()) };
    if let Some(write) = &log.write {
        record["write"] = json!(write);
        return Ok(ui::plan::form_lines(&write.before, &write.changed));
    }
    let Some(plan) = log.plan() else { return Ok(Vec::new()) };
    let before = part.slots_before()?.unwrap_or_default();
    let page: Vec<Slot> = before.iter().filter_map(slot).collect();
    let view = PlanView::of(plan, &page, Vec::new());
    record["plan"] = json!(view);
    let style = PlanStyle { kept_reason: "kept", is_full: true, item_name: &item_of_file };
    let mut lines = ui::plan::lines(&view, style);
    if plan.reorder && page.is_empty() {
        lines.push(StyledLine::changed("> slot order"));
    }
    Ok(lines)
}

/// Returns a slot of a backup as one of a page.
fn slot(before: &DesiredSlot) -> Option<Slot> {
    let mut slot = json!(before);
    slot["supported"] = true.into();
    serde_json::from_value(slot).ok()
}

fn prune(context: &Context, args: &LogArgs) -> CommandResult {
    context.check_account()?;
    let before =
        args.days.map(|days| seconds_now().saturating_sub(u64::from(days) * SECONDS_A_DAY));
    let keep = args.keep.unwrap_or(if before.is_some() { 0 } else { KEPT });
    let (service, directory) = (runs::service(context), runs::directory(context)?);
    let refused = |error: std::io::Error| {
        CommandError::usage(format!("cannot remove old operations: {error}"))
    };
    let stores = JournalStore::all(&directory, service.as_deref()).map_err(refused)?;
    let own = context.owner();
    let is_own = |RunHeader { owner, .. }: &RunHeader| {
        (!own.is_unknown() || owner.is_unknown()) && owner.is(&own) != Some(false)
    };
    let old = |store: JournalStore| Ok((store.old(keep, before, false, is_own)?, store));
    let old: Vec<_> = stores.into_iter().map(old).collect::<Result<_, _>>().map_err(refused)?;
    let removed: Vec<_> = old.iter().flat_map(|(runs, _)| runs).collect();
    let writes = count(removed.len(), "write");
    if !removed.is_empty() {
        let question = format!("Remove {writes} from the log? You can't undo removed writes.");
        context.ui.confirm(args.yes, &question)?;
        old.iter().try_for_each(|(runs, store)| store.remove_runs(runs)).map_err(refused)?;
    }
    let kept = Operations::read(context)?.writes().filter(|write| !write.is_foreign).count();
    let text = match removed.len() {
        0 => format!("nothing to remove, kept {kept}"),
        _ => format!("removed {writes} from the log, kept {kept}; removed writes cannot be undone"),
    };
    Ok(said(json!({ "removed": removed, "kept": kept }), text))
}
