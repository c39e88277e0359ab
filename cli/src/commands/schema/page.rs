//! `links schema page`: prints the schema of a page file.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::schema::editor_schema;

#[derive(Args, Debug)]
#[command(examples = ["links schema page > page.schema.json", "links slots pull cafe -O cafe.yaml"])]
pub(crate) struct SchemaPageArgs {}

pub(crate) async fn run(
    context: &mut Context,
    _: SchemaPageArgs,
) -> Result<CommandOutput, CommandError> {
    let types = context.client().await?.slot_types().await?;
    Ok(super::document::document(editor_schema::page(&types)))
}
