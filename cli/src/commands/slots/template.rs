//! `links slots template`: prints a slot of a type, ready to be pasted into a page file.

use clap::Args;
use links_sdk::apply::literal;
use links_sdk::types::SlotType;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, View, yaml};
use crate::sanitize;
use crate::schema::fields as schema_fields;

#[derive(Args, Debug)]
#[command(examples = ["links slots template button >> cafe.yaml"])]
pub(crate) struct SlotsTemplateArgs {
    /// Type of slot; `links slots types` lists them
    #[arg(value_name = "TYPE")]
    kind: String,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsTemplateArgs,
) -> Result<CommandOutput, CommandError> {
    let slot_type = context.client().await?.slot_type(args.kind).await?;
    if !slot_type.writable {
        let message =
            format!("slots of type {} are read-only: none can be created", slot_type.kind);
        return Err(CommandError::new(Exit::Conflict, message));
    }
    let mut item = json!({ "type": slot_type.kind });
    if !slot_type.example.is_empty() {
        item["data"] = Value::Object(literal(&slot_type.example).0);
    }
    let text = document(&slot_type, &item)?;
    Ok(CommandOutput::own(item, View::Document(text)))
}

/// Returns the item as it is written below `slots:` in a page file, with the allowed values of its fields as comments.
fn document(slot_type: &SlotType, item: &Value) -> Result<String, CommandError> {
    let page = yaml::write(&json!({ "slots": [item] }))?;
    let item = page.split_once('\n').map_or("", |(_, item)| item);
    let comments = std::iter::once(format!("{}: {}", slot_type.kind, slot_type.description))
        .chain(schema_fields::fields(slot_type))
        .map(|line| format!("  # {}\n", sanitize::line(line.trim_end())));
    Ok(comments.collect::<String>() + item)
}
