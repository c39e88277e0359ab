//! Test hooks in debug builds: a clock that does not wait, and a check of the file sandbox.

pub(crate) mod clock;
pub(crate) mod probe;
