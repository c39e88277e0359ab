//! `links auth status`: shows the account of the token, its origin, and the use of each limit.

use clap::Args;

use super::describe;
use super::describe::AccountDescription;
use crate::context::Context;
use crate::env_vars;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{CommandOutput, View};
use crate::settings::{ServiceTarget, TokenOrigin};

#[derive(Args, Debug)]
#[command(examples = ["links auth status", "links auth status -o json"])]
pub(crate) struct AuthStatusArgs {}

pub(crate) async fn run(
    context: &mut Context,
    _: &AuthStatusArgs,
) -> Result<CommandOutput, CommandError> {
    let client = context.client().await?;
    let me = client.me().await?;
    let (source, account, store) = match (&context.settings.target, &context.settings.token) {
        (ServiceTarget::Sandbox(_), _) => ("sandbox", None, None),
        (_, TokenOrigin::Variable(_)) => (env_vars::TOKEN, None, None),
        (_, TokenOrigin::File(_)) => (env_vars::TOKEN_FILE, None, None),
        (_, TokenOrigin::Account(name, account)) => {
            ("account", Some(name), Some(describe::store(&account.kept)))
        }
        (_, TokenOrigin::Nowhere(_)) => ("none", None, None),
    };
    let base = client.base_url();
    let described =
        AccountDescription { account, base, source, store, me: &me, settings_url: None };
    let described = described.with_room(&client).await;
    Ok(CommandOutput::own(described.data(), View::Lines(described.lines())))
}
