//! File system access: named files, private files, atomic writes and locks.

use std::path::Path;

pub(crate) mod atomic;
pub(crate) mod named;
pub(crate) mod private;

/// Mode bit for write access of all users.
#[cfg(unix)]
const ANYBODY_WRITES: u32 = 0o002;

/// Directory of a file; the current one for a bare name.
pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Effective user id of this process.
#[cfg(unix)]
fn own_id() -> u32 {
    rustix::process::geteuid().as_raw()
}
