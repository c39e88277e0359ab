//! `links music lookup`

use clap::Args;

use super::search::SearchArgs;
use crate::context::Context;
use crate::error::Failure;
use crate::output::{Outcome, View};

/// Arguments of `links music lookup`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  links music lookup 'Steppe Radio' --artist Dala --type track")]
pub(crate) struct MusicLookupArgs {
    #[command(flatten)]
    search: SearchArgs,
}

pub(crate) async fn run(context: &mut Context, args: MusicLookupArgs) -> Result<Outcome, Failure> {
    let answer = context.client().await?.lookup_music(args.search.query()).answer().await?;
    Ok(Outcome::service(answer.body().clone(), View::Any))
}
