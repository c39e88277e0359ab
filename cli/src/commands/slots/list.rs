//! `links slots list`

use clap::Args;
use links_sdk::ProfileKey;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::outcome::{Outcome, View};

/// Arguments of `links slots list`.
#[derive(Args, Debug)]
pub(crate) struct SlotsListArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(context: &mut Context, args: SlotsListArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.profile(args.profile).slots().list().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Table(super::COLUMNS)))
}
