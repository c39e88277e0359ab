//! `links analytics account`: shows the analytics of all pages.

use clap::Args;

use super::query::QueryArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::CommandOutput;

/// Arguments of `links analytics account`.
#[derive(Args, Debug)]
#[command(
    after_help = "-o csv prints the timeline if it is requested, otherwise the rows; --jq selects any other part.\n\n\
    Examples:\n  links analytics account --period last7 --timeline\n  links analytics account --bucket week -o csv"
)]
pub(crate) struct AnalyticsAccountArgs {
    #[command(flatten)]
    query: QueryArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: AnalyticsAccountArgs,
) -> Result<CommandOutput, CommandError> {
    let call = context.client().await?.analytics().get(args.query.query());
    super::shown::shown(context, call).await
}
