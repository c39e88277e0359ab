//! `links profile`: pages.

pub(crate) mod check_login;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod preview;

use clap::Subcommand;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the pages of the account
    List(list::ProfileListArgs),
    /// Show one page
    Get(get::ProfileGetArgs),
    /// Print a page as its readers see it, in Markdown
    Preview(preview::ProfilePreviewArgs),
    /// Ask whether logins are free; exit code 3 when one is not
    CheckLogin(check_login::ProfileCheckLoginArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: ProfileCommand,
) -> Result<Outcome, Failure> {
    match command {
        ProfileCommand::List(args) => list::run(context, args).await,
        ProfileCommand::Get(args) => get::run(context, args).await,
        ProfileCommand::Preview(args) => preview::run(context, args).await,
        ProfileCommand::CheckLogin(args) => check_login::run(context, args).await,
    }
}
