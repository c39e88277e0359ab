//! `links schema slot`

use clap::Args;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::json_schema;
use crate::outcome::Outcome;

/// Arguments of `links schema slot`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  links schema slot button > button.schema.json")]
pub(crate) struct SchemaSlotArgs {
    /// Type of block; `links slots types` lists them
    #[arg(value_name = "TYPE")]
    kind: String,
}

pub(crate) async fn run(context: &mut Context, args: SchemaSlotArgs) -> Result<Outcome, Failure> {
    let it = context.client().await?.slot_type(args.kind).await?;
    Ok(super::document(json_schema::slot(&it)))
}
