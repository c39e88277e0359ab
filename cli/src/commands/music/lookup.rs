//! `links music lookup`: finds a release by its code, its URL or its title.

use clap::Args;

use super::search::SearchArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};

#[derive(Args, Debug)]
#[command(examples = ["links music lookup 'Steppe Radio' --artist Dala --type track"])]
pub(crate) struct MusicLookupArgs {
    #[command(flatten)]
    search: SearchArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: MusicLookupArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.lookup_music(args.search.query()).answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Any))
}
