//! `links profile get`: shows one page.

use clap::{Args, ValueEnum};
use links_sdk::ProfileKey;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links profile get cafe", "links profile get cafe --include slots -o json", "links profile get https://links.example/cafe -o json"])]
pub(crate) struct ProfileGetArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// What to show besides the fields of the page
    #[arg(long, value_name = "WHAT")]
    include: Option<Include>,
}

/// Part of a page that is not among its fields.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Include {
    /// Slots of the page
    Slots,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileGetArgs,
) -> Result<CommandOutput, CommandError> {
    let profile = context.client().await?.profile(args.profile);
    let call = match args.include {
        Some(Include::Slots) => profile.get_with_slots(),
        None => profile.get(),
    };
    let answer = call.answer().await?;
    Ok(CommandOutput::service(
        answer.body().clone(),
        View::Record(crate::commands::profile::view::FIRST),
    ))
}
