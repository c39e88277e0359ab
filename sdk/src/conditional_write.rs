//! Conditional writes: a write is sent only if what it overwrites is still as it was read.
//!
//! The service has no conditional requests. The nearest equivalent: a write is sent only right after a read that shows what it relies on.
//! During every wait (for the limits, after a 429, after a failure) another client may write, so it is followed by another read. The limits
//! admit a read and its write together, so that no wait comes between them.
//!
//! Where only one request a second is allowed, the two can never be sent together. The write then waits for the limits after its read, and
//! is sent if the read is not too old by then: such a service allows nothing better.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::client::Client;
use crate::error::Error;
use crate::error_kind::Outcome;
use crate::operation::Operation;
use crate::transport::pacing::WaitReason;
use crate::transport::retry::Evidence;
use crate::transport::write_tally::{OpenWrite, WriteRecord};
use crate::transport::{
    AttemptCounts, CallOptions, CallResult, Reservation, Shared, SingleAttempt,
};

/// Time of a read.
#[derive(Clone, Copy, Debug)]
pub struct ReadTime {
    waits: u64,
    read_at: Duration,
}

/// Age at which a read is too old, even without a wait: the machine slept, or a token took its time.
const GOOD_FOR: Duration = Duration::from_secs(5);

impl ReadTime {
    /// Returns the time of an answer that has just arrived.
    pub fn now(client: &Client) -> Self {
        let shared = &client.shared;
        Self { waits: shared.waits(), read_at: shared.clock.monotonic() }
    }

    /// Returns whether no other client had time to change what was read.
    pub fn is_fresh(self, client: &Client) -> bool {
        let shared = &client.shared;
        self.waits == shared.waits() && shared.clock.monotonic() <= self.expires()
    }

    fn expires(self) -> Duration {
        self.read_at.saturating_add(GOOD_FOR)
    }
}

/// A write that is sent only where a read shows what it relies on.
pub(crate) trait ConditionalWrite: Send {
    /// Result of a read.
    type Snapshot: Send;
    /// Result of the write.
    type Done: Send;

    /// Reads, within the reservation made for it.
    fn read(
        &mut self,
        place: Reservation,
    ) -> impl Future<Output = Result<Self::Snapshot, Error>> + Send;

    /// Compares the snapshot with what was read before. `in_doubt` tells whether the write may have been executed already.
    fn decide(&mut self, snapshot: Self::Snapshot, in_doubt: bool) -> WriteVerdict<Self::Done>;

    /// Sends the write once.
    fn send(
        &mut self,
        attempt: &WriteAttempt,
    ) -> impl Future<Output = Result<Self::Done, Error>> + Send;
}

/// Decision about a write after a read.
pub(crate) enum WriteVerdict<T> {
    /// Everything that the write relies on is unchanged.
    Send,
    /// The write was executed already.
    Done(T),
    /// Another client changed what the write would overwrite.
    Changed(Vec<String>),
}

/// Reason why a write was not executed, or may not have been.
#[derive(Debug)]
pub enum WriteStop {
    /// Another client changed what the write would overwrite.
    Changed {
        /// Descriptions of the changes.
        found: Vec<String>,
        /// Outcome of the attempts before.
        outcome: Outcome,
    },
    /// The write failed, or its outcome is unknown.
    Failed(Error),
}

impl WriteStop {
    /// Returns the error of a call that is the write.
    pub(crate) fn into_error(self, operation: &Operation) -> Error {
        match self {
            Self::Failed(error) => error,
            Self::Changed { found, outcome } => Error::changed(operation.id, outcome, &found),
        }
    }
}

/// Options of one attempt.
#[derive(Clone, Debug)]
pub(crate) struct WriteAttempt {
    pub(crate) single_attempt: SingleAttempt,
    pub(crate) reserved: Option<Reservation>,
    /// Record in which the attempt is noted.
    pub(crate) write: Option<Arc<WriteRecord>>,
}

/// Sends a write right after a read, as often as its evidence allows. `seen` is the time of the last read of what the write relies on: if
/// no other client had time to change it since, the first attempt needs no read.
pub(crate) async fn write_if_unchanged<W: ConditionalWrite>(
    client: &Client,
    operation: &'static Operation,
    options: &CallOptions,
    seen: Option<ReadTime>,
    write: &mut W,
) -> Result<W::Done, WriteStop> {
    // A write that is no call of its own is counted here.
    let open = match options.write {
        Some(_) => None,
        None => client.shared.tally.begin(operation, options.idempotency_key.clone()),
    };
    let record = options.write.clone().or_else(|| open.as_ref().map(OpenWrite::write));
    let result = send_if_unchanged(client, operation, options, seen, write, record).await;
    if let Some(open) = open {
        match &result {
            Ok(_) => open.done(),
            Err(WriteStop::Failed(error)) => open.failed(error.outcome()),
            Err(WriteStop::Changed { outcome, .. }) => open.failed(*outcome),
        }
    }
    result
}

async fn send_if_unchanged<W: ConditionalWrite>(
    client: &Client,
    operation: &'static Operation,
    options: &CallOptions,
    mut seen: Option<ReadTime>,
    write: &mut W,
    record: Option<Arc<WriteRecord>>,
) -> Result<W::Done, WriteStop> {
    let mut tries =
        WriteAttempts { client, operation, options, tries: AttemptCounts::default(), lost: None };
    loop {
        let mut reserved = None;
        let read_at = match seen.take().filter(|seen| seen.is_fresh(client)) {
            Some(read_at) => read_at,
            None => {
                let (read, write_place) = tries.reserve().await.map_err(WriteStop::Failed)?;
                let snapshot = write.read(read).await;
                let read_at = ReadTime::now(client);
                // A failed read leaves the outcome of the write unchanged, and that is the error to return.
                let snapshot = snapshot.map_err(|error| WriteStop::Failed(tries.lost_or(error)))?;
                match write.decide(snapshot, tries.in_doubt()) {
                    WriteVerdict::Send if write_place.is_none() => {
                        reserved = Some(tries.reserve_one().await.map_err(WriteStop::Failed)?);
                    }
                    WriteVerdict::Send => reserved = write_place,
                    WriteVerdict::Done(done) => return Ok(done),
                    WriteVerdict::Changed(found) => {
                        let outcome = tries.outcome();
                        return Err(WriteStop::Changed { found, outcome });
                    }
                }
                read_at
            }
        };
        let single_attempt = SingleAttempt { tries: tries.tries, expires: read_at.expires() };
        let attempt = WriteAttempt { single_attempt, reserved, write: record.clone() };
        match write.send(&attempt).await {
            Ok(done) => return Ok(done),
            Err(error) => tries.wait_after(error).await.map_err(WriteStop::Failed)?,
        }
    }
}

/// The attempts of one write.
struct WriteAttempts<'a> {
    client: &'a Client,
    operation: &'static Operation,
    options: &'a CallOptions,
    tries: AttemptCounts,
    /// The last failure that does not say whether the write took place.
    lost: Option<Error>,
}

impl WriteAttempts<'_> {
    fn in_doubt(&self) -> bool {
        self.lost.is_some() || self.tries.evidence >= Evidence::Unknown
    }

    fn outcome(&self) -> Outcome {
        if self.in_doubt() { Outcome::Unknown } else { Outcome::NotExecuted }
    }

    fn lost_or(&mut self, error: Error) -> Error {
        self.lost.take().unwrap_or(error)
    }

    /// Waits until the limits admit a read and, unless it has to wait after the read, the write.
    async fn reserve(&mut self) -> Result<(Reservation, Option<Reservation>), Error> {
        let read = self.reserve_one().await?;
        let write =
            if self.is_one_a_second().await { None } else { Some(self.reserve_one().await?) };
        Ok((read, write))
    }

    /// Returns whether a read and a write in the same second are too many, by the limits or because the service has refused the write more
    /// than once.
    async fn is_one_a_second(&self) -> bool {
        let Shared { pacer, clock, .. } = &*self.client.shared;
        let next = pacer.forecast(self.operation.bucket, 0, &**clock);
        let next = self.client.shared.within(self.options.until, next).await.ok().flatten();
        self.tries.too_many > 1 || next.is_some_and(|it| it.reason == WaitReason::PerSecond(1))
    }

    /// Waits until the limits admit a request.
    async fn reserve_one(&mut self) -> Result<Reservation, Error> {
        let reserved = self.client.shared.reserve(self.operation, self.options).await;
        reserved.map_err(|failure| {
            let host = self.client.shared.base.authority();
            let exchange = CallResult::unsent(self.operation, self.tries, failure);
            self.lost_or(Error::from_exchange(exchange, &host, None, None))
        })
    }

    /// Waits as long as a failure asks for, if there may be another attempt.
    async fn wait_after(&mut self, error: Error) -> Result<(), Error> {
        let shared = &self.client.shared;
        let next = error.next_attempt();
        match next {
            Some(next) => self.tries = next.tries,
            None => self.tries.sent += 1,
        }
        let is_refused = error.outcome() == Outcome::NotExecuted;
        if let Some((wait, reason)) = next.and_then(|next| next.wait) {
            if !is_refused {
                self.lost.get_or_insert(error);
            }
            shared.sleep(self.operation, wait, reason).await;
            return Ok(());
        }
        // In doubt even a refusal may mean that a lost request was executed after the last read.
        if is_refused && !self.in_doubt() {
            return Err(error);
        }
        let asked = error.retry_after();
        let lost = self.lost_or(error).after_attempts(self.tries.sent, asked);
        let may_go_on = self.tries.counted() < shared.retry.max_attempts;
        if !(may_go_on
            && shared.back_off(self.operation, self.tries.sent, asked, self.options.until).await)
        {
            return Err(lost);
        }
        self.lost = Some(lost);
        Ok(())
    }
}
