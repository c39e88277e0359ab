//! `links slots move`

use clap::Args;
use links_sdk::ProfileKey;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::exit::Exit;
use crate::key;
use crate::outcome::{Outcome, View};
use crate::place::PlaceArgs;
use crate::turns::Turn;

/// Arguments of `links slots move`.
#[derive(Args, Debug)]
#[command(
    override_usage = "links slots move [OPTIONS] <KEY> <ID> <--top|--bottom|--at <N>|--before <ID>|--after <ID>>",
    after_help = "Example:\n  links slots move cafe 1004 --before 1002"
)]
pub(crate) struct SlotsMoveArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
    /// Id of the block, as `links slots list` shows it
    #[arg(value_parser = key::slot)]
    id: i64,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(context: &mut Context, args: SlotsMoveArgs) -> Result<Outcome, Failure> {
    if !args.place.is_given() {
        return Err(Failure::usage("no place is named")
            .hint("say --top, --bottom, --at N, --before ID or --after ID"));
    }
    let slots = context.writer(args.dry_run).await?.profile(args.profile).slots();
    let _turn = Turn::wait(context, super::ORDER);
    let (body, mut page) = super::page(&slots).await?;
    let Some(from) = page.iter().position(|slot| slot.id == args.id) else {
        let message = format!("there is no block {} on this page", args.id);
        return Err(Failure::new(Exit::NotFound, message).hint("`links slots list` shows the ids"));
    };
    let moved = page.remove(from);
    let to = args.place.position(&page)?.min(page.len());
    if to == from {
        return Ok(Outcome::service(body, View::Table(super::COLUMNS)));
    }
    page.insert(to, moved);
    let order = page.iter().map(|slot| slot.id).collect();
    let answer = slots.reorder(order).answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Table(super::COLUMNS)))
}
