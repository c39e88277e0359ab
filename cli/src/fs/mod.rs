//! Access to the file system: private files, atomic writes, locks, and the limits that a command sets itself.

pub(crate) mod atomic;
pub(crate) mod lock;
pub(crate) mod private;
