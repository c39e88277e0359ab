//! Credentials of a new login: from a command, from standard input, or from a login in the browser.

use std::io::{self, Read};

use links_sdk::oauth::Connector;
use links_sdk::{BaseUrl, Token};
use zeroize::Zeroizing;

use super::oauth::{LoginOptions, connect};
use crate::auth::{AccountsFile, SecretLocation, TokenCommand, Value};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::settings::TokenOrigin;

/// Credentials that a login obtained.
pub(super) struct NewCredentials {
    /// Location for the secret.
    pub(super) kept: SecretLocation,
    /// Token that requests carry now.
    pub(super) token: Token,
    /// Secret to store; `None` for a token command, which stores its token itself.
    pub(super) value: Option<Value>,
    /// URL of the connector that issued the credentials.
    pub(super) mcp_url: Option<String>,
}

/// Runs a token command.
pub(super) fn from_command(line: &str) -> Result<NewCredentials, CommandError> {
    let words = words(line)?;
    let token = TokenCommand::new(&words).get();
    let token =
        token.map_err(|error| CommandError::new(Exit::NotAuthenticated, error.to_string()))?;
    Ok(NewCredentials { kept: SecretLocation::Command(words), token, value: None, mcp_url: None })
}

/// Splits the line of a token command into the command and its arguments.
fn words(line: &str) -> Result<Vec<String>, CommandError> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    words.ok_or_else(|| CommandError::usage("--token-command: the quotes do not match"))
}

/// Reads the token that is piped in or typed; errors do not show it.
pub(super) fn from_stdin(
    context: &Context,
    kept: SecretLocation,
) -> Result<NewCredentials, CommandError> {
    let text = context.ui.ask_secret("Token (not shown)").unwrap_or_else(|| {
        let most = Token::MAX_BYTES as u64;
        let mut text = String::new();
        io::stdin().lock().take(most).read_to_string(&mut text).map(|_| text)
    });
    let text =
        text.map_err(|error| CommandError::usage(format!("cannot read the token: {error}")))?;
    let text = Zeroizing::new(text);
    let token = Token::new(&text).map_err(|error| {
        CommandError::usage(error.to_string())
            .with_hint("pipe it in: `links auth login --token-stdin < FILE`")
    })?;
    let value = Some(Value::Token(token.secret().to_owned().into()));
    Ok(NewCredentials { kept, token, value, mcp_url: None })
}

/// Returns the URL of the connector: the given one, that of the environment, that of the account, or the one that the service names.
pub(super) async fn mcp_url(
    context: &Context,
    given: Option<&String>,
    base: &BaseUrl,
) -> Result<String, CommandError> {
    let of_account = match &context.settings.token {
        TokenOrigin::Account(_, account) => account.mcp_url.as_ref(),
        _ => None,
    };
    match given.or(context.settings.mcp_url.as_ref()).or(of_account) {
        Some(url) => Ok(url.clone()),
        None => Connector::url_of_with(base, &context.settings.connection.read()?).await.map_err(
            |error| {
                CommandError::from(error)
                    .with_hint("name the connector with --mcp-url, or log in with --token-stdin")
            },
        ),
    }
}

/// Logs in at the connector with the user's browser.
pub(super) async fn from_browser(
    context: &Context,
    options: &LoginOptions<'_>,
    file: &AccountsFile,
    kept: SecretLocation,
) -> Result<NewCredentials, CommandError> {
    let credentials = connect(context, options, file).await?;
    let token = Token::new(&credentials.access_token).map_err(CommandError::unreadable)?;
    let value = Some(Value::Connection(Box::new(credentials)));
    Ok(NewCredentials { kept, token, value, mcp_url: Some(options.mcp_url.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_command_is_split_as_a_shell_would() {
        assert_eq!(words("pass show 'my token'").unwrap(), ["pass", "show", "my token"]);
        for line in ["", "  ", "pass 'token"] {
            assert_eq!(words(line).unwrap_err().exit(), Exit::Usage, "{line:?}");
        }
    }
}
