//! `links slots history`: lists the runs of `apply` and their results.

use clap::Args;
use links_sdk::ProfileKey;

use crate::apply::run_table::listed;
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links slots history cafe"])]
pub(crate) struct SlotsHistoryArgs {
    /// Id, login or URL of the page; all pages without it
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: Option<ProfileKey>,
}

pub(crate) fn run(
    context: &Context,
    args: &SlotsHistoryArgs,
) -> Result<CommandOutput, CommandError> {
    let mut all = runs::all(context)?;
    let key = args.profile.as_ref();
    all.retain(|(runs, recorded)| key.is_none_or(|key| runs::is_of(runs, recorded, key)));
    Ok(listed(&all))
}
