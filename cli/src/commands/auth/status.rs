//! `links auth status`

use clap::Args;

use super::describe;
use super::describe::Described;
use crate::context::Context;
use crate::env_vars;
use crate::error::Failure;
use crate::output::{Outcome, View};
use crate::settings::{Target, TokenFrom};

/// Arguments of `links auth status`.
#[derive(Args, Debug)]
pub(crate) struct AuthStatusArgs {}

pub(crate) async fn run(context: &mut Context, _: &AuthStatusArgs) -> Result<Outcome, Failure> {
    let client = context.client().await?;
    let me = client.me().await?;
    let (source, account, store) = match (&context.settings.target, &context.settings.token) {
        (Target::Sandbox, _) => ("sandbox", None, None),
        (_, TokenFrom::Variable(_)) => (env_vars::TOKEN, None, None),
        (_, TokenFrom::File(_)) => (env_vars::TOKEN_FILE, None, None),
        (_, TokenFrom::Account(name, account)) => {
            ("account", Some(name), Some(describe::store(&account.kept)))
        }
        (_, TokenFrom::Nowhere(_)) => ("none", None, None),
    };
    let base = client.base_url();
    let described = Described { account, base, source, store, me: &me, settings_url: None };
    let described = described.with_room(&client).await;
    Ok(Outcome::own(described.data(), View::Lines(described.lines())))
}
