//! Places at which a test can end the process, as a power cut would. Only the feature `crash-points` arms them, which is for the tests of this
//! repository, and never in a release build.
//!
//! `LINKS_TEST_CRASH=before_send:3` ends it at the third `before_send`, `before_send` at the first, `any:3` at the third place of whatever
//! name.

use std::env;
use std::fs::File;
use std::io::Write;
use std::process::abort;
use std::sync::atomic::{AtomicUsize, Ordering};

static PASSED: AtomicUsize = AtomicUsize::new(0);

/// Marks a place where the process may end.
pub fn point(place: &str) {
    if is_due(place) {
        abort();
    }
}

/// Marks a place where the process may end in the middle of a write.
pub fn tear(file: &mut File, bytes: &[u8]) {
    if is_due("torn_write") {
        let _ = file.write_all(&bytes[..bytes.len() / 2]).and_then(|()| file.sync_data());
        abort();
    }
}

fn is_due(place: &str) -> bool {
    if !cfg!(all(feature = "crash-points", debug_assertions)) {
        return false;
    }
    let Ok(wanted) = env::var("LINKS_TEST_CRASH") else { return false };
    let (name, number) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    (name == place || name == "any")
        && number.parse() == Ok(PASSED.fetch_add(1, Ordering::Relaxed) + 1)
}
