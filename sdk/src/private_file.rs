//! Private files: created with access for the user only, and replaced atomically. For this crate and `links-pages`, which is released with
//! it and depends on exactly its version. No part of what a version promises.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use uuid::Uuid;

use crate::crash_point::point;

/// Maximum size of a file in bytes; a larger file was not written by this program.
pub const MOST_BYTES: u64 = 1024 * 1024;
/// Space in bytes that a file may need beyond the one that it replaces.
const SLACK: u64 = 4 * 1024;
/// Age from which the temporary file of a writer is that of an interrupted one, if writers need no lock.
pub const LONGEST_WRITE: Duration = Duration::from_secs(60);

/// Directory of a file; the current one for a bare name.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns `None` if there is no such file.
pub fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Returns the error for a file that is not used.
pub fn denied(why: &str) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Accesses a file. An error says which one it is about.
pub fn at<T>(path: &Path, access: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    access(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Refuses a file of another user, for example under `sudo`.
pub fn refuse_foreign(found: &Metadata) -> io::Result<()> {
    if owner(found) == own_id() { Ok(()) } else { denied("it belongs to another user") }
}

/// Opens a regular file. Refuses anything else without waiting for it.
pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open(options, path, true)
}

/// Opens a regular file, on Unix only one that is no symbolic link unless `follows_links` is true.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix can refuse links"))]
pub fn open(options: &mut OpenOptions, path: &Path, follows_links: bool) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // Without this flag, opening a pipe waits until another process writes to it.
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, !follows_links);
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

/// Returns the options to write a file that only its owner can read.
pub fn writable() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a file to lock it. Creates it, and its directory, if they are missing.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let open = || open_regular(writable().read(true).create(true).truncate(false), path);
    if let Some(file) = if_there(open())? {
        return Ok(file);
    }
    make_directory(directory_of(path))?;
    open()
}

/// Opens and locks a file, unless another process holds the lock. Dropping the returned file releases the lock.
pub fn try_lock(path: &Path) -> io::Result<Option<File>> {
    locked(open_lock(path)?)
}

/// Locks an open file, unless another process holds the lock.
pub fn locked(file: File) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Creates or replaces a file, also a symbolic link itself. Concurrent readers see the old content or the new one.
pub fn write(target: &Path, bytes: &[u8]) -> io::Result<()> {
    with_new(target, |file, new| finish(file, target, bytes, || fs::rename(new, target)))
}

/// Creates or replaces a file that may be lost, such as a cache: it is not synced.
pub fn write_unsynced(target: &Path, bytes: &[u8]) -> io::Result<()> {
    make_directory(directory_of(target))?;
    // No crash point, because no other file depends on this one.
    with_new(target, |file, new| file.write_all(bytes).and_then(|()| fs::rename(new, target)))
}

/// Checks that a file can be replaced by one that is about as large, as far as this is possible beforehand: a full disk has room for an empty
/// file.
pub fn reserve(target: &Path) -> io::Result<()> {
    let replaced = if_there(fs::metadata(target))?.map_or(0, |found| found.len());
    let mut space = io::repeat(b' ').take(replaced.min(MOST_BYTES) + SLACK);
    with_new(target, |file, _| {
        io::copy(&mut space, file)?;
        sync(file, File::sync_all)
    })
}

/// Creates a file next to a target, and removes it after the work unless it was renamed.
fn with_new(
    target: &Path,
    work: impl FnOnce(&mut File, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let name = format!("{}{}.new", beginning(target), Uuid::new_v4().simple());
    let new = target.with_file_name(name);
    let mut file = writable().create_new(true).open(&new)?;
    let done = work(&mut file, &new);
    let _ = fs::remove_file(new);
    done
}

/// Writes a new file and gives it the name of the target with `rename`. All data is on disk when this returns, and the new name too, where the
/// directory can be synced.
pub fn finish(
    file: &mut File,
    target: &Path,
    bytes: &[u8],
    rename: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    file.write_all(bytes)?;
    sync(file, File::sync_all)?;
    point("before_rename");
    rename()?;
    point("after_rename");
    sync_directory(directory_of(target))
}

/// Beginning of the names of the files that belong to a target: its lock, and temporary files.
pub fn beginning(target: &Path) -> String {
    format!("{}.", target.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes temporary files of interrupted writers: those of at least this age.
pub fn remove_stale(target: &Path, age: Duration) -> io::Result<()> {
    let Some(entries) = if_there(fs::read_dir(directory_of(target)))? else { return Ok(()) };
    let beginning = beginning(target);
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let unique = name.strip_prefix(&beginning).and_then(|it| it.strip_suffix(".new"));
        // One that is missing was renamed by its writer meanwhile.
        if unique.is_some_and(|it| Uuid::try_parse(it).is_ok())
            && let Some(found) = if_there(entry.metadata())?
            && found.is_file()
            && found.modified()?.elapsed().unwrap_or_default() >= age
        {
            if_there(fs::remove_file(entry.path()))?;
        }
    }
    Ok(())
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
        let _ = sync_directory(directory_of(made));
    }
    Ok(())
}

/// Syncs a directory, so that a new name survives a power failure. Not available on Windows, nor in some file systems, such as those of shares,
/// nor for a directory that can be written to and not read.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let is_refused = |error: &io::Error| {
        use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
        matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported)
    };
    match File::open(directory).and_then(|file| sync(&file, File::sync_all)) {
        Err(error) if is_refused(&error) => Ok(()),
        synced => synced,
    }
}

/// Syncs a file with [`File::sync_all`] or [`File::sync_data`]. On macOS both also flush the cache of the disk, which file systems such as those
/// of shares refuse; there the file is synced without that.
pub fn sync(file: &File, how: fn(&File) -> io::Result<()>) -> io::Result<()> {
    #[cfg(target_vendor = "apple")]
    {
        how(file).or_else(|_| rustix::fs::fsync(file).map_err(io::Error::from))
    }
    #[cfg(not(target_vendor = "apple"))]
    {
        how(file)
    }
}

/// Mode bits of a file; none on systems without them.
#[cfg_attr(not(unix), expect(unused_variables, reason = "no one knows"))]
pub fn mode(found: &Metadata) -> u32 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::mode(found)
    }
    #[cfg(not(unix))]
    {
        0
    }
}

/// User ID of the owner of a file; that of this process on systems without user IDs.
#[cfg_attr(not(unix), expect(unused_variables, reason = "no one knows"))]
pub fn owner(found: &Metadata) -> u32 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::uid(found)
    }
    #[cfg(not(unix))]
    {
        own_id()
    }
}

/// Effective user ID of this process.
pub fn own_id() -> u32 {
    #[cfg(unix)]
    {
        rustix::process::geteuid().as_raw()
    }
    #[cfg(not(unix))]
    {
        0
    }
}
