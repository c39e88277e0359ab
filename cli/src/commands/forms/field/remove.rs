//! `links forms field remove`: removes a field of a form.

use clap::Args;

use super::field_list::FieldList;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;

#[derive(Args, Debug)]
#[command(notes = "Answers of visitors are kept.",
    examples = ["links forms field remove 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 wishes --yes"])]
pub(crate) struct FormsFieldRemoveArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    /// Key of the field, or its label
    field: String,
    /// Confirm without being asked
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: FormsFieldRemoveArgs,
) -> Result<CommandOutput, CommandError> {
    let mut fields = FieldList::read(context, args.id, "forms field remove", args.dry_run).await?;
    let at = fields.find(&args.field)?;
    fields.list.remove(at);
    fields.write(context, args.yes).await
}
