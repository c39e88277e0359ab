//! `links service`

use clap::Args;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Outcome, View};

/// Arguments of `links service`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  links service --fields limits,conventions.dryRun")]
pub(crate) struct ServiceArgs {}

pub(crate) async fn run(context: &mut Context, _: ServiceArgs) -> Result<Outcome, Failure> {
    let answer = context.anyone().await?.index().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Record(&["version", "name", "baseUrl"])))
}
