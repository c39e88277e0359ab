//! `links profile edit`

use std::path::Path;

use clap::Args;
use links_sdk::{ProfileChanges, ProfileKey};
use serde_json::Value;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::fields::Fields;
use crate::outcome::Outcome;
use crate::{editor, key, yaml};

/// Arguments of `links profile edit`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  EDITOR='code --wait' links profile edit cafe")]
pub(crate) struct ProfileEditArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// What a page's record has and an update does not take: what the service computes, what has a command of its own, and the theme,
/// which the interface keeps to the dashboard.
const NOT_EDITED: [&str; 5] = ["id", "login", "themeId", "computed", "slots"];

pub(crate) async fn run(context: &mut Context, args: ProfileEditArgs) -> Result<Outcome, Failure> {
    let profile = context.writer(args.dry_run).await?.profile(args.profile);
    let answer = profile.get().answer().await?;
    let mut body: Value = serde_json::from_slice(answer.body()).map_err(Failure::unreadable)?;
    let Value::Object(mut fields) = body["data"].take() else {
        return Err(Failure::unreadable("it has no record"));
    };
    fields.retain(|name, _| !NOT_EDITED.contains(&name.as_str()));

    let text = yaml::write(&fields)?;
    let apply = async |_: &mut Context, document, _: &Path| {
        let edited = super::without_login(Fields::of(document)?)?;
        let changes = edited.changes_of(&fields);
        if changes.is_empty() {
            return Ok(None);
        }
        let updated = profile.update(ProfileChanges::from(changes)).answer().await;
        updated.map(Some).map_err(|error| edited.failure(error, ""))
    };
    let updated = editor::edit(context, "profile.yaml", &text, apply).await?;
    Ok(editor::outcome(updated.as_ref(), super::FIRST))
}
