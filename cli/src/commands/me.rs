//! `links me`

use clap::Args;

use crate::context::Context;
use crate::error::Failure;
use crate::output::{Outcome, View};

/// Arguments of `links me`.
#[derive(Args, Debug)]
pub(crate) struct MeArgs {}

pub(crate) async fn run(context: &mut Context, _: MeArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.me().answer().await?;
    Ok(Outcome::service(
        answer.body().clone(),
        View::Record(&["userId", "name", "canWrite", "abilities"]),
    ))
}
