//! A clock that is moved by those who wait for it.

use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;

use crate::Clock;

/// A clock for tests: it stands still, and whoever waits moves it on and goes on at once.
///
/// Tasks that wait at the same time each move it. Pass it to [`ClientBuilder::clock`](crate::ClientBuilder::clock).
///
/// ```
/// use std::time::Duration;
///
/// use links_sdk::Clock;
/// use links_sdk::testing::TestClock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = TestClock::new();
/// let noon = clock.wall();
/// clock.sleep(Duration::from_secs(3600)).await;
/// assert_eq!(clock.wall(), noon + Duration::from_secs(3600));
/// assert_eq!(clock.slept(), [Duration::from_secs(3600)]);
/// # }
/// ```
pub struct TestClock {
    start: SystemTime,
    now: Box<dyn Fn() -> SystemTime + Send + Sync>,
    advance: Box<dyn Fn(Duration) + Send + Sync>,
    slept: Mutex<Vec<Duration>>,
    moved: Notify,
}

impl TestClock {
    /// Returns a clock that shows 15 January 2027.
    pub fn new() -> Self {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let time = Arc::new(Mutex::new(start));
        let shown = time.clone();
        Self::shared(move || *locked(&shown), move |by| *locked(&time) += by)
    }

    /// Returns a clock that shows and moves the time of something else, such as that of the contract server:
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use links_sdk::testing::TestClock;
    ///
    /// let of_server = links_fixtures::Clock::manual(SystemTime::UNIX_EPOCH);
    /// let shown = of_server.clone();
    /// let clock = TestClock::shared(move || shown.now(), move |by| of_server.advance(by));
    /// # drop(clock);
    /// ```
    pub fn shared(
        now: impl Fn() -> SystemTime + Send + Sync + 'static,
        advance: impl Fn(Duration) + Send + Sync + 'static,
    ) -> Self {
        let (now, advance) = (Box::new(now), Box::new(advance));
        Self { start: now(), now, advance, slept: Mutex::default(), moved: Notify::new() }
    }

    /// Moves the clock on, as if time had passed between two calls. A call that is under way and has passed its deadline ends.
    pub fn advance(&self, by: Duration) {
        (self.advance)(by);
        self.moved.notify_waiters();
    }

    /// Returns every wait so far, such as those before a retry and those for the rate limits.
    pub fn slept(&self) -> Vec<Duration> {
        locked(&self.slept).clone()
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TestClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClock").field("now", &self.wall()).finish_non_exhaustive()
    }
}

impl Clock for TestClock {
    fn monotonic(&self) -> Duration {
        self.wall().duration_since(self.start).unwrap_or_default()
    }

    fn wall(&self) -> SystemTime {
        (self.now)()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        locked(&self.slept).push(duration);
        self.advance(duration);
        Box::pin(ready(()))
    }

    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            loop {
                let moved = self.moved.notified();
                if self.monotonic() >= time {
                    return;
                }
                moved.await;
            }
        })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
