//! Test hooks in debug builds: a clock that does not wait, a check of the file sandbox, a network, a panic, and commands of several machines in
//! one process.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use links_sdk::{ClientBuilder, Clock, SystemClock};

use crate::env_vars;

/// What a command has instead of the environment, the clock and the network of its process.
#[derive(Clone)]
pub struct Machine {
    /// Variables of the environment.
    pub variables: Arc<BTreeMap<String, String>>,
    /// Clock.
    pub clock: Arc<dyn Clock>,
    /// Answers a request. If it unwinds, the command ends there.
    pub answer: Arc<dyn Fn(http::Request<Bytes>) -> http::Response<Bytes> + Send + Sync>,
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Machine(..)")
    }
}

thread_local! {
    /// The machine of this thread, and what a command on it has printed.
    static MACHINE: RefCell<Option<(Machine, [Vec<u8>; 2])>> = const { RefCell::new(None) };
}

/// Makes this thread a simulated machine.
pub(crate) fn begin(machine: Machine) {
    MACHINE.set(Some((machine, <[Vec<u8>; 2]>::default())));
}

/// Returns what was printed on the simulated machine since it began: stdout and stderr.
pub(crate) fn end() -> [Vec<u8>; 2] {
    MACHINE.take().map(|(_, printed)| printed).unwrap_or_default()
}

/// Tells whether this thread is a simulated machine.
pub(crate) fn is_simulated() -> bool {
    MACHINE.with_borrow(Option::is_some)
}

/// Returns the variables of the simulated machine; `None` if this thread is none.
pub(crate) fn variables() -> Option<Arc<BTreeMap<String, String>>> {
    MACHINE.with_borrow(|it| it.as_ref().map(|(machine, _)| machine.variables.clone()))
}

/// Adds to the output of the simulated machine, if there is one: 0 is stdout, 1 is stderr.
pub(crate) fn capture(stream: usize, bytes: &[u8]) -> bool {
    MACHINE.with_borrow_mut(|simulated| match simulated {
        Some((_, outputs)) => {
            outputs[stream].extend_from_slice(bytes);
            true
        }
        None => false,
    })
}

/// System clock that every wait moves forward instead of waiting.
#[derive(Debug, Default)]
struct FakeClock {
    clock: SystemClock,
    skipped: Mutex<Duration>,
}

impl FakeClock {
    fn skipped(&self) -> Duration {
        *self.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for FakeClock {
    fn monotonic(&self) -> Duration {
        self.clock.monotonic() + self.skipped()
    }

    fn wall(&self) -> SystemTime {
        self.clock.wall() + self.skipped()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        *self.skipped.lock().unwrap_or_else(PoisonError::into_inner) += duration;
        Box::pin(std::future::ready(()))
    }
}

/// Returns the clock of the simulated machine, or the one that does not wait, if `LINKS_TEST_NO_WAIT` is set.
pub(crate) fn clock() -> Option<Arc<dyn Clock>> {
    let simulated = MACHINE.with_borrow(|it| it.as_ref().map(|(machine, _)| machine.clock.clone()));
    if simulated.is_some() {
        return simulated;
    }
    std::env::var_os(env_vars::TEST_NO_WAIT).map(|_| Arc::new(FakeClock::default()) as _)
}

/// Sets the clock of a client, if there is a test clock.
pub(crate) fn with_test_clock(builder: ClientBuilder) -> ClientBuilder {
    let builder = match clock() {
        Some(clock) => builder.clock(clock),
        None => builder,
    };
    let answer = MACHINE.with_borrow(|it| it.as_ref().map(|(machine, _)| machine.answer.clone()));
    match answer {
        Some(answer) => builder.in_process(move |request| answer(request)),
        None => builder,
    }
}

/// Tells what `LINKS_TEST_ONLINE` says: whether there is a network. `None` if the variable is not set.
pub(crate) fn is_online() -> Option<bool> {
    std::env::var(env_vars::TEST_ONLINE).ok().map(|text| text == "1")
}

/// Panics with the text in `LINKS_TEST_PANIC`, if it is set.
pub(crate) fn panic_if_asked() {
    if let Ok(text) = std::env::var(env_vars::TEST_PANIC) {
        panic!("{text}");
    }
}

/// Tells whether the file in `LINKS_TEST_PROBE` can be opened; `None` if the variable is not set.
pub(crate) fn is_probe_open() -> Option<bool> {
    std::env::var_os(env_vars::TEST_PROBE).map(|path| File::open(path).is_ok())
}
