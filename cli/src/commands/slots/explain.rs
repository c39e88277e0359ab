//! `links slots explain`: explains a type of slot: its fields, what they take, an example.

use clap::Args;
use links_sdk::types::SlotType;
use serde_json::Value;

use super::explanation::{of_field, of_type};
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(
    examples = ["links slots explain button", "links slots explain faq items.question"]
)]
pub(crate) struct SlotsExplainArgs {
    /// Type of slot; `links slots types` lists them
    #[arg(value_name = "TYPE")]
    kind: String,
    /// A field of its data, `items.question` for one within a list
    field: Option<String>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsExplainArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.slot_type(args.kind).answer().await?;
    let mut body: Value =
        serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    let slot_type: SlotType =
        serde_json::from_value(body["data"].take()).map_err(CommandError::unreadable)?;
    match args.field {
        None => {
            Ok(CommandOutput::service(answer.body().clone(), View::Lines(of_type(&slot_type)?)))
        }
        Some(field) => of_field(&slot_type, &field),
    }
}
