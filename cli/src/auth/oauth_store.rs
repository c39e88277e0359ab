//! Storage of OAuth credentials in the secret store of the account.

use std::io::{self, ErrorKind};

use links_sdk::oauth::{CredentialStore, Credentials, StoreLock};

use super::keyring::KeyringError;
use super::{Secret, Store, StoreError, Value};
use crate::signal::DeferInterrupt;

/// Credential store of an account that logged in at a connector. Shared by all processes that use the account.
#[derive(Debug)]
pub(crate) struct Connection(pub(crate) Store);

impl CredentialStore for Connection {
    fn load(&self) -> io::Result<Option<Credentials>> {
        let secret = self.0.load().map_err(other)?;
        Ok(match secret.map(|secret| secret.value) {
            Some(Value::Connection(credentials)) => Some(*credentials),
            // The user has logged in with a personal token meanwhile.
            Some(Value::Token(_)) | None => None,
        })
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        links_sdk::crash_point("before_credentials");
        let value = Value::Connection(Box::new(credentials.clone()));
        self.0.save(&Secret { origin: self.0.origin().to_owned(), value }).map_err(other)
    }

    fn forget(&self) -> io::Result<()> {
        self.0.remove().map_err(other)
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        let Some(lock) = self.0.try_lock().map_err(other)? else { return Ok(None) };
        // The refresh token is valid for one renewal: it must not be used if its successor cannot be stored, or would be lost to Ctrl-C.
        self.0.prepare().map_err(other)?;
        Ok(Some(Box::new((lock, DeferInterrupt::new()))))
    }
}

/// Converts an error. Its kind tells whether a later call may succeed without anything being changed.
fn other(error: StoreError) -> io::Error {
    let kind = match &error {
        StoreError::File { source, .. } => source.kind(),
        StoreError::Keyring(KeyringError::Silent(_) | KeyringError::Failed(_)) => ErrorKind::Other,
        StoreError::Keyring(_) => ErrorKind::PermissionDenied,
        StoreError::ReadError(_) | StoreError::OtherOrigin { .. } => ErrorKind::InvalidData,
    };
    io::Error::new(kind, error)
}
