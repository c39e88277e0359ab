//! `links slots add`: adds a slot to a page.

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::types::NewSlot;

use super::creation::create;
use super::view::FIRST;
use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::args::position::PositionArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::CommandRecorder;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    override_usage = "links slots add [OPTIONS] <KEY> <TYPE> [FILE] [FIELD=VALUE]...",
    long_examples = ["links slots add cafe button title=Menu link=https://qara.example/menu --top", "links slots add cafe text title=Hours description=@hours.txt --after 1002", "links slots add cafe picture image@terrace.jpg"]
)]
pub(crate) struct SlotsAddArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Type of the slot; `links slots types` lists them
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Fields of the slot's data: `title=Menu`, `count:=3` (JSON), `description=@file`, `image@terrace.jpg` (uploads it); or a YAML or JSON
    /// file with them (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    place: PositionArgs,
    #[command(flatten)]
    key: IdempotencyKeyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsAddArgs,
) -> Result<CommandOutput, CommandError> {
    let fields = FieldValues::read_with_images(&args.words)?.of_data()?.no_local_images(&[])?;
    let client = context.writer(args.dry_run).await?;
    let slots = client.profile(&args.profile).slots();
    let order = args.place.order(&slots).await?;
    let fields = fields.upload(context, &client).await?;
    let recorder = CommandRecorder::of_page(context, "slots add", &args.profile);
    let mut slot = NewSlot::of(args.kind);
    slot.data = (!fields.is_empty()).then(|| fields.object());
    slot.order = order;
    let created = create(context, &slots, slot, args.key, &recorder).await;
    let answer = created.map_err(|error| fields.failure(error, "data"))?;
    Ok(CommandOutput::service(answer.body().clone(), View::Record(FIRST)))
}
