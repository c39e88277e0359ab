//! Clocks of the client and of the service under test. Sleeping moves them on; somebody can set that of the client, or suspend its machine.

use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use links_fixtures::Clock as ServiceClock;
use links_sdk::Clock;
use links_sdk::testing::TestClock;

/// Returns a clock for the client, and the one of the contract server, whose time it shares.
pub fn shared_clock() -> (Arc<TestClock>, ServiceClock) {
    let service = ServiceClock::manual(SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000));
    let (shown, moved) = (service.clone(), service.clone());
    (Arc::new(TestClock::shared(move || shown.now(), move |by| moved.advance(by))), service)
}

/// Longest time for which the system's clock waits without looking how long the machine was suspended.
const NAP: Duration = Duration::from_secs(30);

/// Clock of a machine that somebody sets or suspends, as a system shows it: only its time of day jumps, and its monotonic time stands still
/// while it is suspended.
#[derive(Debug)]
pub struct MachineClock {
    time: Arc<TestClock>,
    /// Seconds by which its time of day is wrong.
    set: AtomicI64,
    /// Seconds for which it was suspended.
    asleep: AtomicU64,
    /// Waits that are left until one during which it is suspended, and for how long.
    suspension: Mutex<Option<(usize, Duration)>>,
}

impl MachineClock {
    /// Returns the clock of a machine for which this time passes.
    pub fn new(time: Arc<TestClock>) -> Arc<Self> {
        let (set, asleep) = Default::default();
        Arc::new(Self { time, set, asleep, suspension: Mutex::default() })
    }

    /// Sets the time of day wrong by this many seconds.
    pub fn set(&self, seconds: i64) {
        self.set.store(seconds, Ordering::Relaxed);
    }

    /// Suspends the machine for some whole seconds.
    pub fn suspend(&self, time: Duration) {
        self.asleep.fetch_add(time.as_secs(), Ordering::Relaxed);
        self.time.advance(time);
    }

    /// Suspends the machine in the middle of a later wait, after `waits` others.
    pub fn suspend_in_wait(&self, waits: usize, time: Duration) {
        *self.suspension.lock().unwrap() = Some((waits, time));
    }

    /// Returns whether the wait during which the machine is to be suspended has not come.
    pub fn is_to_be_suspended(&self) -> bool {
        self.suspension.lock().unwrap().is_some()
    }

    /// Returns the time for which the machine is suspended during the wait that begins now, if it is.
    fn next_suspension(&self) -> Option<Duration> {
        let mut planned = self.suspension.lock().unwrap();
        let (waits, time) = planned.take()?;
        if let Some(left) = waits.checked_sub(1) {
            *planned = Some((left, time));
            return None;
        }
        Some(time)
    }
}

impl Clock for MachineClock {
    fn monotonic(&self) -> Duration {
        self.time.monotonic().saturating_sub(self.asleep())
    }

    fn asleep(&self) -> Duration {
        Duration::from_secs(self.asleep.load(Ordering::Relaxed))
    }

    fn wall(&self) -> SystemTime {
        let set = self.set.load(Ordering::Relaxed);
        let by = Duration::from_secs(set.unsigned_abs());
        if set < 0 { self.time.wall() - by } else { self.time.wall() + by }
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let Some(suspended) = self.next_suspension() else { return self.time.sleep(duration) };
        Box::pin(async move {
            let half = duration / 2;
            self.time.sleep(half).await;
            self.suspend(suspended);
            // The timer is late by what it still waits for when the machine wakes up.
            self.time.sleep(half.saturating_sub(suspended).max(half.min(NAP))).await;
        })
    }

    fn until(&self, time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            while self.monotonic() < time {
                self.time.until(time.saturating_add(self.asleep())).await;
            }
        })
    }
}
