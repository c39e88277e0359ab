//! `links me`: shows the token's owner, its abilities, and the use of each limit.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links me", "links me --jq .limits.profiles"])]
pub(crate) struct MeArgs {}

pub(crate) async fn run(context: &mut Context, _: MeArgs) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.me().answer().await?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(&["userId", "name", "canWrite", "abilities"]),
    ))
}
