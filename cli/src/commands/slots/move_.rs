//! `links slots move`: moves a slot to another place on its page.

use clap::Args;
use links_sdk::{Error, Outcome, ProfileKey, Slot, SlotId};

use super::reordering::reorder;
use super::view::{COLUMNS, ORDER, page};
use crate::args::dry_run::DryRunArgs;
use crate::args::position::PositionArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal::CommandRecorder;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    override_usage = "links slots move [OPTIONS] <KEY> <ID> <--top|--bottom|--at <N>|--before <ID>|--after <ID>>",
    examples = ["links slots move cafe 1004 --before 1002"]
)]
pub(crate) struct SlotsMoveArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Id of the slot, as `links slots list` shows it
    #[arg(value_parser = profile_key::slot)]
    id: SlotId,
    #[command(flatten)]
    place: PositionArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsMoveArgs,
) -> Result<CommandOutput, CommandError> {
    if !args.place.is_given() {
        return Err(CommandError::usage("no position is given")
            .with_hint("pass --top, --bottom, --at N, --before ID or --after ID"));
    }
    let slots = context.writer(args.dry_run).await?.profile(&args.profile).slots();
    let _lock = context.lock(ORDER);
    for tries in 1.. {
        let (body, page) = page(&slots).await?;
        let Some(order) = moved(page.clone(), args.id, args.place)? else {
            return Ok(CommandOutput::service(body, View::Table(COLUMNS)));
        };
        let recorder = CommandRecorder::of_page(context, "slots move", &args.profile);
        match reorder(context, &slots, &page, order, &recorder).await {
            Ok(answer) => {
                return Ok(CommandOutput::service(answer.body().clone(), View::Table(COLUMNS)));
            }
            // Others moved a slot meanwhile: the place is looked up in the new order.
            Err(error) if tries < MOST_TRIES && is_moved_by_others(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(CommandError::internal("no order was written"))
}

/// Maximum number of tries if others move slots at the same time.
const MOST_TRIES: u32 = 3;

fn is_moved_by_others(error: &Error) -> bool {
    error.is_conflict() && error.status().is_none() && error.outcome() == Outcome::NotExecuted
}

/// Returns the order with the slot at its new place; `None` if the slot is there already.
fn moved(
    mut page: Vec<Slot>,
    id: SlotId,
    place: PositionArgs,
) -> Result<Option<Vec<SlotId>>, CommandError> {
    let Some(from) = page.iter().position(|slot| slot.id == id) else {
        let message = format!("there is no slot {id} on this page");
        return Err(CommandError::new(Exit::NotFound, message)
            .with_hint("`links slots list` shows the ids"));
    };
    let slot = page.remove(from);
    let to = place.position(&page)?.min(page.len());
    if to == from {
        return Ok(None);
    }
    page.insert(to, slot);
    Ok(Some(page.iter().map(|slot| slot.id).collect()))
}
