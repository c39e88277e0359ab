//! Check of a new login: first by the rules that need no service, then by the service.

use links_sdk::{Client, ProfileKey};
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::profile_key::broken_login_rule;

/// Returns the service's result for a login, or a result for a login that breaks a rule that needs no service. `page` is the own page that
/// would take the login; its present login then counts as free.
///
/// # Errors
///
/// When the service cannot be asked.
pub(crate) async fn check(
    client: &Client,
    login: &str,
    page: Option<&ProfileKey>,
) -> Result<Value, CommandError> {
    if let Some(rule) = broken_login_rule(login) {
        return Ok(json!({
            "login": login, "profile": null, "available": false, "reason": "invalid", "message": rule,
        }));
    }
    let mut check = client.profiles().check_login(login);
    if let Some(page) = page {
        check = check.for_profile(page.to_string());
    }
    let answer = check.call().answer().await?;
    let mut body: Value =
        serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    Ok(body["data"].take())
}

/// Refuses a login that is not free.
///
/// # Errors
///
/// When the login is not free, or the service cannot be asked.
pub(crate) async fn check_available(
    client: &Client,
    login: &str,
    page: Option<&ProfileKey>,
) -> Result<(), CommandError> {
    let check = check(client, login, page).await?;
    if check["available"] == true {
        return Ok(());
    }
    let why = check["message"].as_str().unwrap_or("the service gives no reason");
    Err(CommandError::new(Exit::No, format!("the login {login} is not available: {why}")))
}
