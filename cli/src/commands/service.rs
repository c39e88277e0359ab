//! `links service`: shows the index of the service: conventions, limits, where tokens are issued.

use clap::Args;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{CommandOutput, View};

/// Arguments of `links service`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  links service --fields limits,conventions.dryRun")]
pub(crate) struct ServiceArgs {}

pub(crate) async fn run(
    context: &mut Context,
    _: ServiceArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.anyone().await?.index().answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Record(&["version", "name", "baseUrl"])))
}
