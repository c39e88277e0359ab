//! `links slots get`: shows one slot.

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::SlotId;

use super::view::FIRST;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots get cafe 1002", "links slots get cafe 1002 --fields data.link"])]
pub(crate) struct SlotsGetArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Id of the slot, as `links slots list` shows it
    #[arg(value_parser = profile_key::slot)]
    id: SlotId,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsGetArgs,
) -> Result<CommandOutput, CommandError> {
    let answer =
        context.client().await?.profile(args.profile).slots().get(args.id).answer().await?;
    Ok(CommandOutput::service(answer.body().clone(), View::Record(FIRST)))
}
