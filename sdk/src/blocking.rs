//! Work that would block an executor's thread: files, and locks that other processes hold.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::spawn_blocking;

use crate::transport::clock::{Clock, SystemClock};

/// Runs work on a thread that may block. Work that has begun ends, even if nobody waits for it any more.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime shuts down and drops this future next.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Locks a mutex whose value is whole whenever it is unlocked, even by a panic.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits between two attempts to take a lock that another process holds.
///
/// A system call that waits for the lock would keep a thread as long as the other process likes, and the runtime could not shut down. The
/// waits are real ones, whatever clock the client has: another process does not go by the clock of a test.
#[derive(Debug)]
pub struct LockRetry {
    next: Duration,
    waited: Duration,
}

impl Default for LockRetry {
    fn default() -> Self {
        Self { next: Self::FIRST, waited: Duration::ZERO }
    }
}

impl LockRetry {
    /// Most holders take less than a millisecond.
    const FIRST: Duration = Duration::from_millis(1);
    const LONGEST: Duration = Duration::from_millis(50);

    /// Waits before the next attempt.
    pub async fn pause(&mut self) {
        SystemClock::new().sleep(self.wait()).await;
    }

    /// Returns the time to wait before the next attempt.
    pub fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.waited += wait;
        self.next = (wait * 2).min(Self::LONGEST);
        wait
    }

    /// Returns the total of the waits so far.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}
