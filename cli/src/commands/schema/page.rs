//! `links schema page`

use clap::Args;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::json_schema;
use crate::outcome::Outcome;

/// Arguments of `links schema page`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  links schema page > page.schema.json\n  \
    links slots pull cafe -O cafe.yaml")]
pub(crate) struct SchemaPageArgs {}

pub(crate) async fn run(context: &mut Context, _: SchemaPageArgs) -> Result<Outcome, Failure> {
    let types = context.client().await?.slot_types().await?;
    Ok(super::document(json_schema::page(&types)))
}
