//! `links forms create`: creates a lead form.

use clap::Args;
use links_sdk::NewForm;

use super::form_words::FormWords;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
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
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsCreateArgs,
) -> Result<CommandOutput, CommandError> {
    let words = FormWords::read(&args.words)?;
    let client = context.writer(args.dry_run).await?;
    let fields = words.resolved(&client).await?;
    let form = NewForm::from(fields.object());
    let created = client.forms().create(form).answer().await;
    let answer = created.map_err(|error| fields.failure(error, ""))?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::forms::view::FIRST),
    ))
}
