//! `links profile update`: changes fields of a page.

use clap::Args;
use links_sdk::{ProfileChanges, ProfileKey};

use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::args::images;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_page_fields};
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    override_usage = "links profile update [OPTIONS] <KEY> [FILE] [FIELD=VALUE]...",
    examples = ["links profile update cafe title='Closed on Mondays'", "links profile update cafe avatar@logo.png moodText:=null"]
)]
pub(crate) struct ProfileUpdateArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Fields of the page, the others stay: `title=Menu`, `languageId:=1` (JSON), `description=@file`, `avatar@logo.png`
    /// (uploads it); or a YAML or JSON file with them (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileUpdateArgs,
) -> Result<CommandOutput, CommandError> {
    let fields = FieldValues::read_with_images(&args.words)?.some("title=Menu")?;
    let fields =
        crate::commands::profile::view::without_login(fields)?.no_local_images(images::OF_PAGE)?;
    let client = context.writer(args.dry_run).await?;
    let profile = client.profile(&args.profile);
    let fields = fields.upload(context, &client).await?;
    let sent = fields.object();
    let recorder = CommandRecorder::of_page(context, "profile update", &args.profile);
    let call = profile.update_unchanged(None, ProfileChanges::from(sent.clone())).answer();
    let changed = call.before_write(recorder.fields_update(&sent)).await;
    recorder.stored(0, &changed, |page| sent_page_fields(page.take(), &sent));
    recorder.finish(context, changed.is_ok());
    let answer = changed.map_err(|error| fields.failure(error, ""))?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::profile::view::FIRST),
    ))
}
