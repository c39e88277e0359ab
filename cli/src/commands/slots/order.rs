//! `links slots move` and `reorder`: the order of the slots of a page.

use links_sdk::{Error, Outcome};

use crate::commands::prelude::*;
use links_pages::apply::Plan;

#[derive(Args, Debug)]
#[command(
    override_usage = "links slots move [OPTIONS] <KEY> <ID> <--top|--bottom|--at <N>|--before <ID>|--after <ID>>",
    examples = ["links slots move cafe 1004 --before 1002"]
)]
pub(crate) struct SlotsMoveArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// ID of the slot (see `links slots list`)
    #[arg(value_parser = profile_key::slot)]
    id: SlotId,
    #[command(flatten)]
    place: PositionArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn move_slot(context: &mut Context, args: SlotsMoveArgs) -> CommandResult {
    if !args.place.is_given() {
        return Err(CommandError::usage("no position given")
            .with_hint("pass --top, --bottom, --at N, --before ID or --after ID"));
    }
    let handle = args.key.page(&context.writer(args.dry_run).await?).await?;
    let _lock = context.lock(ORDER);
    let mut tries = 1;
    loop {
        let (page, answer) = handle.slots().list().with_answer().await?;
        let Some(order) = moved(page.clone(), args.id, args.place)? else {
            return Ok(answered(&answer, View::line("no changes")));
        };
        let write = journal::page_write(context, &args.key);
        let moved = write.send(&handle, &Plan::reordering(order), 0, &page, None).await;
        match journal::finish(context, &write, moved) {
            Ok(answer) => {
                return Ok(answered(&answer, View::line(format!("moved slot {}", args.id))));
            }
            // Others moved a slot meanwhile: the place is looked up in the new order.
            Err(error) if tries < MOST_TRIES && is_moved_by_others(&error) => tries += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Name of the lock for commands that write the order of a page. All pages share it, because only the service knows which page a login or a
/// URL means.
const ORDER: &str = "order";

/// Maximum number of tries if others move slots at the same time.
const MOST_TRIES: u32 = 3;

fn is_moved_by_others(error: &Error) -> bool {
    error.is_conflict() && error.status().is_none() && error.outcome() == Outcome::NotExecuted
}

/// Returns the order with the slot at its new place; `None` if the slot is there already.
fn moved(mut page: Vec<Slot>, id: SlotId, place: PositionArgs) -> Result<Option<Vec<SlotId>>> {
    let Some(from) = page.iter().position(|slot| slot.id == id) else {
        let message = format!("slot {id} not found on this page");
        return Err(CommandError::not_found(message).with_hint("`links slots list` shows the IDs"));
    };
    let slot = page.remove(from);
    let to = place.position(&page)?.min(page.len());
    if to == from {
        return Ok(None);
    }
    page.insert(to, slot);
    Ok(Some(page.iter().map(|slot| slot.id).collect()))
}

#[derive(Args, Debug)]
#[command(examples = ["links slots reorder qara.weddings 1102 1101"])]
pub(crate) struct SlotsReorderArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// IDs of all slots on the page, in the new order
    #[arg(value_name = "ID", required = true, value_parser = profile_key::slot)]
    ids: Vec<SlotId>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn reorder(context: &mut Context, args: SlotsReorderArgs) -> CommandResult {
    let handle = args.key.page(&context.writer(args.dry_run).await?).await?;
    let _lock = context.lock(ORDER);
    let page = handle.slots().list().await?;
    whole(&args.ids, &page)?;
    let write = journal::page_write(context, &args.key);
    let ordered = write.send(&handle, &Plan::reordering(args.ids), 0, &page, None).await;
    let answer = journal::finish(context, &write, ordered)?;
    Ok(answered(&answer, View::line("reordered the slots")))
}

/// Checks that the order names every slot once. The service takes no other order, and does not report which slot is wrong.
fn whole(ids: &[SlotId], page: &[Slot]) -> Result<()> {
    let mut left: BTreeSet<SlotId> = page.iter().map(|slot| slot.id).collect();
    let wrong: Vec<SlotId> = ids.iter().copied().filter(|id| !left.remove(id)).collect();
    if left.is_empty() && wrong.is_empty() {
        return Ok(());
    }
    let listed = |ids: Vec<SlotId>| {
        let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
        if ids.is_empty() { "none".to_owned() } else { ids.join(" ") }
    };
    let (left, wrong) = (listed(left.into_iter().collect()), listed(wrong));
    let message = format!(
        "the order must name every slot of the page exactly once; missing: {left}; duplicate or unknown: {wrong}"
    );
    Err(CommandError::invalid(message).with_hint("`links slots move` moves a single slot"))
}
