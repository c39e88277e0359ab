//! `links schema form`: prints the schema of a form file.

use clap::Args;

use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::schema::editor_schema;

#[derive(Args, Debug)]
#[command(examples = ["links schema form > form.schema.json"])]
pub(crate) struct SchemaFormArgs {}

pub(crate) fn run(_: SchemaFormArgs) -> CommandOutput {
    super::document::document(editor_schema::form())
}
