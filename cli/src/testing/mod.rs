//! Hooks for tests in debug builds: a clock that does not wait, places to end the process, and a check of the sandbox of files.

pub(crate) mod clock;
pub(crate) mod probe;
