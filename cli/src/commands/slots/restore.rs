//! `links slots restore`: reverts a run of `apply`.

use std::collections::HashSet;

use clap::Args;
use links_sdk::apply::{DesiredSlot, PageSnapshot, SlotTypes};
use serde_json::json;

use crate::apply::planned::ApplyArgs;
use crate::apply::{ApplyRequest, apply, runs};
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Body, CommandOutput, Style, StyledLine};
use crate::page_file::PageFile;

/// Arguments of `links slots restore`.
#[derive(Args, Debug)]
pub(crate) struct SlotsRestoreArgs {
    /// The run to undo, as `links slots history` names it; the first few letters will do
    #[arg(value_name = "RUN")]
    run: String,
    /// Confirm the changes without being asked
    #[arg(long)]
    yes: bool,
    /// Wait for another run on the same page instead of refusing
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Restores the page as it was before the run, as far as possible: deleted slots get new ids, slots that were added since stay.
/// `notRestored` names the slots that cannot be created again and the keys that cannot be cleared.
pub(crate) async fn run(
    context: &mut Context,
    args: SlotsRestoreArgs,
) -> Result<CommandOutput, CommandError> {
    let client = context.writer(args.dry_run).await?;
    let (backup, run) = find(context, &args.run)?;
    let mut file = PageFile::read_literal(&backup)?;
    let now = PageSnapshot::read(&client, &file.page.profile).await?;
    let types = context.slot_types().await?.rules();
    let there: HashSet<i64> = now.slots.iter().map(|slot| slot.id).collect();
    let is_gone = |slot: &DesiredSlot| slot.id.is_some_and(|id| !there.contains(&id));

    let (lost, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut file.page.content.slots)
        .into_iter()
        .partition(|slot| is_gone(slot) && !can_be_made(slot, &types));
    let mut not_restored = Vec::new();
    for slot in &lost {
        let id = slot.id.unwrap_or_default();
        not_restored.push(json!({ "id": id, "type": slot.kind }));
        let text = format!("{} {id} is gone for good: such a slot cannot be created", slot.kind);
        context.ui.say(&StyledLine::new(Style::Removed, text));
    }
    let again = kept.iter().filter(|slot| is_gone(slot)).count();
    if again > 0 {
        let text = match again {
            1 => "1 deleted slot is created again, with a new id; its click statistics are gone"
                .to_owned(),
            _ => format!(
                "{again} deleted slots are created again, with new ids; their click statistics are gone"
            ),
        };
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    file.page.content.slots = kept
        .into_iter()
        .map(|slot| DesiredSlot { id: slot.id.filter(|_| !is_gone(&slot)), ..slot })
        .collect();
    for (id, key) in file.page.content.clear_unmentioned(&now.slots, &types) {
        not_restored.push(json!({ "id": id, "key": key }));
        let text =
            format!("slot {id}: `{key}` was added since and stays: the service cannot clear it");
        context.ui.say(&StyledLine::new(Style::Changed, text));
    }
    let text = serde_json::to_vec_pretty(&file.page).map_err(CommandError::internal)?;
    let file = PageFile::made(&format!("the page before {run}"), text)?;
    let allowed = ApplyArgs {
        yes: args.yes,
        allow_empty: true,
        unnamed: Some("it came since, and stays"),
        ..ApplyArgs::default()
    };
    let SlotsRestoreArgs { wait, dry_run, .. } = args;
    let source = file.into();
    let job = ApplyRequest { source, path: None, allowed, wait, ask: true, dry_run, seen: None };
    let mut outcome = apply(context, job).await?;
    if let Body::Own(body) = &mut outcome.body
        && let Some(data) = body["data"].as_object_mut()
    {
        data.insert("notRestored".to_owned(), not_restored.into());
    }
    Ok(outcome)
}

/// Tells whether a slot can be created again: the backup has a legacy slot without its content, and its type may not be creatable.
fn can_be_made(slot: &DesiredSlot, types: &SlotTypes) -> bool {
    types.is_creatable(&slot.kind) && (!slot.data.is_empty() || slot.kind == "divider")
}

fn find(context: &Context, name: &str) -> Result<(std::path::PathBuf, String), CommandError> {
    let mut found = runs::all(context)?;
    found.retain(|(_, recorded)| recorded.run.starts_with(name));
    match &found[..] {
        [(runs, recorded)] => Ok((runs.backup(&recorded.run), recorded.run.clone())),
        [] => Err(CommandError::new(Exit::NotFound, format!("there is no run {name}"))
            .hint("`links slots history` lists them")),
        _ => Err(CommandError::usage(format!("{name} could be any of {} runs", found.len()))),
    }
}
