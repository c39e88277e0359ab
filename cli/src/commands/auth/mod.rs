//! `links auth`: commands for accounts.

pub(crate) mod callback_server;
mod describe;
mod list;
mod login;
mod logout;
pub(crate) mod oauth;
mod obtain;
mod status;
mod store_choice;
mod store_login;
mod switch;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::POINTER;
use crate::output::CommandOutput;

/// Accounts: log in, switch, log out
#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum AuthCommand {
    /// Log in: in the browser, or with a token from the account's API settings
    Login(login::AuthLoginArgs),
    /// Show which account commands use, where the token comes from, and the use of each limit
    Status(status::AuthStatusArgs),
    /// List the accounts of this machine
    #[command(alias = "ls")]
    List(list::AuthListArgs),
    /// Switch to another account
    Switch(switch::AuthSwitchArgs),
    /// Remove an account and its secret from this machine
    Logout(logout::AuthLogoutArgs),
}

pub(super) async fn run(
    context: &mut Context,
    command: AuthCommand,
) -> Result<CommandOutput, CommandError> {
    match command {
        AuthCommand::Login(args) => login::run(context, args).await,
        AuthCommand::Status(args) => status::run(context, &args).await,
        AuthCommand::List(args) => list::run(context, &args),
        AuthCommand::Switch(args) => switch::run(context, &args),
        AuthCommand::Logout(args) => logout::run(context, &args).await,
    }
}
