//! `links forms edit`

use std::path::Path;

use clap::Args;

use super::questions;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::fields::Fields;
use crate::outcome::Outcome;
use crate::{editor, yaml};

/// Arguments of `links forms edit`.
#[derive(Args, Debug)]
#[command(
    after_help = "A question that keeps its `key` stays the same question, whatever else of it changes.\n\n\
    Example:\n  EDITOR='code --wait' links forms edit 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"
)]
pub(crate) struct FormsEditArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// What a form's record has and an update does not take: the service computes it.
const NOT_EDITED: [&str; 3] = ["id", "active", "createdAt"];

pub(crate) async fn run(context: &mut Context, args: FormsEditArgs) -> Result<Outcome, Failure> {
    let form = context.writer(args.dry_run).await?.form(args.id);
    let mut fields = super::record(&form).await?;
    fields.retain(|name, _| !NOT_EDITED.contains(&name.as_str()));

    let text = yaml::write(&fields)?;
    let apply = async |context: &mut Context, document, _: &Path| {
        let edited = Fields::of(document)?;
        let changes = edited.changes_of(&fields);
        if changes.is_empty() {
            return Ok(None);
        }
        let updated = questions::update(context, &form, &fields, changes).await;
        updated.map(Some).map_err(|error| edited.failure(error, ""))
    };
    let updated = editor::edit(context, "form.yaml", &text, apply).await?;
    Ok(editor::outcome(updated.as_ref(), super::FIRST))
}
