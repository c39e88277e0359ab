//! `links forms create`: creates a lead form.

use clap::Args;
use links_sdk::NewForm;
use links_sdk::apply::RecordWrite;
use serde_json::Value;

use super::form_words::FormWords;
use crate::args::dry_run::DryRunArgs;
use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, identity};
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms create [OPTIONS] [FILE] [FIELD=VALUE]...",
    examples = ["links forms create form.yaml title='Book a table'"]
)]
pub(crate) struct FormsCreateArgs {
    /// A form file, or a YAML or JSON file with the fields of the form (`-`: standard input), and values that override those of the file:
    /// `title=Text`, `enabled:=false` (JSON), `description=@file`
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    key: IdempotencyKeyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsCreateArgs,
) -> Result<CommandOutput, CommandError> {
    let words = FormWords::read(&args.words)?;
    let client = context.writer(args.dry_run).await?;
    let fields = words.resolved(&client).await?;
    let sent = fields.object();
    let title = sent.get("title").and_then(Value::as_str).unwrap_or_default();
    let recorder = CommandRecorder::of_new(context, "forms create", title);
    let (operation, changed) = ("createForm".to_owned(), sent.clone());
    recorder.record(&RecordWrite { operation, changed, ..RecordWrite::default() });
    recorder.begin(0);
    let created = args.key.on(client.forms().create(NewForm::from(sent))).answer().await;
    recorder.stored(0, &created, |form| identity(form, "id"));
    recorder.finish(context, created.is_ok());
    let answer = created.map_err(|error| fields.failure(error, ""))?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::forms::view::FIRST),
    ))
}
