//! `links slots add` and `set`: one slot, from values or a file.

use links_sdk::types::NewSlot;

use crate::commands::prelude::*;
use links_pages::apply::Plan;

#[derive(Args, Debug)]
#[command(
    override_usage = "links slots add [OPTIONS] <KEY> <TYPE> [FILE] [FIELD=VALUE]...",
    long_examples = ["links slots add cafe button title=Menu link=https://qara.example/menu --top", "links slots add cafe text title=Hours description=@hours.txt --after 1002", "links slots add cafe picture image@terrace.jpg"]
)]
pub(crate) struct SlotsAddArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// Type of the slot (see `links slots types`)
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Fields of the slot, such as `title=Menu`, `count:=3` (JSON), `description=@file` or `image@terrace.jpg` (uploads the file); or a YAML
    /// or JSON file with the fields (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    place: PositionArgs,
    #[command(flatten)]
    create: CreateArgs,
}

pub(super) async fn add(context: &mut Context, args: SlotsAddArgs) -> CommandResult {
    let fields = FieldValues::read_with_images(&args.words)?.of_data()?.no_local_images(&[])?;
    let client = context.writer(args.create.dry_run).await?;
    let page = args.key.page(&client).await?;
    let key = args.create.idempotency_key;
    let order = args.place.order(&page.slots(), key.as_ref()).await?;
    let fields = fields.upload(context, &client, ("createSlot", key.as_ref())).await?;
    let mut slot = NewSlot::of(args.kind);
    slot.data = (!fields.is_empty()).then(|| fields.object());
    slot.order = order;
    let write = journal::page_write(context, &args.key);
    let created = write.send(&page, &Plan::creating(slot), 0, &[], key).await;
    fields.shown(journal::finish(context, &write, created), "created")
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links slots set [OPTIONS] <KEY> <ID> [FILE] [FIELD=VALUE]...",
    examples = ["links slots set cafe 1002 title='Summer menu'", "links slots set cafe 1003 link:=null"]
)]
pub(crate) struct SlotsSetArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// ID of the slot (see `links slots list`)
    #[arg(value_parser = profile_key::slot)]
    id: SlotId,
    /// Fields to change, such as `title=Menu`, `count:=3` (JSON), `description=@file` or `image@terrace.jpg` (uploads the file); or a YAML
    /// or JSON file with the fields (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn set(context: &mut Context, args: SlotsSetArgs) -> CommandResult {
    let fields = FieldValues::read_with_images(&args.words)?.of_data()?.some("title=Menu")?;
    let fields = fields.no_local_images(&[])?;
    let client = context.writer(args.dry_run).await?;
    let page = args.key.page(&client).await?;
    if fields.has_images() {
        // A slot that is not there is noticed before anything is uploaded.
        page.slots().get(args.id).await?;
    }
    let fields = fields.upload(context, &client, ("updateSlot", None)).await?;
    let write = journal::page_write(context, &args.key);
    let changed = write.send(&page, &Plan::updating(args.id, fields.object()), 0, &[], None).await;
    fields.shown(journal::finish(context, &write, changed), "updated")
}
