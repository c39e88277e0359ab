//! Test hooks in debug builds: a clock that does not wait, a check of the file sandbox, a network, and a panic.

pub(crate) mod clock;
pub(crate) mod network;
pub(crate) mod panic;
pub(crate) mod probe;
