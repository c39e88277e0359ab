//! `links music add`: finds a release and adds it to a page.

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::types::NewSlot;

use super::search::SearchArgs;
use crate::args::dry_run::DryRunArgs;
use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::args::position::PositionArgs;
use crate::commands::slots::creation::create;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::CommandRecorder;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    long_examples = ["links music add cafe https://open.spotify.com/album/5tepp3Rad10 --top"]
)]
pub(crate) struct MusicAddArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    place: PositionArgs,
    #[command(flatten)]
    key: IdempotencyKeyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: MusicAddArgs,
) -> Result<CommandOutput, CommandError> {
    let client = context.writer(args.dry_run).await?;
    let slots = client.profile(&args.profile).slots();
    let order = args.place.order(&slots).await?;
    let mut slot = NewSlot::from(client.lookup_music(args.search.query()).await?.slot);
    slot.order = order;
    let recorder = CommandRecorder::of_page(context, "music add", &args.profile);
    let answer = create(context, &slots, slot, args.key, &recorder).await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Record(&["id", "type", "supported"])))
}
