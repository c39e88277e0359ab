//! `links forms edit`: changes a form in an editor.

use std::path::Path;

use clap::Args;

use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::args::merge;
use crate::context::Context;
use crate::editor;
use crate::editor::form_fields::{self, FormEditSession};
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::CommandRecorder;
use crate::output::{CommandOutput, yaml};

#[derive(Args, Debug)]
#[command(
    notes = "A field that keeps its `key` stays the same field, even if everything else changes.",
    examples = ["EDITOR='code --wait' links forms edit 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"]
)]
pub(crate) struct FormsEditArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsEditArgs,
) -> Result<CommandOutput, CommandError> {
    let form = context.writer(args.dry_run).await?.form(args.id.clone());
    let (mut opened, _) = form_fields::record(&form).await?;
    opened.retain(|name, _| !crate::commands::forms::view::COMPUTED.contains(&name.as_str()));

    let text = yaml::write(&opened)?;
    let apply = async |context: &mut Context, document, _: &Path| {
        let edited = FieldValues::of(document)?;
        let recorder = CommandRecorder::of_form(context, "forms edit", &args.id);
        let session =
            FormEditSession::read(context, form.clone(), args.id.clone(), recorder).await?;
        let changes = merge::changes(&edited, &mut opened, &session.before)?;
        if changes.is_empty() {
            return Ok(None);
        }
        session.update(context, changes, false, Some(&edited)).await.map(Some)
    };
    let updated = editor::edit(context, "form.yaml", &text, apply).await?;
    Ok(editor::outcome(updated.as_ref(), crate::commands::forms::view::FIRST))
}
