//! `links profile get`

use clap::Args;
use links_sdk::ProfileKey;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::key;
use crate::outcome::{Outcome, View};

/// Arguments of `links profile get`.
#[derive(Args, Debug)]
pub(crate) struct ProfileGetArgs {
    /// Id, login or address of the page
    #[arg(value_name = "KEY", value_parser = key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(context: &mut Context, args: ProfileGetArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.profile(args.profile).get().answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Record(super::FIRST)))
}
