//! `links forms field set`: changes a field of a form.

use clap::Args;

use super::field_list::FieldList;
use crate::args::dry_run::DryRunArgs;
use crate::args::fields::FieldValues;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms field set [OPTIONS] <ID> <FIELD> [FILE] [FIELD=VALUE]...",
    examples = ["links forms field set 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 wishes label='Anything else?'"]
)]
pub(crate) struct FormsFieldSetArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    /// Key of the field, or its label
    field: String,
    /// What changes: `label=Name`, `required:=true` (JSON); or a YAML or JSON file with it (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsFieldSetArgs,
) -> Result<CommandOutput, CommandError> {
    let changes = FieldValues::read(&args.words)?.some("label=Name")?;
    if changes.get("key").is_some() {
        return Err(
            CommandError::usage("a field keeps its key").with_hint("remove it and add another one")
        );
    }
    let mut fields = FieldList::read(context, args.id, "forms field set", args.dry_run).await?;
    let at = fields.find(&args.field)?;
    let changes = changes.changes_of(&fields.list[at]).0;
    fields.list[at].extend(changes);
    fields.write(context, false).await
}
