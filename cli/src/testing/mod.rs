//! Test hooks in debug builds: a clock that does not wait, a check of the file sandbox, and a panic.

pub(crate) mod clock;
pub(crate) mod panic;
pub(crate) mod probe;
