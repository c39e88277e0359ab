//! `links profile`: commands for pages.

pub(crate) mod check_login;
pub(crate) mod create;
pub(crate) mod edit;
mod expected_page;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod login;
mod login_list;
pub(crate) mod open;
pub(crate) mod preview;
pub(crate) mod rename;
pub(crate) mod settings;
pub(crate) mod socials;
pub(crate) mod update;
mod view;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum ProfileCommand {
    /// List the pages of the account
    #[command(alias = "ls")]
    List(list::ProfileListArgs),
    /// Show one page
    #[command(alias = "show")]
    Get(get::ProfileGetArgs),
    /// Create a page, after checking that its login is free
    Create(create::ProfileCreateArgs),
    /// Change fields of a page
    Update(update::ProfileUpdateArgs),
    /// Change fields of a page in an editor
    Edit(edit::ProfileEditArgs),
    /// Change the login of a page; links to the old URL break
    Rename(rename::ProfileRenameArgs),
    /// Show or change the settings of a page, such as its language
    Settings(settings::ProfileSettingsArgs),
    /// Social links of a page
    #[command(subcommand)]
    Socials(socials::SocialsCommand),
    /// Print the URL of a page, and open it in a browser on a terminal
    Open(open::ProfileOpenArgs),
    /// Print a page as its readers see it, in Markdown
    Preview(preview::ProfilePreviewArgs),
    /// Check whether logins are free; exit code 3 when one is not
    CheckLogin(check_login::ProfileCheckLoginArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: ProfileCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        ProfileCommand::List(args) => list::run(context, args).await,
        ProfileCommand::Get(args) => get::run(context, args).await,
        ProfileCommand::Create(args) => create::run(context, args).await,
        ProfileCommand::Update(args) => update::run(context, args).await,
        ProfileCommand::Edit(args) => edit::run(context, args).await,
        ProfileCommand::Rename(args) => rename::run(context, args).await,
        ProfileCommand::Settings(args) => settings::run(context, args).await,
        ProfileCommand::Socials(command) => socials::run(context, command).await,
        ProfileCommand::Open(args) => open::run(context, args).await,
        ProfileCommand::Preview(args) => preview::run(context, args).await,
        ProfileCommand::CheckLogin(args) => check_login::run(context, args).await,
    }
}
