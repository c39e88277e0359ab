//! `links schema slot`: prints the schema of a slot's data.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::schema::editor_schema;

#[derive(Args, Debug)]
#[command(examples = ["links schema slot button > button.schema.json"])]
pub(crate) struct SchemaSlotArgs {
    /// Type of slot; `links slots types` lists them
    #[arg(value_name = "TYPE")]
    kind: String,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SchemaSlotArgs,
) -> Result<CommandOutput, CommandError> {
    let slot_type = context.client().await?.slot_type(args.kind).await?;
    Ok(super::document::document(editor_schema::slot(&slot_type)))
}
