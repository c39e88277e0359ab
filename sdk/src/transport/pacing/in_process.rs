//! Pacing for the clients of one process: the log in memory, by a monotonic clock.

use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::log::RequestLog;
use super::{MustWait, NotAdmitted, Pacer, PacerFuture, RateLimits, Ticket};
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
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        let admitted = self.log().admit(self.ceiling, bucket, clock.monotonic());
        Box::pin(ready(admitted.map_err(NotAdmitted::Wait)))
    }

    fn settle<'a>(&'a self, ticket: Ticket, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.log().settle(ticket, clock.monotonic());
        Box::pin(ready(()))
    }

    fn block<'a>(&'a self, wait: Duration, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.log().block(wait, clock.monotonic());
        Box::pin(ready(()))
    }

    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        let wait = self.log().forecast(self.ceiling, bucket, ahead, clock.monotonic());
        Box::pin(ready(Some(wait)))
    }

    fn learn<'a>(&'a self, limits: RateLimits, _: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.log().learned = Some(limits);
        Box::pin(ready(()))
    }

    fn remaining(&self, clock: &dyn Clock) -> Option<usize> {
        Some(self.log().remaining(self.ceiling, clock.monotonic()))
    }
}
