//! Commands of several machines in one process, for a simulation: debug builds only.

use std::any::Any;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::apply::sync::{history, lock_store};
pub use crate::testing::Machine;
use crate::{app, git, testing};

/// What a command on a [`Machine`] has printed, and its exit code if it came to its end.
#[derive(Debug)]
pub struct Ran {
    /// Exit code, or what the command was unwound with.
    pub exit: Result<u8, Box<dyn Any + Send>>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
}

/// Runs a command on a machine: on this thread, in its current directory. Arguments begin with the name of the program.
pub fn run(machine: Machine, args: &[OsString]) -> Ran {
    git::renew_time();
    testing::begin(machine);
    let exit = catch_unwind(AssertUnwindSafe(|| app::execute(args, None).code()));
    let [out, err] = testing::end();
    Ran { exit, out, err }
}

/// Forgets what commands of this process know of the files beneath a directory.
pub fn forget(directory: &Path) {
    git::forget(directory);
    history::forget(directory);
    lock_store::forget(directory);
}
