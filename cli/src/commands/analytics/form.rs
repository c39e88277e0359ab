//! `links analytics form`: shows the analytics of a form.

use clap::Args;

use super::query::QueryArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;

#[derive(Args, Debug)]
#[command(
    examples = ["links analytics form 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 --period last28"]
)]
pub(crate) struct AnalyticsFormArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    #[command(flatten)]
    query: QueryArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: AnalyticsFormArgs,
) -> Result<CommandOutput, CommandError> {
    let call = context.client().await?.form(args.id).analytics(args.query.query()?);
    super::shown::shown(context, call).await
}
