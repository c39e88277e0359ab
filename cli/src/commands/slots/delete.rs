//! `links slots delete`: deletes slots with their click statistics, after showing what is lost.

use std::collections::HashMap;

use links_sdk::ProfileHandle;

use super::clicks;
use crate::args::flags::next_dry_run;
use crate::commands::prelude::*;
use crate::output::dry_run::DryRun;
use crate::output::{label, named_slot};
use links_pages::apply::{Plan, SingleWrite, SlotTypes};

#[derive(Args, Debug)]
#[command(examples = ["links slots delete cafe 1002 1003 --yes"])]
pub(crate) struct SlotsDeleteArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// IDs of the slots (see `links slots list`)
    #[arg(value_name = "ID", required = true, value_parser = profile_key::slot)]
    ids: Vec<SlotId>,
    /// Don't ask for confirmation
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn delete(context: &mut Context, args: SlotsDeleteArgs) -> CommandResult {
    let profile = args.key.page(&context.writer(args.dry_run).await?).await?;
    let page = profile.slots().list().await?;
    let to_delete = select(&args.ids, &page)?;
    // With `--yes` the deletion does not wait for the numbers.
    let clicks = if args.yes { HashMap::new() } else { clicks::recent(&profile).await };
    for slot in &to_delete {
        context.ui.say(&loss(slot, clicks.get(&slot.id)));
    }
    let question = format!(
        "Delete {}? Click statistics are lost. `links undo` can recreate slots of most types, with new IDs.",
        count(to_delete.len(), "slot")
    );
    context.ui.confirm(args.yes, &question)?;
    if context.dry_run() == Some(DryRun::Service)
        && let Some(refused) = refused(context, &to_delete).await
    {
        return Ok(refused);
    }
    let write = journal::page_write(context, &args.key);
    let plan = Plan::deleting(&page, &args.ids);
    let deleted = delete_batches(context, &write, &profile, &page, &plan).await;
    let deleted = journal::finish(context, &write, deleted)?;
    let left = page.len() - deleted;
    let line = View::line(format!("deleted {}, {left} left", count(deleted, "slot")));
    let meta = json!({ "deleted": deleted, "total": left });
    Ok(CommandOutput::with_meta(json!(to_delete), meta, line))
}

/// Returns the output for slots that are known to be refused, whatever a dry run reports: a dry run may not check this rule.
async fn refused(context: &mut Context, to_delete: &[&Slot]) -> Option<CommandOutput> {
    let types = context.slot_types().await.map(|it| it.rules()).unwrap_or_default();
    let mut lines = refusals(&types, to_delete);
    if lines.is_empty() {
        return None;
    }
    lines.push(StyledLine::plain("nothing was changed"));
    let body = json!({
        "dryRun": "service", "operation": "deleteSlots", "accepted": false, "slots": to_delete,
    });
    Some(CommandOutput::own(body, View::Lines(lines)))
}

/// Deletes the slots in batches, and returns their number.
async fn delete_batches(
    context: &Context,
    write: &SingleWrite,
    handle: &ProfileHandle,
    page: &[Slot],
    plan: &Plan,
) -> Result<usize> {
    let batches = plan.batches();
    let progress = context.ui.progress(batches.len());
    let mut deleted = 0;
    let mut dry_run_end: Option<CommandError> = None;
    for (step, batch) in batches.iter().enumerate() {
        let next = deleted + batch.deletes().len();
        progress.now(&format!("deleting {next} of {}", plan.deletes.len()));
        let result = write.send(handle, plan, step, page, None).await;
        match result.map_err(CommandError::from) {
            Ok(_) => deleted = next,
            Err(failure) => match next_dry_run(dry_run_end.as_ref(), failure) {
                Ok(end) => dry_run_end = Some(end),
                Err(failure) if deleted == 0 => return Err(failure),
                Err(failure) => {
                    return Err(failure.partial(&format!("deleted {}", count(deleted, "slot"))));
                }
            },
        }
        progress.step();
    }
    dry_run_end.map_or(Ok(deleted), Err)
}

/// Returns the slots with these ids, each once.
///
/// # Errors
///
/// When an id is not on the page.
fn select<'p>(ids: &[SlotId], page: &'p [Slot]) -> Result<Vec<&'p Slot>> {
    let on_page = |id: &SlotId| page.iter().any(|slot| slot.id == *id);
    let unknown_ids: Vec<_> =
        ids.iter().filter(|id| !on_page(id)).map(ToString::to_string).collect();
    if !unknown_ids.is_empty() {
        let message =
            format!("not found on this page: {}; nothing was deleted", unknown_ids.join(" "));
        return Err(CommandError::not_found(message).with_hint("`links slots list` shows the IDs"));
    }
    Ok(page.iter().filter(|slot| ids.contains(&slot.id)).collect())
}

/// Returns the line that shows what is lost with a slot.
fn loss(slot: &Slot, clicks: Option<&u64>) -> StyledLine {
    let mut text = format!("- {}", named_slot(&slot.kind, slot.id, label(&slot.data)));
    if let Some(link) = slot.data.get("link").and_then(Value::as_str) {
        text = format!("{text} {link}");
    }
    if let Some(clicks) = clicks {
        text = format!("{text}: {} in the last 28 days", count(*clicks, "click"));
    }
    StyledLine::removed(text)
}

/// Returns a line for each slot whose type cannot be deleted.
fn refusals(types: &SlotTypes, to_delete: &[&Slot]) -> Vec<StyledLine> {
    let refused = to_delete.iter().filter(|slot| types.is_read_only(&slot.kind));
    let line = |Slot { kind, id, .. }: &&Slot| {
        StyledLine::removed(format!("{kind} slots cannot be deleted (slot {id})"))
    };
    refused.map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Vec<Slot> {
        let data = json!({ "title": "Menu", "link": "https://a.example" });
        let page = json!([
            { "id": 7, "type": "button", "data": data, "supported": true },
            { "id": 8, "type": "event", "data": {}, "supported": true },
        ]);
        serde_json::from_value(page).unwrap()
    }

    #[test]
    fn repeated_ids_count_once_and_ids_that_are_not_on_the_page_are_refused() {
        let page = page();
        let ids: Vec<_> = select(&[8.into(), 7.into(), 8.into()], &page)
            .unwrap()
            .iter()
            .map(|slot| slot.id)
            .collect();
        assert_eq!(ids, [7, 8]);
        let refused = select(&[7.into(), 9.into(), 10.into()], &page).unwrap_err();
        assert_eq!(refused.to_string(), "not found on this page: 9 10; nothing was deleted");
    }

    #[test]
    fn a_deleted_slot_is_shown_with_its_label_url_and_clicks() {
        let page = page();
        let text = "- button 7 \"Menu\" https://a.example: 3 clicks in the last 28 days";
        assert_eq!(loss(&page[0], Some(&3)).text(), text);
        assert_eq!(loss(&page[1], None).text(), "- event 8");
    }

    #[test]
    fn only_types_that_cannot_be_deleted_are_refused() {
        let page = page();
        let lines = refusals(&SlotTypes::default(), &page.iter().collect::<Vec<_>>());
        let text = "event slots cannot be deleted (slot 8)";
        assert_eq!(lines, [StyledLine::removed(text)]);
    }
}
