//! Clock, passed in: the only file that uses the runtime's clock.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place where the clock that is passed around comes from"
)]

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use futures_util::future::BoxFuture;

/// Clock of the client, which also waits. Pass your own to test without waiting.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Returns the time since an arbitrary moment. It never goes back. Deadlines go by it, so on most systems a call does not fail because the
    /// machine was suspended.
    fn monotonic(&self) -> Duration;

    /// Returns the time for which the machine was suspended, as far as [`Clock::monotonic`] does not count it. It never goes back. The
    /// provided method returns zero.
    fn asleep(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the wall clock time, to compare with dates from the service.
    fn wall(&self) -> SystemTime;

    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;

    /// Completes when [`Clock::monotonic`] has reached this time. It is used for time limits. Nobody waits for it, so a clock that moves
    /// when somebody sleeps must not move for it. The provided method uses tokio's timer.
    fn until(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time.saturating_sub(self.monotonic())))
    }
}

impl dyn Clock + '_ {
    /// Returns the time that has passed for the service since an arbitrary moment, whether this machine was suspended or not.
    pub(crate) fn passed(&self) -> Duration {
        self.monotonic().saturating_add(self.asleep())
    }
}

/// The clock of this machine, and tokio's timer. A wait ends at most half a minute late if the machine is suspended meanwhile.
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

/// Zero of the monotonic time, by both clocks of the system.
static EPOCH: LazyLock<(Instant, Duration)> = LazyLock::new(|| (Instant::now(), with_sleep()));

/// Longest time for which tokio's timer, which stands still while the machine is suspended, is waited for at once.
const NAP: Duration = Duration::from_secs(30);

/// Returns the time of a clock of the system that also runs while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn with_sleep() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_vendor = "apple")]
    const ID: ClockId = ClockId::Monotonic;
    #[cfg(not(target_vendor = "apple"))]
    const ID: ClockId = ClockId::Boottime;
    clock_gettime(ID).try_into().unwrap_or_default()
}

/// Elsewhere, `Instant` runs all the time, or nothing is known.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn with_sleep() -> Duration {
    Duration::ZERO
}

/// Waits for a time, from which the time is taken off for which the machine was suspended meanwhile.
async fn wait(time: Duration, asleep: impl Fn() -> Duration) {
    let (mut left, before) = (time, asleep());
    let mut awake = Duration::ZERO;
    while !left.is_zero() {
        let nap = left.min(NAP);
        tokio::time::sleep(nap).await;
        awake += nap;
        left = time.saturating_sub(awake).saturating_sub(asleep().saturating_sub(before));
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        EPOCH.0.elapsed()
    }

    fn asleep(&self) -> Duration {
        /// The most that was seen, in microseconds. The two clocks are not read at the same moment.
        static SEEN: AtomicU64 = AtomicU64::new(0);
        let (start, start_with_sleep) = *EPOCH;
        // In this order: what passes between the two makes the difference less, never more.
        let all = with_sleep().saturating_sub(start_with_sleep);
        let asleep = all.saturating_sub(start.elapsed()).as_micros();
        let asleep = u64::try_from(asleep).unwrap_or(u64::MAX);
        Duration::from_micros(SEEN.fetch_max(asleep, Ordering::Relaxed).max(asleep))
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(wait(duration, || self.asleep()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// Returns how long a wait takes for a machine that is suspended for eight hours at a time of it.
    async fn waited(time: Duration, suspended_at: Duration) -> Duration {
        let start = Instant::now();
        wait(time, || if start.elapsed() > suspended_at { 8 * HOUR } else { Duration::ZERO }).await;
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_soon_after_the_machine_was_suspended() {
        let second = Duration::from_secs(1);
        assert_eq!(waited(HOUR, HOUR).await, HOUR);
        for at in [second, 29 * second, 31 * second, HOUR / 2, 3599 * second] {
            let waited = waited(HOUR, at).await;
            assert!(waited >= at && waited <= at + NAP, "suspended at {at:?}: {waited:?}");
        }
        assert_eq!(waited(second, second / 2).await, second);
        assert_eq!(waited(Duration::ZERO, Duration::ZERO).await, Duration::ZERO);
    }

    #[test]
    fn the_machine_was_awake() {
        let clock: &dyn Clock = &SystemClock::new();
        let (before, asleep) = (clock.passed(), clock.asleep());
        assert!(asleep < Duration::from_secs(1), "{asleep:?}");
        assert!(clock.passed() >= before && clock.asleep() >= asleep);
    }
}
