//! Admission by the rate limits: first come, first served, with no wait longer than the call allows.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::call_result::CallFailure;
use super::options::CallOptions;
use super::pacing::queue::{Place, QueueGuard};
use super::pacing::{MustWait, Ticket, WaitReason};
use super::reservation::Reservation;
use super::shared::Shared;
use crate::operation::{Bucket, Operation};

/// A request that the pacer has admitted; settled when it is answered or given up.
pub(super) struct AdmittedRequest<'a> {
    shared: &'a Shared,
    ticket: Ticket,
}

impl Drop for AdmittedRequest<'_> {
    fn drop(&mut self) {
        self.shared.pacer.settle(self.ticket, &*self.shared.clock);
    }
}

impl AdmittedRequest<'_> {
    pub(super) fn ticket(&self) -> Ticket {
        self.ticket
    }
}

impl Shared {
    /// Returns the admitted request of a ticket.
    pub(super) fn admitted(&self, ticket: Ticket) -> AdmittedRequest<'_> {
        AdmittedRequest { shared: self, ticket }
    }

    /// Admits one more request now, if no other call is ahead and the limits allow it.
    pub(super) fn try_admit(
        &self,
        operation: &'static Operation,
    ) -> Result<AdmittedRequest<'_>, MustWait> {
        let _head_of_bucket = match operation.bucket {
            Bucket::General => None,
            bucket => Some(self.try_head_of_line(bucket)?),
        };
        let _head = self.try_head_of_line(Bucket::General)?;
        Ok(self.admitted(self.pacer.admit(operation.bucket, &*self.clock)?))
    }

    fn try_head_of_line(&self, bucket: Bucket) -> Result<QueueGuard<'_>, MustWait> {
        self.queue.line(bucket).enter().try_acquire().map_err(|place| {
            let forecast = self.pacer.forecast(bucket, place.ahead, &*self.clock);
            forecast.unwrap_or(MustWait { duration: Duration::ZERO, reason: WaitReason::Retry })
        })
    }

    /// Waits until the limits admit one more request.
    pub(super) async fn admit(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<AdmittedRequest<'_>, CallFailure> {
        let _head_of_bucket = match operation.bucket {
            Bucket::General => None,
            bucket => Some(self.head_of_line(bucket, operation, options).await?),
        };
        let mut head = None;
        while !options.time_left(&*self.clock).is_zero() {
            if head.is_none() {
                head = Some(self.head_of_line(Bucket::General, operation, options).await?);
            }
            match self.pacer.admit(operation.bucket, &*self.clock) {
                Ok(ticket) => return Ok(self.admitted(ticket)),
                Err(MustWait { duration: wait, reason })
                    if options.is_too_long(wait, reason, &*self.clock) =>
                {
                    return Err(CallFailure::Deadline { wait, reason });
                }
                Err(MustWait { duration, reason }) => {
                    if reason.is_of_one_bucket() {
                        head = None;
                    }
                    self.sleep(operation, duration, reason).await;
                }
            }
        }
        Err(CallFailure::Deadline { wait: Duration::ZERO, reason: WaitReason::Retry })
    }

    /// Waits until all earlier calls have been admitted or have given up.
    async fn head_of_line(
        &self,
        bucket: Bucket,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<QueueGuard<'_>, CallFailure> {
        match self.queue.line(bucket).enter().try_acquire() {
            Ok(head) => Ok(head),
            // Boxed, because few calls wait.
            Err(place) => Box::pin(self.wait_in_line(place, bucket, operation, options)).await,
        }
    }

    async fn wait_in_line<'a>(
        &'a self,
        place: Place<'a>,
        bucket: Bucket,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<QueueGuard<'a>, CallFailure> {
        let clock = &*self.clock;
        if let Some(MustWait { duration: wait, reason }) =
            self.pacer.forecast(bucket, place.ahead, clock)
        {
            if options.is_too_long(wait, reason, clock) {
                return Err(CallFailure::Deadline { wait, reason });
            }
            if !wait.is_zero() {
                self.observer.waiting(operation.id, wait, reason);
            }
        }
        self.waits.fetch_add(1, Ordering::Relaxed);
        let longest = options.time_left(clock).min(options.max_wait.unwrap_or(Duration::MAX));
        tokio::select! {
            biased;
            head = place.acquire() => Ok(head),
            () = clock.sleep(longest) => {
                let wait = self.pacer.forecast(bucket, 0, clock);
                let (wait, reason) =
                    wait.map_or((Duration::ZERO, WaitReason::Retry), |it| (it.duration, it.reason));
                Err(CallFailure::Deadline { wait, reason })
            }
        }
    }

    /// Waits until the limits admit a request of this operation.
    pub(crate) async fn reserve(
        self: &Arc<Self>,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<Reservation, CallFailure> {
        let ticket = self.admit(operation, options).await?.ticket();
        // The reservation counts from now until its request is sent, and is then settled again.
        Ok(Reservation::new(self.clone(), ticket))
    }
}
