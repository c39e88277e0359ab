//! File system access: private files, atomic writes and locks.

pub(crate) mod atomic;
pub(crate) mod lock;
pub(crate) mod private;
