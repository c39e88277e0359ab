//! `links profile socials remove`: removes social links from a page.

use clap::Args;
use links_sdk::ProfileKey;

use super::change::change;
use super::list;
use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use crate::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links profile socials remove cafe https://t.me/qaracoffee"])]
pub(crate) struct ProfileSocialsRemoveArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// URLs of the social links, as `links profile get KEY --fields socials` shows them
    #[arg(value_name = "URL", required = true)]
    links: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileSocialsRemoveArgs,
) -> Result<CommandOutput, CommandError> {
    let ProfileSocialsRemoveArgs { profile, links, dry_run } = args;
    let command = "profile socials remove";
    change(context, command, &profile, dry_run, |socials| list::without(socials, &links)).await
}
