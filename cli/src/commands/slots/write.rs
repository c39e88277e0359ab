//! `links slots add` and `set`: one slot, from values or a file.

use clap::Args;
use links_pages::apply::{Plan, PlannedCreate};
use links_sdk::types::NewSlot;
use links_sdk::{Answer, Error, ProfileKey, SlotId, SlotsHandle};

use super::view::FIRST;
use crate::args::fields::FieldValues;
use crate::args::flags::{DryRunArgs, IdempotencyKeyArgs, PositionArgs};
use crate::commands::common::{CommandResult, answered};
use crate::context::Context;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_fields};
use crate::output::View;
use links_pages::profile_key;

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

pub(super) async fn add(context: &mut Context, args: SlotsAddArgs) -> CommandResult {
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
    Ok(answered(&answer, View::Record(FIRST)))
}

/// Creates a slot. Which slots were on the page before is not read, so that the command takes no request more than it needs.
pub(crate) async fn create(
    context: &Context,
    slots: &SlotsHandle,
    slot: NewSlot,
    key: IdempotencyKeyArgs,
    recorder: &CommandRecorder,
) -> Result<Answer, Error> {
    let (kind, data) = (slot.kind.clone(), slot.data.clone().unwrap_or_default());
    let creates = vec![PlannedCreate { index: 0, kind, data }];
    recorder.plan(&Plan { items: 1, creates, ..Plan::default() }, &[]);
    recorder.begin(0);
    let created = key.on(slots.create(slot)).answer().await;
    recorder.created(0, &created);
    recorder.finish(context, created.is_ok());
    created
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links slots set [OPTIONS] <KEY> <ID> [FILE] [FIELD=VALUE]...",
    examples = ["links slots set cafe 1002 title='Summer menu'", "links slots set cafe 1003 link:=null"]
)]
pub(crate) struct SlotsSetArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Id of the slot, as `links slots list` shows it
    #[arg(value_parser = profile_key::slot)]
    id: SlotId,
    /// Fields of the slot's data, the others stay: `title=Menu`, `count:=3` (JSON), `description=@file`, `image@terrace.jpg`
    /// (uploads it); or a YAML or JSON file with them (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn set(context: &mut Context, args: SlotsSetArgs) -> CommandResult {
    let fields = FieldValues::read_with_images(&args.words)?.of_data()?.some("title=Menu")?;
    let fields = fields.no_local_images(&[])?;
    let client = context.writer(args.dry_run).await?;
    let slots = client.profile(&args.profile).slots();
    let fields = fields.upload(context, &client).await?;
    let recorder = CommandRecorder::of_page(context, "slots set", &args.profile);
    let sent = fields.object();
    let call = slots.update_unchanged(args.id, None, sent.clone()).answer();
    let changed = call.before_write(recorder.slot_update(args.id, sent.clone())).await;
    recorder.stored(0, &changed, |slot| sent_fields(slot["data"].take(), &sent));
    recorder.finish(context, changed.is_ok());
    let answer = changed.map_err(|error| fields.failure(error, "data"))?;
    Ok(answered(&answer, View::Record(FIRST)))
}
