//! Pacing for all machines of one token: the log is kept by a Redis server.
//!
//! A client remembers its own requests, for a server that has lost them and for a share of the limits.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::json;
use uuid::Uuid;

use super::log::{LoggedRequest, Nanos, RequestLog, nanos};
use super::redis::shared_log::{Context, LogAnswer, SharedLog, bucket_name, limits, ticket_name};
use super::{
    MustWait, NotAdmitted, Pacer, PacerError, PacerFuture, RateLimits, Ticket, WaitReason,
};
use crate::base_url::BaseUrl;
use crate::blocking::locked;
use crate::operation::Bucket;
use crate::token::Token;
use crate::transport::clock::Clock;
use crate::transport::observer::{NoObserver, Observer};
use crate::transport::redis_server::RedisServer;

mod shared_log;
#[cfg(test)]
mod tests;

/// What a [`RedisPacer`] does while its server cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnreachable {
    /// Calls wait for the server, as long as they may take.
    #[default]
    Wait,
    /// Calls fail at once, with an error for which [`Error::is_network`](crate::Error::is_network) returns `true`. Nothing is sent.
    Fail,
    /// The client uses one of this many equal shares of the limits, and at least one request of each window.
    Share(usize),
}

/// A [`Pacer`] whose log is kept by a Redis server (5 or newer, or Valkey), so that all machines of one token behave as one client.
///
/// Each request costs two exchanges with the server, one before it is sent and one after its answer. The time is that of the server; the clocks of
/// the machines do not matter. Its keys begin with `links:pacing`, hold times and no token, and expire within a day. Nothing is to be
/// configured in the server. It must not be a cluster, and must not evict keys while it is in use.
///
/// A server that was restarted has lost the last requests. It is told by each client what that client has sent, and admits nothing for two
/// seconds meanwhile. Requests of clients that have ended before remain unknown; without them the service may answer 429, which is waited
/// out by all. A server that [cannot be reached](WhenUnreachable) stops no call that is under way.
///
/// ```no_run
/// use std::sync::Arc;
/// use links_sdk::{BaseUrl, Client, RedisPacer, RedisServer, Token, WhenUnreachable};
///
/// let base = BaseUrl::new("https://links.example/api/v1")?;
/// let token = Token::new("lnk_secret")?;
/// let server = RedisServer::new("redis://redis.example")?;
/// let pacer = RedisPacer::new(server, &RedisPacer::name(&base, &token)).when_unreachable(WhenUnreachable::Share(16));
/// let client = Client::builder(base.as_str()).token(token).pacer(Arc::new(pacer)).build()?;
/// # let _ = client;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RedisPacer {
    log: SharedLog,
    ceiling: Option<RateLimits>,
    when_unreachable: WhenUnreachable,
    observer: Arc<dyn Observer>,
    memory: Mutex<Memory>,
}

/// The server could not be asked, for this reason.
struct Unreachable(String);

impl RedisPacer {
    /// Returns a pacer for the token of this name, with the limits of the interface. All machines have to use the same name for a token, and
    /// another one for each token; [`RedisPacer::name`] makes one. Nothing is sent before the first request.
    pub fn new(server: RedisServer, name: impl AsRef<str>) -> Self {
        Self {
            log: SharedLog::new(server, name.as_ref()),
            ceiling: None,
            when_unreachable: WhenUnreachable::default(),
            observer: Arc::new(NoObserver),
            memory: Mutex::default(),
        }
    }

    /// Returns a name for one token at one origin; neither can be recovered from it.
    pub fn name(base: &BaseUrl, token: &Token) -> String {
        super::token_digest(base, token)
    }

    /// Sets what happens while the server cannot be reached.
    #[must_use]
    pub fn when_unreachable(self, when_unreachable: WhenUnreachable) -> Self {
        Self { when_unreachable, ..self }
    }

    /// Sets upper bounds for the rate limits, which hold even if the service reports higher ones.
    #[must_use]
    pub fn rate_limits(self, limits: RateLimits) -> Self {
        Self { ceiling: Some(limits), ..self }
    }

    /// Sets the observer, which is notified when the server cannot be reached and a share of the limits is used.
    #[must_use]
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }

    /// Asks the server whether it is there, and whether it has what a pacer needs.
    ///
    /// ```no_run
    /// # async fn example(pacer: links_sdk::RedisPacer) -> Result<(), Box<dyn std::error::Error>> {
    /// use links_sdk::SystemClock;
    ///
    /// pacer.check(&SystemClock::new()).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When it cannot be reached, or refuses the login or the script.
    pub async fn check(&self, clock: &dyn Clock) -> Result<(), PacerError> {
        let asked = self.ask("look", &[], clock).await;
        asked.map(drop).map_err(|error| self.error(error))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        locked(&self.memory)
    }

    fn error(&self, Unreachable(reason): Unreachable) -> PacerError {
        let server = &self.log.server;
        PacerError::new(format!("{server}, which shares the rate limits, cannot be used: {reason}"))
    }

    /// Asks the server, unless it has just failed to answer. It is told first what this client has sent if it does not know that.
    async fn ask(
        &self,
        operation: &str,
        details: &[String],
        clock: &dyn Clock,
    ) -> Result<LogAnswer, Unreachable> {
        let now = clock.monotonic();
        let epoch = {
            let mut memory = self.memory();
            if let Some(reason) = memory.is_away(now) {
                return Err(Unreachable(reason.to_owned()));
            }
            memory.epoch(now)
        };
        let mut context = Context { epoch, ceiling: self.ceiling, ..Context::default() };
        let mut asked = self.log.ask(operation, details, &context).await;
        if matches!(asked, Ok(LogAnswer { must_report: true, .. })) {
            context.report = self.memory().report(clock.monotonic());
            asked = self.log.ask(operation, details, &context).await;
        }
        let has_reported = !context.report.is_empty();
        match asked {
            Ok(answer) => {
                self.memory().reached(answer.epoch.clone(), answer.remaining, has_reported);
                Ok(answer)
            }
            Err(error) => {
                let is_first = self.memory().failed(error.to_string(), clock.monotonic());
                if is_first && matches!(self.when_unreachable, WhenUnreachable::Share(_)) {
                    self.observer.pacing_alone(&self.log.server.to_string(), &error);
                }
                Err(Unreachable(error.to_string()))
            }
        }
    }

    /// Asks for an admission, or for a forecast of it.
    async fn ask_to_admit(
        &self,
        ticket: Ticket,
        bucket: Bucket,
        clock: &dyn Clock,
    ) -> Result<Ticket, NotAdmitted> {
        let details = [ticket_name(ticket), bucket_name(bucket).to_owned()];
        let asked = self.ask("admit", &details, clock).await;
        match asked {
            Ok(LogAnswer { wait: ..0, .. }) => {
                self.memory().admitted(ticket, bucket, clock.monotonic());
                Ok(ticket)
            }
            Ok(answer) => Err(NotAdmitted::Wait(self.must_wait(&answer))),
            Err(unreachable) => self.admit_alone(unreachable, bucket, clock.monotonic()),
        }
    }

    /// Decides without the server.
    fn admit_alone(
        &self,
        unreachable: Unreachable,
        bucket: Bucket,
        now: Duration,
    ) -> Result<Ticket, NotAdmitted> {
        match self.when_unreachable {
            WhenUnreachable::Wait => {
                let duration = self.memory().asks_again_in(now);
                Err(NotAdmitted::Wait(MustWait { duration, reason: WaitReason::PacerUnreachable }))
            }
            WhenUnreachable::Fail => Err(NotAdmitted::Failed(self.error(unreachable))),
            WhenUnreachable::Share(shares) => {
                let mut memory = self.memory();
                let share = memory.share(self.ceiling, shares);
                let ticket = memory.log.admit(Some(share), bucket, now)?;
                memory.is_ahead();
                Ok(ticket)
            }
        }
    }

    fn must_wait(&self, answer: &LogAnswer) -> MustWait {
        let limits = self.memory().log.limits(self.ceiling);
        let reason = match answer.reason {
            1 => WaitReason::PerSecond(limits.per_second),
            2 => WaitReason::PerMinute(limits.per_minute),
            3 => WaitReason::AnalyticsPerMinute(limits.analytics_per_minute),
            4 => WaitReason::MusicPerMinute(limits.music_per_minute),
            6 => WaitReason::PacerStarting,
            _ => WaitReason::TooManyRequests,
        };
        let duration = Duration::from_micros(answer.wait.unsigned_abs());
        MustWait { duration, reason }
    }

    /// Tells the server something. If that fails, it is told with the next report.
    async fn tell(&self, operation: &'static str, detail: String, clock: &dyn Clock) {
        if self.ask(operation, &[detail], clock).await.is_err() {
            self.memory().is_ahead();
        }
    }
}

impl Pacer for RedisPacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        let ticket = Ticket(Uuid::new_v4().as_u64_pair().0);
        Box::pin(self.ask_to_admit(ticket, bucket, clock))
    }

    fn settle<'a>(&'a self, ticket: Ticket, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.memory().log.settle(ticket, clock.monotonic());
        Box::pin(self.tell("settle", ticket_name(ticket), clock))
    }

    fn block<'a>(&'a self, wait: Duration, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.memory().log.block(wait, clock.monotonic());
        Box::pin(self.tell("block", wait.as_micros().to_string(), clock))
    }

    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        let details = [bucket_name(bucket).to_owned(), ahead.to_string()];
        Box::pin(async move {
            let answer = self.ask("forecast", &details, clock).await.ok()?;
            Some(self.must_wait(&answer))
        })
    }

    fn learn<'a>(&'a self, learned: RateLimits, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.memory().log.learned = Some(learned);
        Box::pin(self.tell("learn", limits(&learned), clock))
    }

    fn remaining(&self, _: &dyn Clock) -> Option<usize> {
        self.memory().remaining
    }
}

/// Waits before the server is asked again: after the first error, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Epoch that no server has: what the client has sent is to be reported.
const UNREPORTED: &str = "-";
const MICRO: Nanos = 1000;

/// What a client of a shared log knows by itself, by its monotonic clock.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The requests of this client alone, with the limits and the blocked period as it knows them.
    pub(super) log: RequestLog,
    /// Number of requests that were left in this minute.
    pub(super) remaining: Option<usize>,
    epoch: String,
    is_unreported: bool,
    outage: Option<Outage>,
}

#[derive(Clone, Debug)]
struct Outage {
    errors: u32,
    /// Time at which the server is asked again.
    ends: Duration,
    reason: String,
}

impl Memory {
    /// Returns the epoch to ask with: empty if there is nothing to report.
    pub(super) fn epoch(&mut self, now: Duration) -> String {
        self.log.forget(nanos(now));
        match (self.log.sent.is_empty() && self.log.blocked.is_none(), self.is_unreported) {
            (true, _) => String::new(),
            (false, false) if !self.epoch.is_empty() => self.epoch.clone(),
            (false, _) => UNREPORTED.to_owned(),
        }
    }

    /// Returns what this client has sent, by age in microseconds.
    pub(super) fn report(&mut self, now: Duration) -> String {
        let now = nanos(now);
        self.log.forget(now);
        let age = |at: Nanos| i64::try_from((now - at) / MICRO).unwrap_or(i64::MAX);
        let sent = self.log.sent.iter().map(|entry| {
            let ticket = ticket_name(entry.ticket);
            json!([ticket, entry.bucket, age(entry.sent), entry.answered.map_or(-1, age)])
        });
        let blocked = self.log.blocked.map_or(0, |block| block.until.saturating_sub(now) / MICRO);
        let learned = self.log.learned.as_ref().map(limits).unwrap_or_default();
        json!({ "sent": sent.collect::<Vec<_>>(), "blocked": blocked, "limits": learned })
            .to_string()
    }

    /// Notes that the server knows what this client has sent.
    pub(super) fn reached(&mut self, epoch: String, remaining: usize, has_reported: bool) {
        self.outage = None;
        self.remaining = Some(remaining);
        self.is_unreported &= !has_reported;
        self.epoch = epoch;
    }

    /// Notes that the server did not answer. Returns whether it did before.
    pub(super) fn failed(&mut self, reason: String, now: Duration) -> bool {
        let errors = self.outage.as_ref().map_or(0, |outage| outage.errors);
        let wait = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(errors)).min(LONGEST_WAIT);
        self.outage = Some(Outage { errors: errors + 1, ends: now.saturating_add(wait), reason });
        self.remaining = None;
        errors == 0
    }

    /// Returns why the server is not asked yet.
    pub(super) fn is_away(&self, now: Duration) -> Option<&str> {
        let outage = self.outage.as_ref().filter(|outage| now < outage.ends)?;
        Some(&outage.reason)
    }

    /// Returns the time after which the server is asked again.
    pub(super) fn asks_again_in(&self, now: Duration) -> Duration {
        self.outage.as_ref().map_or(FIRST_WAIT, |outage| outage.ends.saturating_sub(now))
    }

    /// Notes a request that the server has admitted.
    pub(super) fn admitted(&mut self, ticket: Ticket, bucket: Bucket, now: Duration) {
        self.log.sent.push(LoggedRequest { ticket, bucket, sent: nanos(now), answered: None });
    }

    /// Notes that the server does not know all of what this client did.
    pub(super) fn is_ahead(&mut self) {
        self.is_unreported = true;
    }

    /// Returns one of this many equal shares of the limits in force.
    pub(super) fn share(&self, ceiling: Option<RateLimits>, shares: usize) -> RateLimits {
        self.log.limits(ceiling).divided_by(shares)
    }
}
