//! Test hooks in debug builds: a clock that does not wait, a check of the file sandbox, a network, and a panic.

use std::fs::File;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use links_sdk::{ClientBuilder, Clock, SystemClock};

use crate::env_vars;

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

/// Returns the clock that does not wait, if `LINKS_TEST_NO_WAIT` is set.
pub(crate) fn clock() -> Option<Arc<dyn Clock>> {
    std::env::var_os(env_vars::TEST_NO_WAIT).map(|_| Arc::new(FakeClock::default()) as _)
}

/// Sets the clock of a client, if there is a test clock.
pub(crate) fn with_test_clock(builder: ClientBuilder) -> ClientBuilder {
    match clock() {
        Some(clock) => builder.clock(clock),
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
