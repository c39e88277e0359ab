//! `links profile settings`: shows or changes the settings of a page.

use clap::Args;
use links_sdk::{ProfileKey, SettingsChanges};

use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_page_fields};
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    override_usage = "links profile settings [OPTIONS] <KEY> [FILE] [FIELD=VALUE]...",
    examples = ["links profile settings cafe", "links profile settings cafe languageCode=kk"]
)]
pub(crate) struct ProfileSettingsArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Settings to change, the others stay: `languageCode=kk`; or a YAML or JSON file with them (`-`: standard input). Without any, the
    /// settings are shown
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

impl ProfileSettingsArgs {
    /// Tells whether the settings are only shown.
    pub(crate) fn is_read(&self) -> bool {
        self.words.is_empty()
    }
}

const FIRST: &[&str] = &["profileId", "login", "languageCode", "computed.url"];

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileSettingsArgs,
) -> Result<CommandOutput, CommandError> {
    let fields = crate::commands::profile::view::without_login(FieldValues::read(&args.words)?)?;
    let profile = context.writer(args.dry_run).await?.profile(&args.profile);
    let answer = if args.is_read() {
        profile.settings().answer().await?
    } else {
        let sent = fields.some("languageCode=kk")?.object();
        let recorder = CommandRecorder::of_page(context, "profile settings", &args.profile);
        let call = profile.update_settings_unchanged(None, SettingsChanges::from(sent.clone()));
        let changed = call.answer().before_write(recorder.fields_update(&sent)).await;
        recorder.stored(0, &changed, |page| sent_page_fields(page.take(), &sent));
        recorder.finish(context, changed.is_ok());
        changed?
    };
    Ok(CommandOutput::service(answer.body().clone(), View::Record(FIRST)))
}
