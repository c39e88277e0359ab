//! The directories in which this program keeps what outlives a run: the ones that the user names, else the platform's. There are none on a
//! machine without a home directory.

use std::path::PathBuf;

use directories::ProjectDirs;

/// Returns the directory of the configuration.
pub(crate) fn config(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Some(platform()?.config_dir().to_owned()))
}

/// Returns the directory of state.
pub(crate) fn state(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| {
        let dirs = platform()?;
        Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
    })
}

/// Returns the directory of what can be fetched again.
pub(crate) fn cache(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Some(platform()?.cache_dir().to_owned()))
}

fn platform() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "links")
}
