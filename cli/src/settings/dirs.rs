//! Directories of the configuration, the state and the caches: those that the user names, else those of the platform. A machine without a
//! home directory has none.

use std::path::PathBuf;

use directories::ProjectDirs;

/// Returns the directory of the configuration.
pub(crate) fn config(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Some(platform()?.config_dir().to_owned()))
}

/// Returns the directory of journals, backups and locks.
pub(crate) fn state(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| {
        let dirs = platform()?;
        Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
    })
}

/// Returns the directory of the caches.
pub(crate) fn cache(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Some(platform()?.cache_dir().to_owned()))
}

fn platform() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "links")
}
