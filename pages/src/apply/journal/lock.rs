//! Lock that excludes other runs from a page.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use links_sdk::PacerError;

use crate::fs::private::open_lock;

/// Lock that excludes other processes on this machine from the page until it is dropped.
#[derive(Debug)]
#[non_exhaustive]
pub struct PageLock {
    _file: File,
    /// Set if another process held the lock before, so data that was read earlier may be out of date.
    pub was_awaited: bool,
}

/// Reasons why the lock could not be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another run is in progress.
    #[error("another run is in progress on this page{}", .0.map(|it| format!(" (process {it})")).unwrap_or_default())]
    Taken(
        /// ID of the other process, if known.
        Option<u32>,
    ),
    /// Another machine has locked the page.
    #[error("another run is in progress on this page, on another machine")]
    Elsewhere,
    /// Another machine has locked the page in the meantime, or the server that keeps the locks has started again.
    #[error("this run has lost its lock on the page, so another machine may be writing to it")]
    Lost,
    /// The server that keeps the locks of all machines cannot be asked.
    #[error("{0}")]
    Unreachable(#[source] PacerError),
    /// The state directory cannot be used.
    #[error("{}: {error}", path.display())]
    Io {
        /// File that was to be written.
        path: PathBuf,
        /// The I/O error.
        #[source]
        error: io::Error,
    },
}

impl PageLock {
    /// Takes the lock in a directory, which is created if it is missing.
    pub(super) fn take(directory: &Path) -> Result<Self, LockError> {
        let path = directory.join("lock");
        let failed = |error| LockError::Io { path: path.clone(), error };
        let mut file = open_lock(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Where a lock also excludes readers, the id of the process stays unknown.
                let _ = file.read_to_string(&mut text);
                return Err(LockError::Taken(text.trim().parse().ok()));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let signed = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        signed.map_err(failed)?;
        Ok(Self { _file: file, was_awaited: false })
    }
}
