//! Clock that does not wait, for tests that run this program a thousand times. Not part of release builds.

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
