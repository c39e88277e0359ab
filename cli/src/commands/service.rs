//! `links service`: shows the index of the service: conventions, limits, where tokens are issued.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links service --fields limits,conventions.dryRun"])]
pub(crate) struct ServiceArgs {}

pub(crate) async fn run(
    context: &mut Context,
    _: ServiceArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.anyone().await?.index().answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Record(&["version", "name", "baseUrl"])))
}
