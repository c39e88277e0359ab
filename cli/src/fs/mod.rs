//! File system access: named files, private files, atomic writes and locks.

pub(crate) mod atomic;
pub(crate) mod lock;
pub(crate) mod named;
pub(crate) mod private;
