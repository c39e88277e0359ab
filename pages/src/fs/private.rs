//! Private files, as the SDK has them, at paths that may be symbolic links.

#[cfg(test)]
mod tests;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use links_sdk::private_file::{
    self, LONGEST_WRITE, MOST_BYTES, denied, refuse_foreign, remove_stale,
};
pub use links_sdk::private_file::{at, if_there, make_directory, try_lock, write_unsynced};
pub(crate) use links_sdk::private_file::{open_lock, open_regular, writable};

use super::{ANYBODY_WRITES, MOST_LINKS, directory_of, mode, owner};

/// Reads a file; `None` if there is none. Refuses a file that another user may have created or written.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = if_there(open_file(path))? else { return Ok(None) };
    refuse_public(directory_of(path))?;
    refuse_doubtful(&file.metadata()?)?;
    bounded(file, MOST_BYTES).map(Some)
}

/// Reads a file of limited size in bytes.
pub(crate) fn bounded(file: File, most: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "it is too large");
    super::bounded(file, most)?.ok_or_else(too_large)
}

/// Opens a file for reading. Refuses a pipe, a device or a directory without blocking.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().read(true), path)
}

/// Restricts a file to its owner, and fails if that is not possible. A file that all users can write stays unchanged, so that it is still
/// recognized as untrusted.
pub fn tighten(path: &Path) -> io::Result<()> {
    let Some(found) = if_there(fs::metadata(path))? else { return Ok(()) };
    let mode = mode(&found);
    if mode & 0o077 != 0 && mode & ANYBODY_WRITES == 0 {
        #[cfg(unix)]
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    }
    Ok(())
}

/// Creates or replaces a file. Concurrent readers see the old content or the new one; a symbolic link stays a link. The caller must hold a
/// lock, unless the write ends within [`LONGEST_WRITE`]: unfinished files of other writers are deleted after that time.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private_file::write(&target_of(path)?, bytes)
}

/// Checks that a file can be replaced by one that is about as large, as far as this is possible beforehand.
pub fn prepare(path: &Path) -> io::Result<()> {
    private_file::reserve(&target_of(path)?)
}

/// Returns the link target of the path, which may be replaced.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let target = resolve_links(path)?;
    let directory = directory_of(&target);
    make_directory(directory)?;
    refuse_public(directory)?;
    fs::metadata(&target).map_or(Ok(()), |found| refuse_foreign(&found))?;
    remove_stale(&target, LONGEST_WRITE)?;
    Ok(target)
}

/// Removes a file if it exists, and the file that it links to. The caller must hold the lock that writing needs.
pub fn remove(path: &Path) -> io::Result<()> {
    let target = if_there(resolve_links(path))?.unwrap_or_else(|| path.to_owned());
    fs::metadata(&target).map_or(Ok(()), |found| refuse_foreign(&found))?;
    remove_stale(&target, Duration::ZERO)?;
    for path in [target.as_path(), path] {
        if_there(fs::remove_file(path))?;
    }
    Ok(())
}

/// Refuses a directory that all users can write to, because any of them could have created its files.
fn refuse_public(directory: &Path) -> io::Result<()> {
    if is_public(directory)? { denied("its directory is writable by others") } else { Ok(()) }
}

/// Tells whether all users can write to a file, or replace the files of a directory.
pub fn is_public(path: &Path) -> io::Result<bool> {
    let mode = mode(&fs::metadata(path)?);
    let own_only = 0o1000;
    Ok(mode & ANYBODY_WRITES != 0 && mode & own_only == 0)
}

/// Refuses an open file that another user may have written. Files of the administrator are accepted.
fn refuse_doubtful(opened: &Metadata) -> io::Result<()> {
    if mode(opened) & ANYBODY_WRITES != 0 {
        return denied("it is writable by others");
    }
    if owner(opened) == 0 { Ok(()) } else { refuse_foreign(opened) }
}

/// Waits for an exclusive lock on a file. Dropping the returned file releases the lock.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = open_lock(path)?;
    file.lock()?;
    Ok(file)
}

/// Opens a file to write to its end, and creates it if it is missing.
pub fn append(path: &Path) -> io::Result<File> {
    refuse_public(directory_of(path))?;
    open_regular(writable().append(true).create(true), path)
}

/// Follows symbolic links. A broken link is an error, because its target may be missing only for a time.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = directory_of(&target).join(next),
            Err(_) if target != path && !target.exists() => {
                let message =
                    format!("it is a symbolic link to {}, which does not exist", target.display());
                return Err(io::Error::new(io::ErrorKind::NotFound, message));
            }
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Lock on a resource against other commands on this machine, held until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct ResourceLock {
    _lock: Option<File>,
}

impl ResourceLock {
    /// Waits until no other command holds the lock on the same resource of a service. `place` is the lock directory and the service;
    /// without it nothing is locked.
    pub fn wait(place: Option<(PathBuf, String)>, what: &str) -> Self {
        let locked = |(directory, service): (PathBuf, String)| {
            lock(&directory.join(lock_name(&service, what))).ok()
        };
        Self { _lock: place.and_then(locked) }
    }
}

/// Name of a lock file. Two resources may share a name, and then wait for each other.
fn lock_name(service: &str, what: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let what: String = what.chars().take(64).map(plain).collect();
    format!("{service}-{what}.lock")
}
