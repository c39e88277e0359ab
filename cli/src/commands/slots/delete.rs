//! `links slots delete`: deletes slots with their click statistics.

use std::collections::HashMap;

use clap::Args;
use links_sdk::types::AnalyticsPeriod;
use links_sdk::{AnalyticsQuery, ProfileHandle, ProfileKey, SLOTS_PER_BATCH, Slot};
use serde_json::json;

use super::clicks;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::dry_run::DryRun;
use crate::output::label::label;
use crate::output::{Body, CommandOutput, Style, StyledLine, View};
use crate::ui::confirm::agree;
use crate::{profile_key, sanitize};

/// Arguments of `links slots delete`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  links slots delete cafe 1002 1003 --yes")]
pub(crate) struct SlotsDeleteArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Ids of the slots, as `links slots list` shows them
    #[arg(value_name = "ID", required = true, value_parser = profile_key::slot)]
    ids: Vec<i64>,
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
    let profile = context.writer(args.dry_run).await?.profile(args.profile);
    let slots = profile.slots();
    let page = slots.list().await?;
    let doomed = named(&args.ids, &page)?;
    // With `--yes` the deletion does not wait for the numbers.
    let clicks = if args.yes { HashMap::new() } else { clicks(&profile).await };
    for slot in &doomed {
        context.ui.say(&StyledLine::new(Style::Removed, lost(slot, clicks.get(&slot.id))));
    }
    let question = match doomed.len() {
        1 => "Delete this slot with its click statistics? There is no way back.".to_owned(),
        many => {
            format!("Delete these {many} slots with their click statistics? There is no way back.")
        }
    };
    agree(&context.ui, args.yes, &question)?;
    if context.dry_run() == Some(DryRun::Service)
        && let Some(refused) = refused(context, &doomed).await
    {
        return Ok(refused);
    }

    let progress = context.ui.progress(doomed.len().div_ceil(SLOTS_PER_BATCH));
    let mut deleted = 0;
    let mut rehearsed: Option<CommandError> = None;
    for batch in doomed.chunks(SLOTS_PER_BATCH) {
        progress.now(&format!("deleting {} of {}", deleted + batch.len(), doomed.len()));
        let seen = batch.iter().copied().cloned().collect();
        match slots.delete_unchanged(seen).await.map_err(CommandError::from) {
            Ok(_) => deleted += batch.len(),
            Err(end) if !end.rehearsals().is_empty() => {
                let earlier = rehearsed.map(|it| it.rehearsals().to_vec()).unwrap_or_default();
                rehearsed = Some(end.after(earlier));
            }
            Err(failure) if deleted == 0 => return Err(failure),
            Err(failure) => return Err(failure.partial(&format!("{deleted} deleted"))),
        }
        progress.step();
    }
    if let Some(end) = rehearsed {
        return Err(end);
    }
    drop(progress);
    let left = page.len() - deleted;
    let said = StyledLine::new(Style::Plain, format!("{deleted} deleted, {left} left"));
    let body = json!({ "data": doomed, "meta": { "deleted": deleted, "total": left } });
    Ok(CommandOutput {
        body: Body::Own(body),
        view: View::Lines(vec![said]),
        exit: Exit::Ok,
        then: None,
    })
}

/// Returns the output for slots that are known to be refused, whatever a dry run reports: a dry run may not check this rule.
async fn refused(context: &mut Context, doomed: &[&Slot]) -> Option<CommandOutput> {
    let types = context.slot_types().await.map(|it| it.rules()).unwrap_or_default();
    let mut lines: Vec<_> = doomed
        .iter()
        .filter(|it| types.is_read_only(&it.kind))
        .map(|it| {
            format!("the service refuses to delete {} {}: no {0} can be deleted", it.kind, it.id)
        })
        .map(|text| StyledLine::new(Style::Removed, text))
        .collect();
    if lines.is_empty() {
        return None;
    }
    lines.push(StyledLine::new(Style::Plain, "nothing was changed"));
    let body = json!({
        "dryRun": "service", "operation": "deleteSlots", "accepted": false, "slots": doomed,
    });
    Some(CommandOutput::own(body, View::Lines(lines)))
}

/// Returns the slots with these ids, each once.
fn named<'p>(ids: &[i64], page: &'p [Slot]) -> Result<Vec<&'p Slot>, CommandError> {
    let on_page = |id: &i64| page.iter().any(|slot| slot.id == *id);
    let strange: Vec<_> = ids.iter().filter(|id| !on_page(id)).map(ToString::to_string).collect();
    if !strange.is_empty() {
        let message = format!("not on this page: {}; nothing was deleted", strange.join(" "));
        return Err(
            CommandError::new(Exit::NotFound, message).hint("`links slots list` shows the ids")
        );
    }
    Ok(page.iter().filter(|slot| ids.contains(&slot.id)).collect())
}

/// Returns the clicks of the last 28 days by slot. Analytics that cannot be read do not prevent the deletion.
async fn clicks(profile: &ProfileHandle) -> HashMap<i64, u64> {
    let query = AnalyticsQuery::default().period(AnalyticsPeriod::Last28);
    let analytics = profile.analytics(query).await;
    analytics.map(|it| clicks::by_slot(&it.data.0.into())).unwrap_or_default()
}

fn lost(slot: &Slot, clicks: Option<&u64>) -> String {
    let mut text = format!("- {} {}", slot.kind, slot.id);
    if let Some(label) = label(&slot.data) {
        text = format!("{text} \"{}\"", sanitize::line(label));
    }
    if let Some(link) = slot.data.get("link").and_then(|it| it.as_str()) {
        text = format!("{text} {link}");
    }
    match clicks {
        Some(clicks) => format!("{text}: {clicks} clicks in the last 28 days"),
        None => text,
    }
}
