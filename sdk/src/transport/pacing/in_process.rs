//! Pacing for the clients of one process: the log in memory, by a monotonic clock.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::log::RequestLog;
use super::{MustWait, Pacer, RateLimits, Ticket};
use crate::operation::Bucket;
use crate::transport::clock::Clock;

/// A [`Pacer`] in memory.
#[derive(Debug, Default)]
pub struct InProcessPacer {
    ceiling: Option<RateLimits>,
    log: Mutex<RequestLog>,
}

impl InProcessPacer {
    /// Returns a pacer with these limits, and nothing sent yet. The limits are upper bounds: lower limits that the service reports are
    /// kept, higher ones are not used. [`InProcessPacer::default`] keeps within the limits of the interface, and then within those that the
    /// service reports.
    pub fn new(limits: RateLimits) -> Self {
        Self { ceiling: Some(limits), log: Mutex::default() }
    }

    fn log(&self) -> MutexGuard<'_, RequestLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pacer for InProcessPacer {
    fn admit(&self, bucket: Bucket, clock: &dyn Clock) -> Result<Ticket, MustWait> {
        self.log().admit(self.ceiling, bucket, clock.monotonic())
    }

    fn settle(&self, ticket: Ticket, clock: &dyn Clock) {
        self.log().settle(ticket, clock.monotonic());
    }

    fn block(&self, wait: Duration, clock: &dyn Clock) {
        self.log().block(wait, clock.monotonic());
    }

    fn forecast(&self, bucket: Bucket, ahead: usize, clock: &dyn Clock) -> Option<MustWait> {
        Some(self.log().forecast(self.ceiling, bucket, ahead, clock.monotonic()))
    }

    fn learn(&self, limits: RateLimits, _: &dyn Clock) {
        self.log().learned = Some(limits);
    }

    fn remaining(&self, clock: &dyn Clock) -> Option<usize> {
        Some(self.log().remaining(self.ceiling, clock.monotonic()))
    }
}
