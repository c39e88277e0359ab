//! Token sources of accounts for the client.

use std::path::Path;
use std::sync::Arc;

use links_sdk::oauth::RefreshingTokenSource;
use links_sdk::{BaseUrl, ConnectionOptions, InvalidToken, Token, TokenSource};

use super::oauth_store::Connection;
use super::secret_store::StoreError;
use super::{Account, AccountName, SecretLocation, Store, TokenCommand, Value};
use crate::error::CommandError;
use crate::error::exit_code::Exit;

/// Authentication of a client.
pub(crate) struct ClientAuth {
    pub(crate) source: Arc<dyn TokenSource>,
    /// Token under which requests are counted; unchanged for as long as the service counts the requests together.
    pub(crate) counted_as: Token,
}

impl From<Token> for ClientAuth {
    fn from(token: Token) -> Self {
        Self { source: Arc::new(token.clone()), counted_as: token }
    }
}

/// Loads the secret of an account for requests to this URL.
///
/// # Errors
///
/// When there is no secret, or it cannot be loaded.
pub(crate) fn load_auth(
    directory: &Path,
    name: &AccountName,
    account: &Account,
    base: &BaseUrl,
    connection: ConnectionOptions,
) -> Result<ClientAuth, CommandError> {
    let again = format!("`links auth login --account {name}` logs in again");
    let none =
        |message: String| CommandError::new(Exit::NotAuthenticated, message).with_hint(&again);
    if let SecretLocation::Command(words) = &account.kept {
        let command = TokenCommand::new(words);
        let counted_as =
            command.get().map_err(|error| none(format!("account `{name}`: {error}")))?;
        return Ok(ClientAuth { source: Arc::new(command), counted_as });
    }
    let store = Store::of(directory, name, &account.kept, base.origin()).ok_or_else(|| {
        none(format!("account `{name}` is stored where this build cannot read it"))
    })?;
    let secret = store.load().map_err(|error| unusable(name, &error))?;
    let secret = secret.ok_or_else(|| none(format!("account `{name}` is logged out")))?;
    let unusable = |error: InvalidToken| none(error.to_string());
    match secret.value {
        Value::Token(text) => Token::new(&text).map(ClientAuth::from).map_err(unusable),
        Value::Connection(credentials) => Ok(ClientAuth {
            // The tokens of a connection are renewed; the account and the client id stay.
            counted_as: Token::new(format!("{name}.{}", credentials.client_id))
                .map_err(unusable)?,
            source: Arc::new(RefreshingTokenSource::new(Connection(store)).connection(connection)),
        }),
    }
}

/// Error for a secret that cannot be loaded.
fn unusable(name: &AccountName, error: &StoreError) -> CommandError {
    let message = format!("the secret of account `{name}`: {error}");
    let failure = CommandError::new(Exit::NotAuthenticated, message);
    match error {
        StoreError::OtherOrigin { .. } => {
            failure.with_hint("the file of accounts was changed: log in with `links auth login --base-url URL`")
        }
        StoreError::Keyring(_) => failure.with_hint(format!(
            "unlock the keyring, or store the account in a file: `links auth login --account {name} --store file`"
        )),
        _ => failure.with_hint(format!("log in again: `links auth login --account {name}`")),
    }
}
