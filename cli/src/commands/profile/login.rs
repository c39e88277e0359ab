//! Check of a new login: first by the rules that need no service, then by the service.

use links_sdk::{Client, ProfileKey};
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::error::exit_code::Exit;

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
    if let Some(rule) = broken_rule(login) {
        return Ok(json!({
            "login": login, "profile": null, "available": false, "reason": "invalid", "message": rule,
        }));
    }
    let mut check = client.profiles().check_login(login);
    if let Some(page) = page {
        check = check.for_profile(page.to_string());
    }
    let answer = check.send().answer().await?;
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

/// Checks the rules of the interface, section 8, that apply to everyone: 4 to 60 of `a-z A-Z 0-9 . _`. Only the service knows the reserved
/// words.
fn broken_rule(login: &str) -> Option<&'static str> {
    if !login.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')) {
        Some("a login has only letters a-z, digits, `.` and `_`")
    } else if !(4..=60).contains(&login.len()) {
        Some("a login has 4 to 60 characters")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::broken_rule;

    #[test]
    fn invalid_logins_are_detected_without_the_service() {
        for login in ["abc", "", "my-links", "кафе", "a b.c", &"a".repeat(61)] {
            assert!(broken_rule(login).is_some(), "{login}");
        }
        for login in ["cafe", "a.b_", "2020", &"a".repeat(60)] {
            assert!(broken_rule(login).is_none(), "{login}");
        }
    }
}
