//! `links forms field add`: adds a field to a form.

use clap::Args;

use super::field_list::FieldList;
use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::context::Context;
use crate::editor::form_fields::called;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::CommandOutput;

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms field add [OPTIONS] <ID> [FILE] [FIELD=VALUE]...",
    examples = ["links forms field add 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 type=phone label=Phone required:=true --at 0"]
)]
pub(crate) struct FormsFieldAddArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    /// The field: `type=text`, `label=Name`, `required:=true` (JSON); or a YAML or JSON file with it (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    /// To this position, counted from 0; the end where it is not given
    #[arg(long, value_name = "N")]
    at: Option<usize>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsFieldAddArgs,
) -> Result<CommandOutput, CommandError> {
    let question = FieldValues::read(&args.words)?.some("type=text label=Name")?.object().0;
    let mut fields = FieldList::read(context, args.id, "forms field add", args.dry_run).await?;
    let at = args.at.unwrap_or(usize::MAX).min(fields.list.len());
    let key = question.get("key").filter(|it| !it.is_null());
    if let Some(taken) = fields.list.iter().find(|it| key.is_some() && it.get("key") == key) {
        let message =
            format!("a field with this key already exists: {}; nothing was written", called(taken));
        return Err(CommandError::new(Exit::Invalid, message).with_hint(
            "leave the key out to let the service assign one; `links forms field set` changes a field",
        ));
    }
    fields.list.insert(at, question);
    fields.write(context, false).await
}
