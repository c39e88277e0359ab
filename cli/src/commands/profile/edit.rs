//! `links profile edit`: changes fields of a page in an editor.

use std::path::Path;

use clap::Args;
use links_sdk::types::Profile;
use links_sdk::{ProfileChanges, ProfileHandle, ProfileKey};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::args::merge;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_page_fields};
use crate::output::{CommandOutput, yaml};
use crate::{editor, profile_key};

#[derive(Args, Debug)]
#[command(examples = ["EDITOR='code --wait' links profile edit cafe"])]
pub(crate) struct ProfileEditArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Fields of a page's record that an update does not take: those that the service computes, those with a command of their own, and the
/// theme, which the interface leaves to the dashboard.
const NOT_EDITED: [&str; 5] = ["id", "login", "themeId", "computed", "slots"];

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileEditArgs,
) -> Result<CommandOutput, CommandError> {
    let profile = context.writer(args.dry_run).await?.profile(&args.profile);
    let (mut opened, _) = record(&profile).await?;

    let text = yaml::write(&opened)?;
    let apply = async |context: &mut Context, document, _: &Path| {
        let edited = crate::commands::profile::view::without_login(FieldValues::of(document)?)?;
        let (now, seen) = record(&profile).await?;
        let changes = merge::changes(&edited, &mut opened, &now)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let recorder = CommandRecorder::of_page(context, "profile edit", &args.profile);
        let call = profile.update_unchanged(&seen, ProfileChanges::from(changes.clone())).answer();
        let updated = call.before_write(recorder.fields_update(&changes)).await;
        recorder.stored(0, &updated, |page| sent_page_fields(page.take(), &changes));
        recorder.finish(context, updated.is_ok());
        updated.map(Some).map_err(|error| edited.failure(error, ""))
    };
    let updated = editor::edit(context, "profile.yaml", &text, apply).await?;
    Ok(editor::outcome(updated.as_ref(), crate::commands::profile::view::FIRST))
}

/// Reads a page: its fields for editing, and as a typed value for the comparison with a later read.
async fn record(profile: &ProfileHandle) -> Result<(Map<String, Value>, Profile), CommandError> {
    #[derive(Deserialize)]
    struct ProfileEnvelope<T> {
        data: T,
    }
    let answer = profile.get().answer().await?;
    let unreadable = CommandError::unreadable;
    let seen: ProfileEnvelope<Profile> =
        serde_json::from_slice(answer.body()).map_err(unreadable)?;
    let fields: ProfileEnvelope<Map<String, Value>> =
        serde_json::from_slice(answer.body()).map_err(unreadable)?;
    let mut fields = fields.data;
    fields.retain(|name, _| !NOT_EDITED.contains(&name.as_str()));
    Ok((fields, seen.data))
}
