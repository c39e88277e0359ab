//! `links forms update`: changes a form.

use clap::Args;
use links_sdk::{Answer, FormChanges};
use serde_json::{Value, json};

use super::form_words::FormWords;
use super::where_used::{self, FormUse};
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::editor::form_fields::FormEditSession;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_fields};
use crate::output::{Body, CommandOutput, View};

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms update [OPTIONS] <ID> [FILE] [FIELD=VALUE]...",
    notes = "`fields` replaces the whole list of the form's fields. Those with a known label keep their key; the others are removed, which needs confirmation. `links forms field` changes a single field. The pages that show the form are named as this machine has last seen them.",
    long_examples = ["links forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 enabled:=false", "links forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 form.yaml --yes"]
)]
pub(crate) struct FormsUpdateArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    /// Fields of the form, the others stay: `title=Text`, `enabled:=false` (JSON), `description=@file`; or a form file, or a YAML or
    /// JSON file with them (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    /// Confirm the removal of fields without being asked
    #[arg(long)]
    yes: bool,
    /// Read all pages first, and name those that show the form
    #[arg(long)]
    where_used: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsUpdateArgs,
) -> Result<CommandOutput, CommandError> {
    let words = FormWords::read(&args.words)?;
    if let Some(id) = words.id().filter(|id| *id != args.id) {
        let message = format!("the file is for the form {id}, not for {}", args.id);
        return Err(CommandError::new(Exit::Refused, format!("{message}; nothing was written")));
    }
    let client = context.writer(args.dry_run).await?;
    let fields = words.resolved(&client).await?;
    let uses = if args.where_used {
        Some(where_used::read_all(context, &client, &args.id).await?)
    } else {
        where_used::say_known(context, &args.id);
        None
    };
    let form = client.form(args.id.clone());
    let recorder = CommandRecorder::of_form(context, "forms update", &args.id);
    let changes = fields.object();
    let answer = if changes.0.contains_key("fields") {
        let session = FormEditSession::read(context, form, args.id, recorder).await?;
        session.update(context, changes, args.yes, Some(&fields)).await?
    } else {
        let call = form.update_unchanged(None, FormChanges::from(changes.clone())).answer();
        let hear = recorder.record_update("updateForm", changes.clone());
        let changed = call.before_write(hear).await;
        recorder.stored(0, &changed, |form| sent_fields(form.take(), &changes));
        recorder.finish(context, changed.is_ok());
        changed.map_err(|error| fields.failure(error, ""))?
    };
    let output = CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::forms::view::FIRST),
    );
    match uses {
        Some(uses) => with_uses(output, &answer, &uses),
        None => Ok(output),
    }
}

/// Returns the output with the pages that show the form, which makes it data of this program.
fn with_uses(
    output: CommandOutput,
    answer: &Answer,
    uses: &[FormUse],
) -> Result<CommandOutput, CommandError> {
    let mut body: Value = serde_json::from_slice(answer.body()).map_err(CommandError::internal)?;
    if let Value::Object(envelope) = &mut body {
        let uses: Vec<Value> = uses.iter().map(FormUse::json).collect();
        envelope.insert("meta".to_owned(), json!({ "usedOn": uses }));
    }
    Ok(CommandOutput { body: Body::Own(body), ..output })
}
