//! Credentials of a login, and the store that keeps them.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::blocking::locked;

/// Remaining life of an access token, in seconds, at which it is renewed: no more than one part in [`SHARE`] of its whole life.
const MARGIN: u64 = 30;
const SHARE: u64 = 10;

/// An access token with everything that is needed to renew it. You can store credentials, for example as JSON. `Debug` shows no secret, and
/// the tokens are wiped from memory.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Credentials {
    /// Token for requests.
    pub access_token: Zeroizing<String>,
    /// Token for one renewal. Without it, a new login is needed when the access token expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<Zeroizing<String>>,
    /// Expiry of the access token in seconds since 1970, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// Time at which the access token was issued, in seconds since 1970, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at: Option<u64>,
    /// Client ID of this program's registration.
    pub client_id: String,
    /// The connector of the login, as it names itself.
    pub resource: String,
    /// Issuer of the tokens.
    pub issuer: String,
    /// URL at which the tokens are renewed.
    pub token_endpoint: String,
    /// URL at which the tokens can be revoked, if the server has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revocation_endpoint: Option<String>,
}

impl Credentials {
    /// Returns whether the access token has expired.
    pub(super) fn has_ended(&self, now: SystemTime) -> bool {
        self.expires_at.is_some_and(|end| since_1970(now) >= end)
    }

    /// Returns whether the access token can be renewed, and expires soon.
    pub(super) fn is_due(&self, now: SystemTime) -> bool {
        let Some(end) = self.expires_at.filter(|_| self.refresh_token.is_some()) else {
            return false;
        };
        let life = self.issued_at.map_or(u64::MAX, |start| end.saturating_sub(start));
        since_1970(now) >= end.saturating_sub(MARGIN.min(life / SHARE))
    }
}

pub(super) fn since_1970(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("client_id", &self.client_id)
            .field("resource", &self.resource)
            .field("issuer", &self.issuer)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// Lock that prevents other users of a store from renewing its credentials, until it is dropped. It is dropped on a thread that may block.
pub type StoreLock = Box<dyn Send>;

/// Store for the credentials of one login. Its methods are called on a thread that may block.
///
/// A refresh token can be used only once. So [`RefreshingTokenSource`](super::RefreshingTokenSource) locks the store, reads it again,
/// renews, and saves before it does anything else. If several processes share a store, its lock must exclude all of them.
pub trait CredentialStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the stored credentials.
    ///
    /// # Errors
    ///
    /// When the store cannot be read. A store that knows that the user has logged out can return an error of the kind
    /// [`InvalidInput`](io::ErrorKind::InvalidInput): then no renewed login that could not be saved before is saved in it any more.
    fn load(&self) -> io::Result<Option<Credentials>>;

    /// Replaces the stored credentials, completely or not at all. Save a new login while you hold the lock: otherwise a renewal of the old one
    /// that is under way may replace it.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn save(&self, credentials: &Credentials) -> io::Result<()>;

    /// Removes the stored credentials.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn forget(&self) -> io::Result<()>;

    /// Takes the lock, or returns `None` while another user of the store holds it; then this method is called again after a while. The lock
    /// is taken before the refresh token is used.
    ///
    /// # Errors
    ///
    /// When the lock cannot be taken, or saving would certainly fail.
    fn try_lock(&self) -> io::Result<Option<StoreLock>>;
}

/// Returns a store in memory with these credentials, for one source of one process.
pub fn memory_store(credentials: impl Into<Option<Credentials>>) -> Arc<dyn CredentialStore> {
    Arc::new(Mutex::new(credentials.into()))
}

impl CredentialStore for Mutex<Option<Credentials>> {
    fn load(&self) -> io::Result<Option<Credentials>> {
        Ok(locked(self).clone())
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        *locked(self) = Some(credentials.clone());
        Ok(())
    }

    fn forget(&self) -> io::Result<()> {
        *locked(self) = None;
        Ok(())
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        // A memory store has one source, which renews one token at a time.
        Ok(Some(Box::new(())))
    }
}
