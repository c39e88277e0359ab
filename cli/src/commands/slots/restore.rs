//! `links slots restore`: reverts a run of `apply`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use links_sdk::SlotId;
use links_sdk::apply::{DesiredPage, PageSnapshot, RunCommand};

use super::restoration::Restoration;
use crate::apply::apply_args::{ApplyArgs, RunOrigin};
use crate::apply::{ApplyRequest, apply, runs};
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal;
use crate::output::CommandOutput;
use crate::page_file::PageFile;

#[derive(Args, Debug)]
#[command(examples = ["links slots history cafe", "links slots restore \"$(links slots history cafe -o ids | head -n 1)\" --yes"])]
pub(crate) struct SlotsRestoreArgs {
    /// The run to undo, as `links slots history` names it; a unique beginning is enough
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

/// Restores the page as it was before the run, as far as possible: deleted slots get new ids, slots that were added since stay as they are.
/// A slot that an earlier restore of the run created, or that holds exactly what a deleted one held, counts as that slot.
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
    let restoration = Restoration::of(Arc::make_mut(&mut file.page.content), &now.slots, &types);
    for line in restoration.lines() {
        context.ui.say(&line);
    }
    let text = serde_json::to_vec_pretty(&file.page).map_err(CommandError::internal)?;
    let file = PageFile::made(&format!("the page before {run}"), text)?;
    let command = RunCommand { undoes: Some(run), ..journal::command(context, "slots restore") };
    let apply_args = ApplyArgs {
        yes: args.yes,
        allow_empty: true,
        full: true,
        created: created_before(context, &file.page.content, &now)?,
        kept_reason: Some("newer than the run; kept"),
        exact: restoration.gone().clone(),
        origin: Some(Box::new(RunOrigin { command, ..RunOrigin::default() })),
        ..ApplyArgs::default()
    };
    let SlotsRestoreArgs { wait, dry_run, .. } = args;
    let source = file.into();
    let request =
        ApplyRequest { source, path: None, apply_args, wait, ask: true, dry_run, seen: None };
    let mut outcome = apply(context, request).await?;
    if let Some(body) = outcome.body.own_mut()
        && let Some(data) = body["data"].as_object_mut()
    {
        data.insert("notRestored".to_owned(), restoration.not_restored().into());
    }
    Ok(outcome)
}

/// Returns the slots on the page that earlier restores of the same content created, by the index of the item.
fn created_before(
    context: &Context,
    content: &DesiredPage,
    now: &PageSnapshot,
) -> Result<BTreeMap<usize, SlotId>, CommandError> {
    let there: BTreeSet<SlotId> = now.slots.iter().map(|slot| slot.id).collect();
    let mut created = BTreeMap::new();
    for (runs, recorded) in runs::all(context)? {
        let Some(log) = recorded.log.ok().filter(|_| runs.profile() == Some(now.id)) else {
            continue;
        };
        if log.opening().is_of(content) {
            created.extend(&log.done().created);
        }
    }
    created.retain(|_, id| there.contains(id));
    Ok(created)
}

/// Returns the backup of a run, and the full name of the run.
fn find(context: &Context, name: &str) -> Result<(PathBuf, String), CommandError> {
    let mut found = runs::all(context)?;
    found.retain(|(_, recorded)| recorded.run.starts_with(name));
    match &found[..] {
        [(runs, recorded)] => Ok((runs.backup(&recorded.run), recorded.run.clone())),
        [] => Err(CommandError::new(Exit::NotFound, format!("there is no run {name}"))
            .with_hint("`links slots history` lists them")),
        several => {
            let names: Vec<&str> = several.iter().map(|(_, it)| it.run.as_str()).collect();
            Err(runs::ambiguous(name, &names))
        }
    }
}
