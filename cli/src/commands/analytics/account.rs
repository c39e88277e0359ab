//! `links analytics account`: shows the analytics of all pages.

use clap::Args;

use super::query::QueryArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;

#[derive(Args, Debug)]
#[command(
    notes = "-o csv prints the timeline if it is requested, otherwise the rows; --jq selects any other part.",
    examples = ["links analytics account --period last7 --timeline", "links analytics account --bucket week -o csv"]
)]
pub(crate) struct AnalyticsAccountArgs {
    #[command(flatten)]
    query: QueryArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: AnalyticsAccountArgs,
) -> Result<CommandOutput, CommandError> {
    let call = context.client().await?.analytics().get(args.query.query()?);
    super::shown::shown(context, call).await
}
