//! `links slots reorder`: sets the order of all slots of a page.

use std::collections::BTreeSet;

use clap::Args;
use links_sdk::{ProfileKey, Slot, SlotId};

use super::reordering::reorder;
use super::view::{COLUMNS, ORDER};
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal::CommandRecorder;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots reorder qara.weddings 1102 1101"])]
pub(crate) struct SlotsReorderArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// The id of every slot of the page, in the new order
    #[arg(value_name = "ID", required = true, value_parser = profile_key::slot)]
    ids: Vec<SlotId>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsReorderArgs,
) -> Result<CommandOutput, CommandError> {
    let slots = context.writer(args.dry_run).await?.profile(&args.profile).slots();
    let _lock = context.lock(ORDER);
    let page = slots.list().await?;
    whole(&args.ids, &page)?;
    let recorder = CommandRecorder::of_page(context, "slots reorder", &args.profile);
    let answer = reorder(context, &slots, &page, args.ids, &recorder).await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Table(COLUMNS)))
}

/// Checks that the order names every slot once. The service takes no other order, and does not report which slot is wrong.
fn whole(ids: &[SlotId], page: &[Slot]) -> Result<(), CommandError> {
    let mut left: BTreeSet<SlotId> = page.iter().map(|slot| slot.id).collect();
    let (mut unknown_ids, mut repeated_ids) = (Vec::new(), Vec::new());
    for id in ids {
        if !left.remove(id) {
            let known = page.iter().any(|slot| slot.id == *id);
            if known { repeated_ids.push(*id) } else { unknown_ids.push(*id) }
        }
    }
    let note = |ids: &[SlotId], what: &str| {
        let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
        (!ids.is_empty()).then(|| format!("{what}: {}", ids.join(" ")))
    };
    let left: Vec<_> = left.into_iter().collect();
    let amiss: Vec<_> = [
        note(&left, "not named"),
        note(&repeated_ids, "named twice"),
        note(&unknown_ids, "not on this page"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if amiss.is_empty() {
        return Ok(());
    }
    let message =
        format!("the order must name every slot of the page exactly once; {}", amiss.join("; "));
    Err(CommandError::new(Exit::Invalid, message)
        .with_hint("`links slots move` moves a single slot"))
}
