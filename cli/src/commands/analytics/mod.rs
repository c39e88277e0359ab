//! `links analytics`: views and clicks.

pub(crate) mod account;
mod figures;
pub(crate) mod form;
pub(crate) mod profile;
mod query;
mod shown;

use clap::Subcommand;
pub(crate) use query::PeriodArgs;
pub(crate) use shown::{reliance, unrecognised};

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum AnalyticsCommand {
    /// Numbers of all pages
    Account(account::AnalyticsAccountArgs),
    /// Numbers of a page: views, clicks per slot and per social link
    Profile(profile::AnalyticsProfileArgs),
    /// Numbers of a form: from views to submissions
    Form(form::AnalyticsFormArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: AnalyticsCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        AnalyticsCommand::Account(args) => account::run(context, args).await,
        AnalyticsCommand::Profile(args) => profile::run(context, args).await,
        AnalyticsCommand::Form(args) => form::run(context, args).await,
    }
}
