//! Places at which a test can end the process, as a power cut would. Only the feature `crash-points` arms them, which is for the tests of this
//! repository, and never in a release build.
//!
//! `LINKS_TEST_CRASH=before_send:3` ends it at the third `before_send`, `before_send` at the first, `any:3` at the third place of whatever
//! name. In a program that simulates machines, [`simulate`] sets the same, and the machine is unwound there.

use std::cell::Cell;
use std::env;
use std::fs::File;
use std::io::Write;
use std::panic::resume_unwind;
use std::process::abort;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::blocking::locked;

static PASSED: AtomicUsize = AtomicUsize::new(0);

/// The place at which the simulated machine ends.
static SIMULATED: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    /// Name of the simulated machine whose thread this is.
    static MACHINE: Cell<&'static str> = const { Cell::new("") };
}

/// Makes this thread that of a simulated machine, which knows nothing of the others in its process.
pub fn simulate_machine(name: &'static str) {
    MACHINE.set(name);
}

/// Returns the name of the simulated machine whose thread this is; nothing in any other program.
pub fn machine() -> &'static str {
    if cfg!(feature = "crash-points") { MACHINE.get() } else { "" }
}

/// Ends the simulated machine at this place, or nowhere.
pub fn simulate(place: Option<String>) {
    *locked(&SIMULATED) = place;
    PASSED.store(0, Ordering::Relaxed);
}

fn simulated() -> Option<String> {
    locked(&SIMULATED).clone()
}

fn end() -> ! {
    if simulated().is_some() {
        resume_unwind(Box::new(()));
    }
    abort()
}

/// Marks a place where the process may end.
pub fn point(place: &str) {
    if is_due(place) {
        end();
    }
}

/// Marks a place where the process may end in the middle of a write.
pub fn tear(file: &mut File, bytes: &[u8]) {
    if is_due("torn_write") {
        let _ = file.write_all(&bytes[..bytes.len() / 2]).and_then(|()| file.sync_data());
        end();
    }
}

fn is_due(place: &str) -> bool {
    if !cfg!(all(feature = "crash-points", debug_assertions)) {
        return false;
    }
    let Some(wanted) = simulated().or_else(|| env::var("LINKS_TEST_CRASH").ok()) else {
        return false;
    };
    let (name, number) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    (name == place || name == "any")
        && number.parse() == Ok(PASSED.fetch_add(1, Ordering::Relaxed) + 1)
}
