//! Taking turns: what is read, changed and written as a whole loses what another process wrote in between.

use std::fs::File;
use std::path::PathBuf;

use super::private;

/// Keeps other commands of this machine from what they would write as a whole, until it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct ResourceLock {
    _lock: Option<File>,
}

impl ResourceLock {
    /// Waits until no other command holds the lock of the same thing of a service: in this directory, if there is one.
    pub(crate) fn wait(place: Option<(PathBuf, String)>, what: &str) -> Self {
        let lock = |(directory, service): (PathBuf, String)| {
            private::lock(&directory.join(file_name(&service, what))).ok()
        };
        Self { _lock: place.and_then(lock) }
    }
}

/// Two things may share a name, and then wait for each other.
fn file_name(service: &str, what: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let what: String = what.chars().take(64).map(plain).collect();
    format!("{service}-{what}.lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        assert_eq!(file_name("sandbox", "form-6f1c"), "sandbox-form-6f1c.lock");
        assert_eq!(file_name("sandbox", "form-../Ж"), "sandbox-form-____.lock");
        assert!(file_name("sandbox", &"x".repeat(1000)).len() < 100);
    }
}
