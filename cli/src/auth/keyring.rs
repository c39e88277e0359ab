//! Secrets in the system keyring (Secret Service, Keychain or Credential Manager), which may be absent, locked or unresponsive.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::AccountName;

/// Service name of this program's entries.
#[cfg(feature = "keyring")]
const SERVICE: &str = "links";
/// Name of an entry that holds no secret, used to probe the keyring. No account can have this name.
const PROBE: &str = "-probe";
/// Time limit for a first response of the keyring.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
/// Time limit where the keyring can ask the user for a password.
const ASKING_LIMIT: Duration = Duration::from_secs(60);

/// Reason why the keyring cannot be used.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(
    not(feature = "keyring"),
    expect(dead_code, reason = "only a keyring can be locked, or fail")
)]
pub(crate) enum KeyringError {
    /// No keyring on this machine.
    #[error("there is no usable keyring on this machine: {0}")]
    Absent(String),
    /// Access denied.
    #[error("the keyring is locked: {0}")]
    Locked(String),
    /// No response within the time limit.
    #[error("the keyring does not answer (waited {} s)", .0.as_secs())]
    Silent(Duration),
    /// Other error of the keyring.
    #[error("the keyring failed: {0}")]
    Failed(String),
}

/// Returns the secret of an account at an origin.
pub(crate) fn load(name: &AccountName, origin: &str) -> Result<Option<Vec<u8>>, KeyringError> {
    probe()?;
    let user = user(name, origin);
    within(limit(), move || entry::get(&user))
}

pub(crate) fn save(name: &AccountName, origin: &str, secret: &[u8]) -> Result<(), KeyringError> {
    probe()?;
    let (user, secret) = (user(name, origin), zeroize::Zeroizing::new(secret.to_owned()));
    within(limit(), move || entry::set(&user, &secret))
}

pub(crate) fn remove(name: &AccountName, origin: &str) -> Result<(), KeyringError> {
    probe()?;
    let user = user(name, origin);
    within(limit(), move || entry::delete(&user))
}

/// Checks that the keyring can store an entry, by storing and deleting one.
pub(crate) fn check() -> Result<(), KeyringError> {
    probe()?;
    within(limit(), || entry::set(PROBE, b"probe").and_then(|()| entry::delete(PROBE)))
}

/// Checks that the keyring responds: reading a missing entry needs no permission of the user.
fn probe() -> Result<(), KeyringError> {
    within(PROBE_LIMIT, || entry::get(PROBE)).map(drop)
}

fn user(name: &AccountName, origin: &str) -> String {
    format!("{name} {origin}")
}

/// Time limit of a request. On a machine without a display the keyring cannot ask for a password.
fn limit() -> Duration {
    let has_display =
        ["DISPLAY", "WAYLAND_DISPLAY"].map(std::env::var_os).iter().any(Option::is_some);
    if has_display || !cfg!(all(unix, not(target_os = "macos"))) {
        ASKING_LIMIT
    } else {
        PROBE_LIMIT
    }
}

/// Runs work that may never end and waits only for the time limit. Abandoned work goes on until the process ends.
fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, KeyringError> + Send + 'static,
) -> Result<T, KeyringError> {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(limit).unwrap_or(Err(KeyringError::Silent(limit)))
}

#[cfg(feature = "keyring")]
mod entry {
    use keyring::{Entry, Error};

    use super::{KeyringError, SERVICE};

    pub(crate) fn get(user: &str) -> Result<Option<Vec<u8>>, KeyringError> {
        match open(user)?.get_secret() {
            Ok(secret) => Ok(Some(secret)),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn set(user: &str, secret: &[u8]) -> Result<(), KeyringError> {
        Ok(open(user)?.set_secret(secret)?)
    }

    pub(crate) fn delete(user: &str) -> Result<(), KeyringError> {
        match open(user)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn open(user: &str) -> Result<Entry, KeyringError> {
        match Entry::store_status() {
            Ok(()) => Ok(Entry::new(SERVICE, user)?),
            Err(error) => Err(KeyringError::Absent(error.to_string())),
        }
    }

    impl From<Error> for KeyringError {
        fn from(error: Error) -> Self {
            match error {
                Error::NoStorageAccess(why) => Self::Locked(why.to_string()),
                // These errors contain the stored secret.
                Error::BadEncoding(_) | Error::BadDataFormat(..) => {
                    Self::Failed("the secret that it stores for this account is damaged".to_owned())
                }
                other => Self::Failed(other.to_string()),
            }
        }
    }
}

#[cfg(not(feature = "keyring"))]
mod entry {
    use super::KeyringError;

    fn absent<T>() -> Result<T, KeyringError> {
        Err(KeyringError::Absent("this program was built without it".to_owned()))
    }

    pub(crate) fn get(_: &str) -> Result<Option<Vec<u8>>, KeyringError> {
        absent()
    }

    pub(crate) fn set(_: &str, _: &[u8]) -> Result<(), KeyringError> {
        absent()
    }

    pub(crate) fn delete(_: &str) -> Result<(), KeyringError> {
        absent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_87_a_keyring_that_does_not_answer_times_out() {
        let (end, ended) = channel::<()>();
        let silent = within(Duration::ZERO, move || {
            // Ends when the test does.
            let _ = ended.recv();
            Ok(())
        });
        assert!(matches!(silent, Err(KeyringError::Silent(Duration::ZERO))));
        drop(end);
        assert_eq!(within(Duration::from_secs(5), || Ok(7)).unwrap(), 7);
        assert!("-probe".parse::<AccountName>().is_err(), "no account meets the probe");
    }
}
