//! Atomic writes: a file is written completely or not at all.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a temporary file beside the target and renames it, so that the target is never incomplete. An existing file is replaced only if
/// `replace` is true.
///
/// # Errors
///
/// When the directory cannot be written to, or the file exists and `replace` is false.
pub(crate) fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    write_bytes(path, text.as_bytes(), replace)
}

/// Writes a file as [`write`] does.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    let target = if replace {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    };
    let directory = directory_of(&target);
    if !directory.is_dir() {
        let missing = format!("there is no directory {}", directory.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    finish(new_file(directory)?, &target, bytes, replace)
}

/// Writes a new file and renames it to the target, over an existing file only if `replace` is true. All data is on disk when this returns.
pub(super) fn finish(
    mut file: NamedTempFile,
    target: &Path,
    bytes: &[u8],
    replace: bool,
) -> io::Result<()> {
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    links_sdk::crash_point("before_rename");
    rename(file, target, replace)?;
    links_sdk::crash_point("after_rename");
    sync_directory(directory_of(target))
}

/// Writes a new file and renames it over the target without syncing: the target is never incomplete for other processes, but a power failure
/// may lose it. No crash point, because no other file depends on this one.
pub(super) fn finish_unsynced(
    mut file: NamedTempFile,
    target: &Path,
    bytes: &[u8],
) -> io::Result<()> {
    file.write_all(bytes)?;
    rename(file, target, true)
}

fn rename(file: NamedTempFile, target: &Path, replace: bool) -> io::Result<()> {
    let renamed = if replace { file.persist(target) } else { file.persist_noclobber(target) };
    renamed.map(drop).map_err(|error| error.error)
}

/// Directory of a file; the current one for a bare name.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn new_file(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".links-");
    // A page is not secret: the umask of the user decides who can read the file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}

/// Syncs a directory, so that a new name survives a power failure. Not available on Windows.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        std::fs::File::open(directory)?.sync_all()?;
    }
    Ok(())
}
