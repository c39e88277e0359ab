//! What this machine has recorded of the embedded service: journals, records of syncs, uploaded images, and caches.

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use links_sdk::apply::JournalStore;

use crate::apply::runs;
use crate::apply::sync::StateRecords;
use crate::context::{Context, SANDBOX_FILES, uploads_file};
use crate::error::CommandError;
use crate::journal::SANDBOX;

/// Cache files whose content depends on the account: the names before `-sandbox.json`, without the id of a page or a user.
const CACHES: [&str; 3] = ["names", "markdown", "slot-types"];

/// Removes it. Refuses while a run is in progress on the sandbox.
pub(super) fn remove(context: &Context) -> Result<(), CommandError> {
    let state = runs::directory(context)?;
    JournalStore::remove_all(&state, SANDBOX).map_err(|error| match error {
        error @ links_sdk::apply::LockError::Taken(_) => runs::not_locked(&error),
        error => CommandError::usage(format!("cannot remove the journals of the sandbox: {error}")),
    })?;
    StateRecords::forget_service(&state, SANDBOX)?;
    remove_file(&state.join(uploads_file(SANDBOX_FILES)))?;
    let cache = context.settings.cache_directory();
    let entries = cache.and_then(|directory| fs::read_dir(directory).ok());
    for entry in entries.into_iter().flatten().flatten() {
        if is_cache(&entry.file_name().to_string_lossy()) {
            remove_file(&entry.path())?;
        }
    }
    Ok(())
}

/// Tells whether a cache file is about the sandbox.
fn is_cache(name: &str) -> bool {
    let what = name
        .split_once('.')
        .and_then(|(stem, _)| stem.strip_suffix(SANDBOX_FILES)?.strip_suffix('-'))
        .map(|what| what.trim_end_matches(|c: char| c == '-' || c.is_ascii_digit()));
    what.is_some_and(|what| CACHES.contains(&what))
}

/// Removes a file, if it exists.
pub(super) fn remove_file(path: &Path) -> Result<(), CommandError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(not_removed(path, &error)),
        _ => Ok(()),
    }
}

pub(super) fn not_removed(path: &Path, why: &dyn Display) -> CommandError {
    CommandError::usage(format!("cannot remove {}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_about_the_sandbox_are_its_caches() {
        for name in [
            "names-sandbox.jsonl",
            "names-4021-sandbox.jsonl",
            "slot-types-sandbox.json",
            "markdown-101-sandbox.json",
        ] {
            assert!(is_cache(name), "{name}");
        }
        for name in [
            "names-http-sandbox.jsonl",
            "names-https-links.example.jsonl",
            "names-4021-https-sandbox.jsonl",
            "markdown-101-http-sandbox.json",
            "links.json",
            "sandbox.json",
        ] {
            assert!(!is_cache(name), "{name}");
        }
    }
}
