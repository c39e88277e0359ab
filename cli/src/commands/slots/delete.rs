//! `links slots delete`: deletes slots with their click statistics.

use std::collections::HashMap;

use clap::Args;
use links_sdk::apply::{Plan, PlannedDelete, SlotRef, fingerprint};
use links_sdk::{ProfileKey, SLOTS_PER_BATCH, Slot, SlotId, SlotsHandle};
use serde_json::json;

use super::{clicks, deletion};
use crate::apply::confirm::question;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal::CommandRecorder;
use crate::output::dry_run::DryRun;
use crate::output::label::label;
use crate::output::{Body, CommandOutput, Style, StyledLine, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots delete cafe 1002 1003 --yes"])]
pub(crate) struct SlotsDeleteArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Ids of the slots, as `links slots list` shows them
    #[arg(value_name = "ID", required = true, value_parser = profile_key::slot)]
    ids: Vec<SlotId>,
    /// Confirm without being asked
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsDeleteArgs,
) -> Result<CommandOutput, CommandError> {
    let profile = context.writer(args.dry_run).await?.profile(&args.profile);
    let slots = profile.slots();
    let page = slots.list().await?;
    let to_delete = deletion::select(&args.ids, &page)?;
    // With `--yes` the deletion does not wait for the numbers.
    let clicks = if args.yes { HashMap::new() } else { clicks::recent(&profile).await };
    for slot in &to_delete {
        context.ui.say(&deletion::loss(slot, clicks.get(&slot.id)));
    }
    context.ui.confirm(args.yes, &question(to_delete.len(), 0))?;
    if context.dry_run() == Some(DryRun::Service)
        && let Some(refused) = refused(context, &to_delete).await
    {
        return Ok(refused);
    }
    let recorder = CommandRecorder::of_page(context, "slots delete", &args.profile);
    recorder.plan(&planned(&page, &to_delete), &page);
    let deleted = delete(context, &slots, &to_delete, &recorder).await;
    recorder.finish(context, deleted.is_ok());
    let deleted = deleted?;
    let left = page.len() - deleted;
    let line = StyledLine::new(Style::Plain, format!("{deleted} deleted, {left} left"));
    let body = json!({ "data": to_delete, "meta": { "deleted": deleted, "total": left } });
    Ok(CommandOutput {
        body: Body::Own(body),
        view: View::Lines(vec![line]),
        exit: Exit::Ok,
        then: None,
    })
}

/// Returns the output for slots that are known to be refused, whatever a dry run reports: a dry run may not check this rule.
async fn refused(context: &mut Context, to_delete: &[&Slot]) -> Option<CommandOutput> {
    let types = context.slot_types().await.map(|it| it.rules()).unwrap_or_default();
    let mut lines = deletion::refusals(&types, to_delete);
    if lines.is_empty() {
        return None;
    }
    lines.push(StyledLine::new(Style::Plain, "nothing was changed"));
    let body = json!({
        "dryRun": "service", "operation": "deleteSlots", "accepted": false, "slots": to_delete,
    });
    Some(CommandOutput::own(body, View::Lines(lines)))
}

/// Returns the plan of the deletes.
fn planned(page: &[Slot], to_delete: &[&Slot]) -> Plan {
    let delete = |slot: &&Slot| PlannedDelete {
        id: slot.id,
        kind: slot.kind.clone(),
        label: label(&slot.data).map(str::to_owned),
    };
    let deletes: Vec<PlannedDelete> = to_delete.iter().map(delete).collect();
    let stays = |slot: &&Slot| deletes.iter().all(|delete| delete.id != slot.id);
    let order = page.iter().filter(stays).map(|slot| SlotRef::Existing(slot.id)).collect();
    Plan { page: fingerprint(page), order, deletes, ..Plan::default() }
}

/// Deletes the slots in batches, and returns their number.
async fn delete(
    context: &Context,
    slots: &SlotsHandle,
    to_delete: &[&Slot],
    recorder: &CommandRecorder,
) -> Result<usize, CommandError> {
    let progress = context.ui.progress(to_delete.len().div_ceil(SLOTS_PER_BATCH));
    let mut deleted = 0;
    let mut dry_run_end: Option<CommandError> = None;
    for (step, batch) in to_delete.chunks(SLOTS_PER_BATCH).enumerate() {
        progress.now(&format!("deleting {} of {}", deleted + batch.len(), to_delete.len()));
        let seen = batch.iter().copied().cloned().collect();
        recorder.begin(step);
        let result = slots.delete_unchanged(seen).await;
        recorder.ended(step, batch.len(), &result);
        match result.map_err(CommandError::from) {
            Ok(_) => deleted += batch.len(),
            Err(end) if !end.dry_run_results().is_empty() => {
                let earlier =
                    dry_run_end.map(|it| it.dry_run_results().to_vec()).unwrap_or_default();
                dry_run_end = Some(end.after(earlier));
            }
            Err(failure) if deleted == 0 => return Err(failure),
            Err(failure) => return Err(failure.partial(&format!("{deleted} deleted"))),
        }
        progress.step();
    }
    dry_run_end.map_or(Ok(deleted), Err)
}
