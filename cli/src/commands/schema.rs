//! `links schema`: JSON Schemas of page files, form files and slots, for editors.

use super::prelude::*;
use crate::schema::editor_schema;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SchemaCommand {
    /// Print the schema of a page file
    #[command(examples = ["links schema page > page.schema.json", "links slots pull cafe -O cafe.yaml"])]
    Page,
    /// Print the schema of a form file
    #[command(examples = ["links schema form > form.schema.json"])]
    Form,
    /// Print the schema of a slot's data
    #[command(examples = ["links schema slot button > button.schema.json"])]
    Slot {
        /// Slot type (see `links slots types`)
        #[arg(value_name = "TYPE")]
        kind: String,
    },
}

impl SchemaCommand {
    /// Returns the schema as a document without an envelope, for editors.
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        let schema = match self {
            Self::Page => editor_schema::page(&context.client().await?.slot_types().await?),
            Self::Form => editor_schema::form(),
            Self::Slot { kind } => {
                editor_schema::slot(&context.client().await?.slot_type(kind).await?)
            }
        };
        let text = format!("{schema:#}\n");
        Ok(CommandOutput::own(schema, View::File(text)))
    }
}
