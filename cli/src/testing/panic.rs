//! Panic on request, for tests. Not part of release builds.

use crate::env_vars;

/// Panics with the text in `LINKS_TEST_PANIC`, if it is set.
pub(crate) fn panic_if_asked() {
    if let Ok(text) = std::env::var(env_vars::TEST_PANIC) {
        panic!("{text}");
    }
}
