//! Where this program keeps what outlives a run.

use std::path::PathBuf;

use directories::ProjectDirs;

use crate::settings::Settings;

/// The folder of configuration: the one the user names, else the platform's. None on a machine without a home folder.
pub(crate) fn config(settings: &Settings) -> Option<PathBuf> {
    config_in(settings.config_dir.clone())
}

/// The same before there are settings.
pub(crate) fn config_in(named: Option<PathBuf>) -> Option<PathBuf> {
    named.or_else(|| Some(ProjectDirs::from("", "", "links")?.config_dir().to_owned()))
}

/// The folder of state: the one the user names, else the platform's. None on a machine without a home folder.
pub(crate) fn state(settings: &Settings) -> Option<PathBuf> {
    settings.state_dir.clone().or_else(|| {
        let dirs = ProjectDirs::from("", "", "links")?;
        Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned())
    })
}

/// The folder of what can be fetched again, found in the same way.
pub(crate) fn cache(settings: &Settings) -> Option<PathBuf> {
    settings
        .cache_dir
        .clone()
        .or_else(|| Some(ProjectDirs::from("", "", "links")?.cache_dir().to_owned()))
}
