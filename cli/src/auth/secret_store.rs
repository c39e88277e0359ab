//! Storage of the secret of one account.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use links_sdk::oauth::{CredentialStore, Credentials, StoreLock};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::keyring;
use super::{AccountName, AccountsFile, SecretLocation};
use crate::signal::DeferInterrupt;
use links_pages::fs::private;

/// Storage location of one account at one origin: the keyring, or a file of its own for machines without one, if the user asked for it. Never
/// accesses the other location, so that errors there have no effect.
#[derive(Debug)]
pub(crate) struct Store {
    name: AccountName,
    origin: String,
    /// Keyring or file.
    kept: SecretLocation,
    /// Path of the file, even if the secret is in the keyring: the lock is beside it.
    file: PathBuf,
}

/// Kind of the error for a secret that belongs to another origin.
pub(super) const OTHER_ORIGIN: ErrorKind = ErrorKind::InvalidInput;

impl Store {
    /// Storage of an account; `None` for an account whose secret comes from a command.
    pub(crate) fn of(
        directory: &Path,
        name: &AccountName,
        kept: &SecretLocation,
        origin: String,
    ) -> Option<Self> {
        if let SecretLocation::Command(_) = kept {
            return None;
        }
        let file = directory.join("credentials").join(format!("{name}.json"));
        Some(Self { name: name.clone(), origin, kept: kept.clone(), file })
    }

    /// Returns the secret, if there is one.
    pub(crate) fn load(&self) -> io::Result<Option<Value>> {
        let bytes = if self.is_in_keyring() {
            keyring::with_secret(&self.name, &self.origin, keyring::get)?
        } else {
            private::at(&self.file, |file| {
                private::tighten(file).and_then(|()| private::read(file))
            })?
        };
        let Some(bytes) = bytes.map(Zeroizing::new) else { return Ok(None) };
        let secret: Secret = serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("cannot read the stored secret: {error}");
            io::Error::new(ErrorKind::InvalidData, message)
        })?;
        if secret.origin != self.origin {
            let (found, asked) = (&secret.origin, &self.origin);
            let message = format!("it was stored for {found}, not for {asked}");
            return Err(io::Error::new(OTHER_ORIGIN, message));
        }
        Ok(Some(secret.value))
    }

    /// Stores a secret in place of the previous one.
    pub(crate) fn save(&self, value: Value) -> io::Result<()> {
        let secret = Secret { origin: self.origin.clone(), value };
        let bytes = Zeroizing::new(serde_json::to_vec(&secret)?);
        if self.is_in_keyring() {
            let set = move |user: &str| keyring::set(user, &bytes);
            return keyring::with_secret(&self.name, &self.origin, set);
        }
        private::at(&self.file, |file| private::write(file, &bytes))
    }

    /// Checks that a secret can be stored, before the secret that it replaces is lost. A keyring is not tried.
    fn prepare(&self) -> io::Result<()> {
        if self.is_in_keyring() { Ok(()) } else { private::at(&self.file, private::prepare) }
    }

    /// Deletes the secret.
    pub(crate) fn remove(&self) -> io::Result<()> {
        if self.is_in_keyring() {
            return keyring::with_secret(&self.name, &self.origin, keyring::delete);
        }
        private::at(&self.file, private::remove)
    }

    /// Tells whether the accounts file names this storage location. An accounts file that cannot be read may do so.
    fn is_in_use(&self) -> bool {
        let directory = self.file.parent().and_then(Path::parent).unwrap_or(Path::new(""));
        AccountsFile::new(directory).load().ok().is_none_or(|accounts| {
            accounts.known.get(&self.name).is_some_and(|account| account.kept == self.kept)
        })
    }

    pub(super) fn is_in_keyring(&self) -> bool {
        self.kept == SecretLocation::Keyring
    }

    /// Waits for the lock against changes by other processes. Dropping the returned file releases the lock.
    pub(crate) fn lock(&self) -> io::Result<File> {
        private::at(&self.file.with_extension("lock"), private::lock)
    }

    /// Takes the same lock, unless another process holds it.
    fn try_lock(&self) -> io::Result<Option<File>> {
        private::at(&self.file.with_extension("lock"), private::try_lock)
    }
}

/// Secret with the origin it belongs to. Its value is never shown.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Secret {
    /// Scheme, host and port: the secret is sent nowhere else, whatever the accounts file says.
    origin: String,
    #[serde(flatten)]
    value: Value,
}

/// Value of a secret.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Value {
    /// Personal token.
    Token(Zeroizing<String>),
    /// Credentials from a login at the connector.
    Connection(Box<Credentials>),
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token(***)",
            Self::Connection(_) => "Connection(***)",
        })
    }
}

/// Credential store of an account that logged in at a connector. Shared by all processes that use the account.
#[derive(Debug)]
pub(crate) struct Connection(pub(crate) Store);

impl CredentialStore for Connection {
    fn load(&self) -> io::Result<Option<Credentials>> {
        let replaced = |why: &str| {
            let message = format!("account `{}` {why}", self.0.name);
            Err(io::Error::new(ErrorKind::InvalidInput, message))
        };
        match self.0.load()? {
            Some(Value::Connection(credentials)) => Ok(Some(*credentials)),
            // The user has done so meanwhile: no renewed token may be saved in its place.
            Some(Value::Token(_)) => replaced("now has a personal token"),
            None if !self.0.is_in_use() => replaced("is logged out"),
            None => Ok(None),
        }
    }

    fn save(&self, credentials: &Credentials) -> io::Result<()> {
        links_sdk::runs::crash_point("before_credentials");
        self.0.save(Value::Connection(Box::new(credentials.clone())))
    }

    fn forget(&self) -> io::Result<()> {
        self.0.remove()
    }

    fn try_lock(&self) -> io::Result<Option<StoreLock>> {
        let Some(lock) = self.0.try_lock()? else { return Ok(None) };
        // The refresh token is valid for one renewal: it must not be used if its successor cannot be stored, or would be lost to Ctrl-C.
        self.0.prepare()?;
        Ok(Some(Box::new((lock, DeferInterrupt::new()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Account;

    #[test]
    fn a_login_that_the_user_has_replaced_or_ended_is_not_merely_missing() {
        let directory = tempfile::tempdir().unwrap();
        let (name, origin) = ("work".parse::<AccountName>().unwrap(), "https://links.example");
        let store = |kept| Store::of(directory.path(), &name, &kept, origin.to_owned()).unwrap();
        let file = AccountsFile::new(directory.path());
        let account = |kept| Account {
            base_url: format!("{origin}/api/v1"),
            mcp_url: None,
            kept,
            user_id: 1,
            user: "Aliya".to_owned(),
        };
        let keep = |kept| file.change(|it| it.known.insert(name.clone(), account(kept))).unwrap();
        let connection = Connection(store(SecretLocation::File));
        let ended = |why: &str| {
            let error = connection.load().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert_eq!(error.to_string(), format!("account `work` {why}"));
        };
        ended("is logged out");
        keep(SecretLocation::File);
        assert_eq!(connection.load().unwrap(), None, "another process has removed a spent login");
        keep(SecretLocation::Keyring);
        ended("is logged out");
        keep(SecretLocation::File);
        let value = Value::Token("canary".to_owned().into());
        connection.0.save(value).unwrap();
        ended("now has a personal token");
    }

    #[test]
    fn a_secret_is_stored_with_its_origin_and_hidden_in_debug_output() {
        let value = Value::Token("canary".to_owned().into());
        let secret = Secret { origin: "https://links.example".to_owned(), value };
        let text = serde_json::to_string(&secret).unwrap();
        assert_eq!(text, r#"{"origin":"https://links.example","token":"canary"}"#);
        assert_eq!(serde_json::from_str::<Secret>(&text).unwrap(), secret);
        assert!(!format!("{secret:?} {:?}", secret.value).contains("canary"));
    }
}
