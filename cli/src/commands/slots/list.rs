//! `links slots list`: lists the slots of a page, in page order.

use clap::Args;
use links_sdk::ProfileKey;

use super::view::COLUMNS;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots list cafe", "links slots list cafe --jq '.[] | select(.type == \"button\")'"])]
pub(crate) struct SlotsListArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsListArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.profile(args.profile).slots().list().answer().await?;
    Ok(CommandOutput::checked(answer.body().clone(), View::Table(COLUMNS)))
}
