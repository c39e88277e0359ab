//! Test hooks in debug builds: a clock that does not wait, a check of the file sandbox, and a panic.

pub(crate) mod clock;
pub(crate) mod probe;

/// Panics with the text in `LINKS_TEST_PANIC`, if it is set.
pub(crate) fn panic_if_asked() {
    if let Ok(text) = std::env::var(crate::env_vars::TEST_PANIC) {
        panic!("{text}");
    }
}
