//! Queue in front of the pacer: first come, first served. A pacer only tells how long to wait, and of many calls that ask again at that
//! moment an arbitrary one would be admitted.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Mutex, MutexGuard};

use crate::operation::Bucket;

/// Lines of waiting requests: one for all, and one for each bucket with a limit of its own, so that a wait for that limit does not delay
/// the others.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    general: WaitingLine,
    analytics: WaitingLine,
    music: WaitingLine,
}

/// Line of waiting requests: first come, first served. A request that stops waiting leaves the line.
#[derive(Debug, Default)]
pub(in crate::transport) struct WaitingLine {
    head: Mutex<()>,
    length: AtomicUsize,
}

/// A place in a line.
pub(in crate::transport) struct Place<'a> {
    line: &'a WaitingLine,
    /// Number of places ahead in the line.
    pub(in crate::transport) ahead: usize,
}

/// Head of a line, held until it is dropped.
pub(in crate::transport) struct QueueGuard<'a> {
    _place: Place<'a>,
    _guard: MutexGuard<'a, ()>,
}

impl Queue {
    /// Returns the line of a bucket.
    pub(in crate::transport) fn line(&self, bucket: Bucket) -> &WaitingLine {
        match bucket {
            Bucket::General => &self.general,
            Bucket::Analytics => &self.analytics,
            Bucket::Music => &self.music,
        }
    }
}

impl WaitingLine {
    pub(in crate::transport) fn enter(&self) -> Place<'_> {
        Place { line: self, ahead: self.length.fetch_add(1, Ordering::Relaxed) }
    }
}

impl<'a> Place<'a> {
    /// Takes the head of the line, if no place is ahead.
    pub(in crate::transport) fn try_acquire(self) -> Result<QueueGuard<'a>, Self> {
        match self.line.head.try_lock() {
            Ok(guard) => Ok(QueueGuard { _place: self, _guard: guard }),
            Err(_) => Err(self),
        }
    }

    /// Waits until all places ahead have been left, and takes the head of the line.
    pub(in crate::transport) async fn acquire(self) -> QueueGuard<'a> {
        let guard = self.line.head.lock().await;
        QueueGuard { _place: self, _guard: guard }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.line.length.fetch_sub(1, Ordering::Relaxed);
    }
}
