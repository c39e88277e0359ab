//! `links profile get`: shows one page.

use clap::Args;
use links_sdk::ProfileKey;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links profile get cafe", "links profile get https://links.example/cafe -o json"])]
pub(crate) struct ProfileGetArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileGetArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.profile(args.profile).get().answer().await?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::profile::view::FIRST),
    ))
}
