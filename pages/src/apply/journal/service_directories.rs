//! Directories of the journals of a service, below the state directory.

use std::io;
use std::path::{Path, PathBuf};

use super::hash::short_hash;
use super::state_file::entries;

pub(super) const RUNS: &str = "runs";
pub(super) const COMMANDS: &str = "writes";

/// Returns the directories of a service by its short name: of the runs of its pages, and of the other commands.
pub(super) fn of_service(state: &Path, name: &str) -> [PathBuf; 2] {
    [RUNS, COMMANDS].map(|kind| state.join(kind).join(name))
}

/// Returns the directories of a service, or of all services with a directory of this kind.
pub(super) fn services(
    state: &Path,
    kind: &str,
    service: Option<&str>,
) -> io::Result<Vec<[PathBuf; 2]>> {
    if let Some(service) = service {
        return Ok(vec![of_service(state, &short_name(service))]);
    }
    let directories = entries(&state.join(kind))?.into_iter().filter(|it| it.is_dir());
    let name = |path: PathBuf| Some(of_service(state, path.file_name()?.to_str()?));
    Ok(directories.filter_map(name).collect())
}

pub(super) fn short_name(service: &str) -> String {
    short_hash(service.as_bytes())[..16].to_owned()
}
