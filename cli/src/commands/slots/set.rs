//! `links slots set`: changes fields of a slot.

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::SlotId;

use super::view::FIRST;
use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_fields};
use crate::output::{CommandOutput, View};
use crate::profile_key;

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

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsSetArgs,
) -> Result<CommandOutput, CommandError> {
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
    Ok(CommandOutput::service(answer.body().clone(), View::Record(FIRST)))
}
