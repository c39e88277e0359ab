//! Admission by the rate limits: first come, first served, with no wait longer than the call allows.
//!
//! Calls queue in front of the pacer. A pacer only tells how long to wait, and of many calls that ask again at that moment an arbitrary one
//! would be admitted. A head of a line that does not take its next step, because nobody polls its call, is passed: the pacer keeps the limits
//! without the line.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::yield_now;

use super::exchange::{CallFailure, CallOptions};
use super::pacing::{MustWait, NotAdmitted, PacerNote, Ticket, WaitReason, poll_once};
use super::shared::{Place, QueueGuard, Shared, note_due};
use crate::operation::{Bucket, Operation};

/// Time in which the limit of a second counts.
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Time for which a request may wait after it was admitted. It is shorter than the one for which a request under way counts.
const LONGEST_HOLD: Duration = Duration::from_secs(5);
/// Time for which a pacer may think while its request is the head of a line.
const LONGEST_ANSWER: Duration = Duration::from_secs(5);
/// Time by which the head of a line may be late for its next step before it is passed.
const LATENESS: Duration = SECOND;

/// A request that the pacer has admitted; settled when it is answered or given up.
pub(crate) struct AdmittedRequest<'a> {
    shared: &'a Shared,
    ticket: Ticket,
    /// Time at which it was admitted, or taken over by who sends it.
    since: Duration,
    is_settled: bool,
}

impl AdmittedRequest<'_> {
    /// Settles the request.
    pub(super) async fn settle(mut self) {
        self.note_settled().await;
        self.is_settled = true;
    }

    /// Notes that the request counts from now. It is settled again when it is answered.
    async fn note_settled(&self) {
        self.shared.pacer.note(PacerNote::Settled(self.ticket), &*self.shared.clock).await;
    }

    /// Returns whether it has waited for too long to be sent: it will not count any more by the time at which the service counts it.
    pub(crate) fn is_old(&self) -> bool {
        self.shared.clock.passed().saturating_sub(self.since) > LONGEST_HOLD
    }

    /// Returns the ticket of a request that is sent under it, and settled by who sends it.
    pub(crate) fn into_ticket(mut self) -> Ticket {
        self.is_settled = true;
        self.ticket
    }
}

/// A call that is dropped cannot wait for the pacer: its request is settled at once, if the pacer asks nobody, else in a task of the
/// runtime. Without a runtime the pacer counts the request as under way until it must have been counted.
impl Drop for AdmittedRequest<'_> {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let Shared { pacer, clock, .. } = self.shared;
        let (pacer, clock, ticket) = (pacer.clone(), clock.clone(), self.ticket);
        let settled =
            Box::pin(async move { pacer.note(PacerNote::Settled(ticket), &*clock).await });
        if let Err(settled) = poll_once(settled)
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(settled);
        }
    }
}

impl Shared {
    /// Returns the admitted request of a ticket.
    pub(super) fn admitted(&self, ticket: Ticket) -> AdmittedRequest<'_> {
        let since = self.clock.passed();
        AdmittedRequest { shared: self, ticket, since, is_settled: false }
    }

    /// Waits until the limits admit one more request.
    pub(super) async fn admit(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<AdmittedRequest<'_>, CallFailure> {
        let of_bucket = match operation.bucket {
            Bucket::General => None,
            bucket => Some(self.head_of_line(bucket, None, operation, options).await?),
        };
        self.admit_in_line(&mut None, of_bucket.as_ref(), operation, options).await
    }

    /// Waits until the limits admit one more request, in the line of all requests. The head of the line is kept for the next one. The request
    /// may also be the head of its bucket's line.
    async fn admit_in_line<'a>(
        &'a self,
        head: &mut Option<QueueGuard<'a>>,
        of_bucket: Option<&QueueGuard<'a>>,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<AdmittedRequest<'a>, CallFailure> {
        while !self.stop.is_cancelled() && !options.time_left(&*self.clock).is_zero() {
            if head.is_none() {
                *head =
                    Some(self.head_of_line(Bucket::General, of_bucket, operation, options).await?);
            }
            let due = self.clock.monotonic().saturating_add(LONGEST_ANSWER);
            note_due(head.iter().chain(of_bucket), due);
            let admitted = self.pacer.admit(operation.bucket, &*self.clock);
            let admitted = self.within(options.until, admitted).await?;
            note_due(head.iter().chain(of_bucket), self.clock.monotonic());
            match admitted {
                Ok(ticket) => return Ok(self.admitted(ticket)),
                Err(NotAdmitted::Failed(error)) => return Err(CallFailure::Pacer(error)),
                Err(NotAdmitted::Wait(wait)) if options.is_too_long(wait, &*self.clock) => {
                    return Err(CallFailure::Deadline(wait));
                }
                Err(NotAdmitted::Wait(wait)) => {
                    // Requests of other buckets need not wait for this.
                    if let WaitReason::AnalyticsPerMinute(_) | WaitReason::MusicPerMinute(_) =
                        wait.reason
                    {
                        *head = None;
                    }
                    let due = self.clock.monotonic().saturating_add(wait.duration);
                    note_due(head.iter().chain(of_bucket), due);
                    self.sleep(operation, wait).await;
                }
            }
        }
        Err(CallFailure::PASSED)
    }

    /// Returns how long a request would wait at least, if the pacer can tell before the deadline.
    async fn forecast(
        &self,
        bucket: Bucket,
        ahead: usize,
        options: &CallOptions,
    ) -> Option<MustWait> {
        let forecast = self.pacer.forecast(bucket, ahead, &*self.clock);
        self.within(options.until, forecast).await.ok().flatten()
    }

    /// Waits until all earlier calls have been admitted or have given up.
    async fn head_of_line<'a>(
        &'a self,
        bucket: Bucket,
        of_bucket: Option<&QueueGuard<'a>>,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<QueueGuard<'a>, CallFailure> {
        let head = match self.queue[bucket as usize].enter().try_acquire() {
            Ok(head) => head,
            // Boxed, because few calls wait.
            Err(place) => {
                Box::pin(self.wait_in_line(place, bucket, of_bucket, operation, options)).await?
            }
        };
        note_due([&head], self.clock.monotonic());
        Ok(head)
    }

    async fn wait_in_line<'a>(
        &'a self,
        place: Place<'a>,
        bucket: Bucket,
        of_bucket: Option<&QueueGuard<'a>>,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<QueueGuard<'a>, CallFailure> {
        let clock = &*self.clock;
        let forecast = self.forecast(bucket, place.ahead, options);
        let mut head = Box::pin(place.acquire());
        let forecast = tokio::select! {
            biased;
            // First, so that the call has its place in the line, whatever time the pacer takes.
            guard = &mut head => return Ok((place, Some(guard))),
            forecast = forecast => forecast,
        };
        if let Some(wait) = forecast {
            if options.is_too_long(wait, clock) {
                return Err(CallFailure::Deadline(wait));
            }
            if !wait.duration.is_zero() {
                self.report_wait(operation, wait);
            }
        }
        self.waits.fetch_add(1, Ordering::Relaxed);
        let longest = clock.monotonic().saturating_add(options.max_wait.unwrap_or(Duration::MAX));
        let until = longest.min(options.until);
        loop {
            let late = place.due().saturating_add(LATENESS);
            // The head of a bucket is on time as long as the head of the line is.
            note_due(of_bucket, late);
            tokio::select! {
                biased;
                guard = &mut head => return Ok((place, Some(guard))),
                () = clock.until(late.min(until)) => {}
            }
            if clock.monotonic() >= until {
                break;
            }
            // A head that wakes up at this moment takes its step first.
            yield_now().await;
            if clock.monotonic() >= place.due().saturating_add(LATENESS) {
                return Ok((place, None));
            }
        }
        // Its place goes to the next call, whatever time the pacer takes.
        drop((head, place));
        let wait = self.forecast(bucket, 0, options).await;
        // Without a wait, the limits are not the reason.
        let wait = wait.filter(|wait| !wait.duration.is_zero());
        Err(wait.map_or(CallFailure::PASSED, CallFailure::Deadline))
    }

    /// Waits until there is a token and the limits admit a request of this operation. It counts as under way from now on.
    pub(crate) async fn reserve(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<AdmittedRequest<'_>, CallFailure> {
        self.token(operation, options.until).await?;
        self.admit(operation, options).await
    }

    /// Waits until there is a token and the limits admit two requests that are sent one right after the other; only one where one request a second is allowed.
    /// No other call of the client is admitted between the two: with others in line, the first place would be too old by the time of the
    /// second.
    pub(crate) async fn reserve_two(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
    ) -> Result<(AdmittedRequest<'_>, Option<AdmittedRequest<'_>>), CallFailure> {
        self.token(operation, options.until).await?;
        let at_once = CallOptions { max_wait: Some(Duration::ZERO), ..options.clone() };
        let head = &mut None;
        let mut first = self.admit_in_line(head, None, operation, options).await?;
        for is_last in [false, true] {
            let reserved_at = self.clock.passed();
            let reason = match self.admit_in_line(head, None, operation, &at_once).await {
                Ok(second) => return Ok((first, Some(second))),
                Err(CallFailure::Deadline(wait)) if wait.reason == WaitReason::PerSecond(1) => {
                    break;
                }
                Err(CallFailure::Deadline(wait)) => wait.reason,
                Err(failure) => return Err(failure),
            };
            // Machines whose first requests were all under way until the second ones are admitted would wait for each other.
            self.within(options.until, first.note_settled()).await?;
            let second = self.admit_in_line(head, None, operation, options).await?;
            let waited = self.clock.passed().saturating_sub(reserved_at);
            let is_old = waited >= SECOND;
            if waited >= MINUTE {
                // The first place counts no more.
                first.into_ticket();
                return Ok((second, None));
            }
            // After a 429 it is always a second later.
            if is_last || !is_old || reason == WaitReason::TooManyRequests {
                self.within(options.until, first.note_settled()).await?;
                return Ok((first, Some(second)));
            }
            // The first place has left the limit of a second: it is not used.
            first.into_ticket();
            first = second;
        }
        Ok((first, None))
    }
}
