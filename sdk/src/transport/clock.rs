//! Clock, passed in: the only file that uses the runtime's clock.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place where the clock that is passed around comes from"
)]

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

/// Clock of the client, which also waits. Pass your own to test without waiting.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Returns the time since an arbitrary moment. It never goes back.
    fn monotonic(&self) -> Duration;

    /// Returns the wall clock time, to compare with dates from the service.
    fn wall(&self) -> SystemTime;

    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Completes when [`Clock::monotonic`] has reached this time. It is used for time limits. Nobody waits for it, so a clock that moves
    /// when somebody sleeps must not move for it. The provided method uses tokio's timer.
    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(time.saturating_sub(self.monotonic())))
    }
}

/// The clock of this machine, and tokio's timer.
///
/// All clocks of a process show the same monotonic time, so clients that share a pacer can each have their own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock(());

impl SystemClock {
    /// Returns the clock.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Zero of the monotonic time.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        EPOCH.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
