//! `links profile socials`: adds and removes social links of a page. The service takes only whole lists, so the page is read first, and
//! refused if it was changed meanwhile.

pub(crate) mod add;
mod change;
mod list;
pub(crate) mod remove;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SocialsCommand {
    /// Add social links after those of the page
    Add(add::ProfileSocialsAddArgs),
    /// Remove social links from the page
    #[command(alias = "rm")]
    Remove(remove::ProfileSocialsRemoveArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: SocialsCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        SocialsCommand::Add(args) => add::run(context, args).await,
        SocialsCommand::Remove(args) => remove::run(context, args).await,
    }
}
