//! `links analytics profile`: shows the analytics of a page.

use clap::Args;
use links_sdk::ProfileKey;

use super::query::QueryArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::profile_key;

#[derive(Args, Debug)]
#[command(
    examples = ["links analytics profile cafe --from 2026-01-01 --to 2026-01-31 --bucket week"]
)]
pub(crate) struct AnalyticsProfileArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    #[command(flatten)]
    query: QueryArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: AnalyticsProfileArgs,
) -> Result<CommandOutput, CommandError> {
    let call = context.client().await?.profile(args.profile).analytics(args.query.query()?);
    super::shown::shown(context, call).await
}
