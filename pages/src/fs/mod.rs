//! File system access: named files, private files, atomic writes and locks.

pub mod atomic;
pub mod named;
pub mod private;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Mode bit for write access of all users.
const ANYBODY_WRITES: u32 = 0o002;

/// Maximum number of symbolic links to follow, as in operating systems.
const MOST_LINKS: usize = 40;

/// Directory of a file; the current one for a bare name.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads up to a number of bytes; `None` if there are more.
fn bounded(source: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}

/// Syncs a file with [`File::sync_all`] or [`File::sync_data`]. On macOS both also flush the cache of the disk, which file systems such as those
/// of shares refuse; there the file is synced without that.
pub(crate) fn sync(file: &File, how: fn(&File) -> io::Result<()>) -> io::Result<()> {
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
fn mode(found: &Metadata) -> u32 {
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
fn owner(found: &Metadata) -> u32 {
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
fn own_id() -> u32 {
    #[cfg(unix)]
    {
        rustix::process::geteuid().as_raw()
    }
    #[cfg(not(unix))]
    {
        0
    }
}
