//! Secrets in the system keyring (Secret Service, Keychain or Credential Manager), which may be absent, locked or unresponsive.

use std::io::{self, ErrorKind};
use std::time::Duration;

use keyring::{Entry, Error};

use super::AccountName;
use crate::process;

/// Service name of this program's entries.
const SERVICE: &str = "links";
/// Name of an entry that holds no secret, used to probe the keyring. No account can have this name.
const PROBE: &str = "-probe";
/// Time limit for a first response of the keyring.
const PROBE_LIMIT: Duration = Duration::from_secs(5);
/// Time limit where the keyring can ask the user for a password.
const ASKING_LIMIT: Duration = Duration::from_secs(60);

/// Reads, writes or deletes the secret of an account at an origin. The kind of an error says whether a later call may succeed without anything
/// being changed: not if it is [`ErrorKind::PermissionDenied`].
pub(crate) fn with_secret<T: Send + 'static>(
    name: &AccountName,
    origin: &str,
    work: impl FnOnce(&str) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    probe()?;
    let user = format!("{name} {origin}");
    within(limit(), move || work(&user))
}

/// Checks that the keyring can store an entry, by storing and deleting one.
pub(crate) fn check() -> io::Result<()> {
    probe()?;
    within(limit(), || set(PROBE, b"probe").and_then(|()| delete(PROBE)))
}

/// Checks that the keyring responds: reading a missing entry needs no permission of the user.
fn probe() -> io::Result<()> {
    within(PROBE_LIMIT, || get(PROBE)).map(drop)
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

/// Runs work that may never end and waits only for the time limit.
fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    process::within(limit, work).unwrap_or_else(|| {
        let message = format!("the keyring did not respond within {} seconds", limit.as_secs());
        Err(io::Error::new(ErrorKind::TimedOut, message))
    })
}

pub(super) fn get(user: &str) -> io::Result<Option<Vec<u8>>> {
    match open(user)?.get_secret() {
        Ok(secret) => Ok(Some(secret)),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

pub(super) fn set(user: &str, secret: &[u8]) -> io::Result<()> {
    open(user)?.set_secret(secret).map_err(failure)
}

pub(super) fn delete(user: &str) -> io::Result<()> {
    match open(user)?.delete_credential() {
        Ok(()) | Err(Error::NoEntry) => Ok(()),
        Err(error) => Err(failure(error)),
    }
}

fn open(user: &str) -> io::Result<Entry> {
    Entry::store_status().as_ref().map_err(|why| {
        let message = format!("no keyring available ({why})");
        io::Error::new(ErrorKind::PermissionDenied, message)
    })?;
    Entry::new(SERVICE, user).map_err(failure)
}

fn failure(error: Error) -> io::Error {
    let (kind, message) = match error {
        Error::NoStorageAccess(why) => {
            (ErrorKind::PermissionDenied, format!("the keyring is locked ({why})"))
        }
        // These errors contain the stored secret.
        Error::BadEncoding(_) | Error::BadDataFormat(..) => {
            let why = "the keyring failed: the secret stored for this account is damaged";
            (ErrorKind::Other, why.to_owned())
        }
        other => (ErrorKind::Other, format!("the keyring failed: {other}")),
    };
    io::Error::new(kind, message)
}
