//! Storage of the secret of one account.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::keyring::KeyringError;
use super::{AccountName, Secret, SecretLocation, keyring, secret_file};
use crate::fs::private;

/// Storage location of one account at one origin. Never accesses another location, so that errors there have no effect.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    directory: PathBuf,
    name: AccountName,
    origin: String,
    place: StorePlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StorePlace {
    Keyring,
    File,
}

/// Reason why a storage location cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    #[error("the stored secret cannot be read: {0}")]
    ReadError(serde_json::Error),
    #[error("it belongs to {found}, and would be sent to {asked}")]
    OtherOrigin { found: String, asked: String },
}

impl Store {
    /// Storage of an account; `None` for an account whose secret comes from a command.
    pub(crate) fn of(
        directory: &Path,
        name: &AccountName,
        kept: &SecretLocation,
        origin: String,
    ) -> Option<Self> {
        let place = match kept {
            SecretLocation::Keyring => StorePlace::Keyring,
            SecretLocation::File => StorePlace::File,
            SecretLocation::Command(_) => return None,
        };
        Some(Self { directory: directory.to_owned(), name: name.clone(), origin, place })
    }

    /// Returns the secret, if there is one.
    pub(crate) fn load(&self) -> Result<Option<Secret>, StoreError> {
        let bytes = match self.place {
            StorePlace::Keyring => keyring::load(&self.name, &self.origin)?,
            StorePlace::File => {
                secret_file::load(&self.directory, &self.name).map_err(|it| self.broken(it))?
            }
        };
        let Some(bytes) = bytes.map(Zeroizing::new) else { return Ok(None) };
        let secret: Secret = serde_json::from_slice(&bytes).map_err(StoreError::ReadError)?;
        if secret.origin != self.origin {
            let asked = self.origin.clone();
            return Err(StoreError::OtherOrigin { found: secret.origin, asked });
        }
        Ok(Some(secret))
    }

    /// Stores a secret in place of the previous one.
    pub(crate) fn save(&self, secret: &Secret) -> Result<(), StoreError> {
        let bytes = Zeroizing::new(serde_json::to_vec(secret).map_err(StoreError::ReadError)?);
        match self.place {
            StorePlace::Keyring => Ok(keyring::save(&self.name, &self.origin, &bytes)?),
            StorePlace::File => {
                secret_file::save(&self.directory, &self.name, &bytes).map_err(|it| self.broken(it))
            }
        }
    }

    /// Checks that a secret can be stored, before the secret that it replaces is lost. A keyring is not tried.
    pub(crate) fn prepare(&self) -> Result<(), StoreError> {
        match self.place {
            StorePlace::Keyring => Ok(()),
            StorePlace::File => {
                secret_file::prepare(&self.directory, &self.name).map_err(|it| self.broken(it))
            }
        }
    }

    /// Deletes the secret.
    pub(crate) fn remove(&self) -> Result<(), StoreError> {
        match self.place {
            StorePlace::Keyring => Ok(keyring::remove(&self.name, &self.origin)?),
            StorePlace::File => {
                secret_file::remove(&self.directory, &self.name).map_err(|it| self.broken(it))
            }
        }
    }

    /// Origin that the secret belongs to.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Waits for the lock against changes by other processes. Dropping the returned file releases the lock.
    pub(crate) fn lock(&self) -> Result<File, StoreError> {
        self.locked(private::lock)
    }

    /// Takes the same lock, unless another process holds it.
    pub(crate) fn try_lock(&self) -> Result<Option<File>, StoreError> {
        self.locked(private::try_lock)
    }

    fn locked<T>(&self, lock: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, StoreError> {
        let path = secret_file::path(&self.directory, &self.name).with_extension("lock");
        lock(&path).map_err(|source| StoreError::File { path, source })
    }

    fn broken(&self, source: io::Error) -> StoreError {
        StoreError::File { path: secret_file::path(&self.directory, &self.name), source }
    }
}
