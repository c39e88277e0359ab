//! Conditional writes: a write is sent only if what it overwrites is still as it was read.
//!
//! The service has no conditional requests. The nearest equivalent: a write is sent only right after a read that shows what it relies on.
//! During every wait (for the limits, after a 429, after a failure) another client may write, so it is followed by another read. The limits
//! admit a read and its write together, so that no wait comes between them.
//!
//! Where only one request a second is allowed, the two can never be sent together. The write then waits for the limits after its read, and
//! is sent if the read is not too old by then: such a service allows nothing better.

use std::time::Duration;

use crate::call_sender::{CallSender, Envelope};
use crate::client::Client;
use crate::error::Error;
use crate::error_kind::{ErrorKind, Outcome};
use crate::generated::{Client as Api, RequestResult};
use crate::operation::{Effect, Operation};
use crate::transport::{AdmittedRequest, AttemptCounts, CallFailure, CallOptions};

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
        Self { waits: shared.waits(), read_at: shared.clock.passed() }
    }

    /// Returns whether no other client had time to change what was read.
    pub fn is_fresh(self, client: &Client) -> bool {
        let shared = &client.shared;
        self.waits == shared.waits() && shared.clock.passed() <= self.expires()
    }

    fn expires(self) -> Duration {
        self.read_at.saturating_add(GOOD_FOR)
    }
}

/// What a write relies on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Basis {
    /// What was read at this time, or what a first read shows.
    Read(Option<ReadTime>),
    /// Nothing: the page is read only to find out whether a request whose answer was lost was executed.
    Nothing,
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

impl<T> WriteVerdict<T> {
    /// Returns that the write is to be sent, unless these changes were found.
    pub(crate) fn unless(found: Vec<String>) -> Self {
        if found.is_empty() { Self::Send } else { Self::Changed(found) }
    }
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

impl From<Error> for WriteStop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl CallSender {
    /// Returns the result of a call that is one conditional write.
    pub(crate) fn finish<T>(&self, written: Result<T, WriteStop>) -> Result<T, Error> {
        written.map_err(|stop| match stop {
            WriteStop::Failed(error) => error,
            WriteStop::Changed { found, outcome } => {
                let message = format!("changed by another client: {}", found.join("; "));
                Error::own(self.operation.id, outcome, ErrorKind::Conflict, message)
            }
        })
    }
}

/// Sends a write right after a read of what it relies on, as often as its evidence allows. If no other client had time to change that since
/// the last read, the first attempt needs no read.
///
/// `decide` compares what a read shows with what was read before, and may change the body; its flag tells whether the write may have been
/// executed already.
pub(crate) async fn write_if_unchanged<B: Send + Sync, S: Envelope, R: Envelope>(
    sender: &CallSender,
    basis: Basis,
    body: &mut B,
    (read_operation, read): (
        &'static Operation,
        impl Fn(Api<'_>) -> RequestResult<S> + Send + Sync,
    ),
    write: impl Fn(Api<'_>, &B) -> RequestResult<R> + Send + Sync,
    mut decide: impl FnMut(&mut B, S::Record, bool) -> WriteVerdict<R::Record> + Send,
) -> Result<R::Record, WriteStop> {
    let CallSender { client, operation, options, .. } = sender;
    if sender.is_not_sent() {
        return Ok(sender.send(|api| write(api, body)).await?);
    }
    if let (Basis::Nothing, Effect::Set) = (basis, operation.effect) {
        // To set the values again has no further effect. Where the answer is a success that cannot be used, a read shows what the write did.
        let error = match sender.send(|api| write(api, body)).await {
            Err(error) if matches!(error.status(), Some(200..=299)) => error,
            done => return Ok(done?),
        };
        if let Ok((shown, answer)) = sender.beside(read_operation).send_decoded(&read).await
            && let WriteVerdict::Done(done) = decide(body, shown, true)
        {
            sender.keep_answer(&answer);
            return Ok(done);
        }
        return Err(error.into());
    }
    let mut seen = match basis {
        Basis::Read(seen) => seen.filter(|seen| seen.is_fresh(client)),
        Basis::Nothing => None,
    };
    let mut tries = WriteAttempts { sender, tries: AttemptCounts::NONE, lost: None };
    loop {
        let mut reserved = None;
        let read_at = if let Some(read_at) = seen.take() {
            read_at
        } else if matches!(basis, Basis::Nothing) && !tries.in_doubt() {
            reserved = Some(tries.reserve_one().await?.into_ticket());
            ReadTime::now(client)
        } else {
            let (read_place, write_place) = tries.reserve().await?;
            let mut reader = sender.beside(read_operation);
            reader.options.reserved = Some(read_place.into_ticket());
            let shown = reader.send_decoded(&read).await;
            let read_at = ReadTime::now(client);
            // A failed read leaves the outcome of the write unchanged, and that is the error to return.
            let (shown, answer) = shown.map_err(|error| tries.lost_or(error))?;
            match decide(body, shown, tries.in_doubt()) {
                WriteVerdict::Send => {
                    let place = match write_place.filter(|place| !place.is_old()) {
                        Some(place) => place,
                        None => tries.reserve_one().await?,
                    };
                    reserved = Some(place.into_ticket());
                }
                WriteVerdict::Done(done) => {
                    sender.keep_answer(&answer);
                    return Ok(done);
                }
                WriteVerdict::Changed(found) => {
                    return Err(WriteStop::Changed { found, outcome: tries.outcome() });
                }
            }
            read_at
        };
        let single_attempt = Some((tries.tries, read_at.expires()));
        let options = CallOptions { reserved, single_attempt, ..options.clone() };
        // Whether its answer is the call's is not known yet.
        let once = CallSender { options, undecoded: None, ..sender.clone() };
        match once.send_decoded(|api| write(api, body)).await {
            Ok((done, answer)) => {
                sender.keep_answer(&answer);
                return Ok(done);
            }
            Err(error) => tries.wait_after(error).await?,
        }
    }
}

/// The attempts of one write.
struct WriteAttempts<'a> {
    sender: &'a CallSender,
    tries: AttemptCounts,
    /// The last failure that does not say whether the write took place.
    lost: Option<Error>,
}

impl<'a> WriteAttempts<'a> {
    fn in_doubt(&self) -> bool {
        self.lost.is_some() || self.tries.evidence >= Outcome::Unknown
    }

    fn outcome(&self) -> Outcome {
        if self.in_doubt() { Outcome::Unknown } else { Outcome::NotExecuted }
    }

    fn lost_or(&mut self, error: Error) -> Error {
        self.lost.take().unwrap_or(error)
    }

    /// Waits until the limits admit a read and, unless it has to wait after the read, the write. It has to if a read and a write in the same
    /// second are too many, by the limits or because the service has refused the write more than once.
    async fn reserve(
        &mut self,
    ) -> Result<(AdmittedRequest<'a>, Option<AdmittedRequest<'a>>), Error> {
        if self.tries.too_many > 1 {
            return Ok((self.reserve_one().await?, None));
        }
        let CallSender { client, operation, options, .. } = self.sender;
        let reserved = client.shared.reserve_two(operation, options).await;
        reserved.map_err(|failure| self.not_admitted(failure))
    }

    /// Waits until the limits admit a request.
    async fn reserve_one(&mut self) -> Result<AdmittedRequest<'a>, Error> {
        let CallSender { client, operation, options, .. } = self.sender;
        let reserved = client.shared.reserve(operation, options).await;
        reserved.map_err(|failure| self.not_admitted(failure))
    }

    fn not_admitted(&mut self, failure: CallFailure) -> Error {
        let unsent = self.sender.unsent(self.tries, failure);
        self.lost_or(unsent)
    }

    /// Waits as long as a failure asks for, if there may be another attempt.
    async fn wait_after(&mut self, error: Error) -> Result<(), Error> {
        let CallSender { client, operation, options, .. } = self.sender;
        let shared = &client.shared;
        let next = error.next_attempt();
        match next {
            Some((tries, _)) => self.tries = tries,
            None => self.tries.sent += 1,
        }
        let is_refused = error.outcome() == Outcome::NotExecuted;
        if let Some(wait) = next.and_then(|(_, wait)| wait) {
            if !is_refused {
                self.lost.get_or_insert(error);
            }
            shared.sleep(operation, wait).await;
            return Ok(());
        }
        // In doubt even a refusal may mean that a lost request was executed after the last read.
        if is_refused && !self.in_doubt() {
            return Err(error);
        }
        let asked = error.retry_after();
        let lost = self.lost_or(error).after_attempts(self.tries.sent, asked);
        let may_go_on = self.tries.counted() < shared.retry.max_attempts;
        if !(may_go_on && shared.back_off(operation, self.tries.sent, asked, options.until).await) {
            return Err(lost);
        }
        self.lost = Some(lost);
        Ok(())
    }
}
