//! `links slots list`

use clap::Args;
use links_sdk::ProfileKey;

use super::view::COLUMNS;
use crate::context::Context;
use crate::error::Failure;
use crate::output::{Outcome, View};
use crate::profile_key;

/// Arguments of `links slots list`.
#[derive(Args, Debug)]
pub(crate) struct SlotsListArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(context: &mut Context, args: SlotsListArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.profile(args.profile).slots().list().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Table(COLUMNS)))
}
