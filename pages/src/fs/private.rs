//! Private files: created with access for the user only, and replaced atomically.

#[cfg(test)]
mod tests;

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{ANYBODY_WRITES, MOST_LINKS, atomic, directory_of, mode, own_id, owner};

/// Maximum size of a file in bytes; a larger file was not written by this program.
const MOST_BYTES: u64 = 1024 * 1024;
/// Space in bytes that a file may need beyond the one that it replaces.
const SLACK: u64 = 4 * 1024;

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

/// Returns `None` if there is no such file.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Opens a file for reading. Refuses a pipe, a device or a directory without blocking.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_regular(OpenOptions::new().read(true), path)
}

/// Opens a regular file. Refuses anything else without waiting for it.
pub(crate) fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // Without this flag, opening a pipe waits until another process writes to it.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
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
/// lock: unfinished files of other writers are deleted.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (target, file) = begin(path)?;
    atomic::finish(file, &target, bytes, true)
}

/// Creates or replaces a file that may be lost, such as a cache: it is not synced, and the caller needs no lock.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = directory_of(path);
    make_directory(directory)?;
    let mut file = NamedTempFile::new_in(directory)?;
    // No crash point, because no other file depends on this one.
    file.write_all(bytes)?;
    atomic::rename(file, path, true)
}

/// Checks that a file can be replaced by one that is about as large, as far as this is possible beforehand: a full disk has room for an empty
/// file.
pub fn prepare(path: &Path) -> io::Result<()> {
    let (target, mut file) = begin(path)?;
    let replaced = if_there(fs::metadata(target))?.map_or(0, |found| found.len());
    io::copy(&mut io::repeat(b' ').take(replaced.min(MOST_BYTES) + SLACK), &mut file)?;
    super::sync(file.as_file(), File::sync_all)
}

/// Returns the link target of the path, and the temporary file that is to replace it.
fn begin(path: &Path) -> io::Result<(PathBuf, NamedTempFile)> {
    let target = resolve_links(path)?;
    let directory = directory_of(&target);
    make_directory(directory)?;
    refuse_public(directory)?;
    fs::metadata(&target).map_or(Ok(()), |found| refuse_foreign(&found))?;
    remove_stale(&target)?;
    let file = tempfile::Builder::new().prefix(&beginning(&target)).tempfile_in(directory)?;
    Ok((target, file))
}

/// Removes a file if it exists, and the file that it links to. The caller must hold the lock that writing needs.
pub fn remove(path: &Path) -> io::Result<()> {
    let target = if_there(resolve_links(path))?.unwrap_or_else(|| path.to_owned());
    fs::metadata(&target).map_or(Ok(()), |found| refuse_foreign(&found))?;
    remove_stale(&target)?;
    for path in [target.as_path(), path] {
        if_there(fs::remove_file(path))?;
    }
    Ok(())
}

/// Name prefix of the temporary files for a target, not used by any other program.
fn beginning(target: &Path) -> String {
    format!(".links-new.{}.", target.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes temporary files of interrupted writers.
fn remove_stale(target: &Path) -> io::Result<()> {
    let Some(entries) = if_there(fs::read_dir(directory_of(target)))? else { return Ok(()) };
    let beginning = beginning(target);
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|it| it.is_file());
        if is_file && entry.file_name().to_string_lossy().starts_with(&beginning) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn denied(why: &str) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
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

/// Refuses to replace or remove a file of another user, for example under `sudo`.
fn refuse_foreign(found: &Metadata) -> io::Result<()> {
    if owner(found) == own_id() { Ok(()) } else { denied("it belongs to another user") }
}

/// Waits for an exclusive lock on a file. Dropping the returned file releases the lock.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    file.lock()?;
    Ok(file)
}

/// Takes the same lock, unless another process holds it.
pub fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens a file to write to its end, and creates it if it is missing.
pub fn append(path: &Path) -> io::Result<File> {
    refuse_public(directory_of(path))?;
    open_regular(writable().append(true).create(true), path)
}

/// Opens a lock file, and creates it if it is missing.
fn open(path: &Path) -> io::Result<File> {
    make_directory(directory_of(path))?;
    writable().read(true).create(true).truncate(false).open(path)
}

/// Returns the options to write a file that only its owner can read.
pub(crate) fn writable() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates missing directories, and syncs their names: without them, no file in them survives a power failure. Permissions of existing
/// directories are not changed.
pub fn make_directory(directory: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = directory.ancestors().take_while(|it| !it.exists()).collect();
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    for made in missing {
        // A directory that cannot be read can still be written to.
        let _ = atomic::sync_directory(directory_of(made));
    }
    Ok(())
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
