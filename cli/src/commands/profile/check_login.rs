//! `links profile check-login`

use clap::Args;
use links_sdk::ProfileKey;
use serde_json::{Value, json};

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::key;
use crate::outcome::{Column, Outcome, View};

/// Arguments of `links profile check-login`.
#[derive(Args, Debug)]
pub(crate) struct ProfileCheckLoginArgs {
    /// Logins to ask about
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    /// Id, login or address of the own page that would take the login; the one it has now then counts as free
    #[arg(long = "as", value_name = "PROFILE", value_parser = key::parse)]
    profile: Option<ProfileKey>,
}

const COLUMNS: &[Column] = &[
    Column::at("LOGIN", "login"),
    Column::at("AVAILABLE", "available"),
    Column::at("REASON", "reason"),
    Column::at("MESSAGE", "message"),
];

pub(crate) async fn run(
    context: &mut Context,
    args: ProfileCheckLoginArgs,
) -> Result<Outcome, Failure> {
    let mut checks = Vec::with_capacity(args.names.len());
    for name in args.names {
        checks.push(match broken_rule(&name) {
            Some(rule) => {
                json!({ "login": name, "profile": null, "available": false, "reason": "invalid", "message": rule })
            }
            None => ask(context, name, args.profile.as_ref()).await?,
        });
    }
    let free = checks.iter().all(|check| check["available"] == true);
    Ok(Outcome::own(checks, View::Table(COLUMNS)).exit(if free { Exit::Ok } else { Exit::No }))
}

async fn ask(
    context: &mut Context,
    name: String,
    profile: Option<&ProfileKey>,
) -> Result<Value, Failure> {
    let mut check = context.client().await?.profiles().check_login(name);
    if let Some(profile) = profile {
        check = check.for_profile(profile.to_string());
    }
    let answer = check.send().answer().await?;
    let mut body: Value = serde_json::from_slice(answer.body()).map_err(Failure::unreadable)?;
    Ok(body["data"].take())
}

/// The rules that need no service (the interface, section 8): 4 to 60 of `a-z A-Z 0-9 . _`.
fn broken_rule(name: &str) -> Option<&'static str> {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')) {
        Some("a login has only letters a-z, digits, `.` and `_`")
    } else if !(4..=60).contains(&name.len()) {
        Some("a login has 4 to 60 characters")
    } else {
        None
    }
}
