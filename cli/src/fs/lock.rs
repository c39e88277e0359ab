//! Locks against lost updates between commands that read, change and write the same resource.

use std::fs::File;
use std::path::PathBuf;

use super::private;

/// Lock on a resource against other commands on this machine, held until it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct ResourceLock {
    _lock: Option<File>,
}

impl ResourceLock {
    /// Waits until no other command holds the lock on the same resource of a service. `place` is the lock directory and the service;
    /// without it nothing is locked.
    pub(crate) fn wait(place: Option<(PathBuf, String)>, what: &str) -> Self {
        let lock = |(directory, service): (PathBuf, String)| {
            private::lock(&directory.join(file_name(&service, what))).ok()
        };
        Self { _lock: place.and_then(lock) }
    }
}

/// Name of a lock file. Two resources may share a name, and then wait for each other.
fn file_name(service: &str, what: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let what: String = what.chars().take(64).map(plain).collect();
    format!("{service}-{what}.lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_file_names_are_short_and_have_no_separators() {
        assert_eq!(file_name("sandbox", "form-6f1c"), "sandbox-form-6f1c.lock");
        assert_eq!(file_name("sandbox", "form-../Ж"), "sandbox-form-____.lock");
        assert!(file_name("sandbox", &"x".repeat(1000)).len() < 100);
    }
}
