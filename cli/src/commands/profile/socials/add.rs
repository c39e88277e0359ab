//! `links profile socials add`: adds social links to a page.

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
#[command(examples = ["links profile socials add cafe https://www.youtube.com/@qara"])]
pub(crate) struct ProfileSocialsAddArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// URLs of the social links; the icons follow from them
    #[arg(value_name = "URL", required = true)]
    links: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileSocialsAddArgs,
) -> Result<CommandOutput, CommandError> {
    let ProfileSocialsAddArgs { profile, links, dry_run } = args;
    let command = "profile socials add";
    change(context, command, &profile, dry_run, |socials| Ok(list::with(socials, &links))).await
}
