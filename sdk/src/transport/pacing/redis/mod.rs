//! Pacing for all machines of one token: the log is kept by a Redis server.
//!
//! A client remembers its own requests, for a server that has lost them and for a share of the limits.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use redis::{FromRedisValue, RedisError, Script, ScriptInvocation};
use serde_json::json;
use uuid::Uuid;

use super::log::{LoggedRequest, Micros, PacerBounds, RequestLog, micros};
use super::{
    MustWait, NotAdmitted, Pacer, PacerError, PacerFuture, PacerNote, RateLimits, Ticket,
    WaitReason,
};
use crate::base_url::BaseUrl;
use crate::blocking::locked;
use crate::operation::Bucket;
use crate::token::Token;
use crate::transport::clock::Clock;
use crate::transport::observer::Observer;
use crate::transport::redis_server::{RedisConnection, RedisServer};

#[cfg(test)]
mod tests;

/// What a [`RedisPacer`] does while its server cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnreachable {
    /// Calls wait for the server until their deadlines.
    #[default]
    Wait,
    /// Calls fail at once, with an error for which [`Error::is_network`](crate::Error::is_network) returns `true`. Nothing is sent.
    Fail,
    /// The client uses an equal share of the limits, with this number of shares, but at least one request per time window.
    Share(usize),
}

/// A [`Pacer`] whose log is in a Redis server (5 or newer, or Valkey), so that all machines of one token together keep within its limits.
///
/// Each request takes two round trips to the server, one before it is sent and one after its response. The server's clock is used, so the
/// clocks of the machines do not matter. Its keys begin with `links:pacing`, contain times and no token, and expire within a day. The
/// server needs no configuration. It must not be a cluster, and must not evict keys while it is in use.
///
/// A restarted server has lost the last requests. Each client reports what it has sent, and the server admits nothing for two seconds in
/// the meantime. Requests of clients that have exited stay unknown, so the service may respond with 429; then all clients wait. If the
/// server [cannot be reached](WhenUnreachable), calls in progress continue.
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
    bounds: PacerBounds,
    when_unreachable: WhenUnreachable,
    observer: Arc<dyn Observer>,
    memory: Mutex<Memory>,
}

impl RedisPacer {
    /// Returns a pacer for the token with this name, with the limits of the interface. All machines must use the same name for a token, and
    /// a different one for each token; [`RedisPacer::name`] creates a name. Nothing is sent before the first request.
    pub fn new(server: RedisServer, name: impl AsRef<str>) -> Self {
        Self {
            log: SharedLog::new(server, name.as_ref()),
            bounds: PacerBounds::default(),
            when_unreachable: WhenUnreachable::default(),
            observer: Arc::new(()),
            memory: Mutex::default(),
        }
    }

    /// Returns a name for one token at one origin. Neither can be recovered from it.
    pub fn name(base: &BaseUrl, token: &Token) -> String {
        super::token_digest(base, token)
    }

    /// Sets what happens while the server cannot be reached.
    #[must_use]
    pub fn when_unreachable(self, when_unreachable: WhenUnreachable) -> Self {
        Self { when_unreachable, ..self }
    }

    /// Sets upper bounds for the rate limits. They apply even if the service reports higher limits.
    #[must_use]
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.bounds.ceiling = Some(limits);
        self
    }

    /// Sets whether this is background work. It keeps within four fifths of each limit, counting the requests of all machines, so others find
    /// a fifth free at any time.
    #[must_use]
    pub fn background(mut self, is_background: bool) -> Self {
        self.bounds.is_background = is_background;
        self
    }

    /// Sets the observer, which is notified when the server cannot be reached and a share of the limits is used.
    #[must_use]
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }

    /// Checks whether the server can be reached and supports everything that the pacer needs.
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
    /// When the server cannot be reached, or refuses the login or the script.
    pub async fn check(&self, clock: &dyn Clock) -> Result<(), PacerError> {
        let asked = self.ask("look", &[], clock).await;
        asked.map(drop).map_err(|reason| self.error(&reason))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        locked(&self.memory)
    }

    fn error(&self, reason: &str) -> PacerError {
        let server = &self.log.server;
        PacerError::new(format!("cannot use {server} to share the rate limits: {reason}"))
    }

    /// Asks the server, unless it has just failed to answer; the error tells why. It is told first what this client has sent if it does not
    /// know that.
    async fn ask(
        &self,
        operation: &str,
        details: &[String],
        clock: &dyn Clock,
    ) -> Result<LogAnswer, String> {
        let now = clock.passed();
        let epoch = {
            let mut memory = self.memory();
            if let Some(outage) = memory.outage.as_ref().filter(|outage| now < outage.ends) {
                return Err(outage.reason.clone());
            }
            memory.epoch(now)
        };
        let mut context = Context { epoch, bounds: self.bounds, ..Context::default() };
        let mut asked = self.log.ask(operation, details, &context).await;
        if matches!(asked, Ok(LogAnswer { must_report: true, .. })) {
            context.report = self.memory().report(clock.passed());
            asked = self.log.ask(operation, details, &context).await;
        }
        let mut memory = self.memory();
        match asked {
            Ok(answer) => {
                memory.outage = None;
                memory.remaining = Some(answer.remaining);
                memory.is_unreported &= context.report.is_empty();
                memory.epoch.clone_from(&answer.epoch);
                Ok(answer)
            }
            Err(error) => {
                let is_first = memory.failed(error.to_string(), clock.passed());
                drop(memory);
                if is_first && matches!(self.when_unreachable, WhenUnreachable::Share(_)) {
                    self.observer.pacing_alone(&self.log.server.to_string(), &error);
                }
                Err(error.to_string())
            }
        }
    }

    /// Decides without the server.
    fn admit_alone(
        &self,
        reason: &str,
        bucket: Bucket,
        now: Duration,
    ) -> Result<Ticket, NotAdmitted> {
        let mut memory = self.memory();
        match self.when_unreachable {
            WhenUnreachable::Wait => {
                let outage = memory.outage.as_ref();
                let duration = outage.map_or(FIRST_WAIT, |outage| outage.ends.saturating_sub(now));
                Err(MustWait { duration, reason: WaitReason::PacerUnreachable }.into())
            }
            WhenUnreachable::Fail => Err(NotAdmitted::Failed(self.error(reason))),
            WhenUnreachable::Share(shares) => {
                let limits = memory.log.limits(self.bounds.ceiling);
                let share = limits.zip(limits, |most, _| (most / shares.max(1)).max(1));
                let bounds = PacerBounds { ceiling: Some(share), ..self.bounds };
                let ticket = memory.log.admit(bounds, bucket, now)?;
                memory.is_unreported = true;
                Ok(ticket)
            }
        }
    }

    fn must_wait(&self, answer: &LogAnswer) -> MustWait {
        let limits = self.memory().log.limits(self.bounds.ceiling);
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
}

impl Pacer for RedisPacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        Box::pin(async move {
            let ticket = Ticket(Uuid::new_v4().as_u64_pair().0);
            let details = [ticket_name(ticket), bucket_name(bucket)];
            match self.ask("admit", &details, clock).await {
                Ok(LogAnswer { wait: ..0, .. }) => {
                    let sent = micros(clock.passed());
                    let request = LoggedRequest { ticket, bucket, sent, answered: None };
                    self.memory().log.sent.push(request);
                    Ok(ticket)
                }
                Ok(answer) => Err(self.must_wait(&answer).into()),
                Err(reason) => self.admit_alone(&reason, bucket, clock.passed()),
            }
        })
    }

    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.memory().log.note(note, clock.passed());
        let (operation, detail) = match note {
            PacerNote::Settled(ticket) => ("settle", ticket_name(ticket)),
            PacerNote::Blocked(wait) => ("block", wait.as_micros().to_string()),
            PacerNote::Learned(learned) => ("learn", limits(&learned)),
        };
        Box::pin(async move {
            // What the server is not told now, it is told with the next report.
            if self.ask(operation, &[detail], clock).await.is_err() {
                self.memory().is_unreported = true;
            }
        })
    }

    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        let details = [bucket_name(bucket), ahead.to_string()];
        Box::pin(async move {
            let answer = self.ask("forecast", &details, clock).await.ok()?;
            Some(self.must_wait(&answer))
        })
    }

    fn remaining(&self, _: &dyn Clock) -> Option<usize> {
        self.memory().remaining
    }

    fn lock<'a>(
        &'a self,
        name: &'a str,
        held: Option<u64>,
        lifetime: Duration,
    ) -> PacerFuture<'a, Result<Option<u64>, PacerError>> {
        Box::pin(async move {
            let number = self.log.lock(name, held.unwrap_or(0), lifetime).await;
            let number = number.map_err(|error| {
                let server = &self.log.server;
                PacerError::new(format!("cannot use {server} to lock the page: {error}"))
            })?;
            Ok((number > 0).then_some(number))
        })
    }

    fn unlock<'a>(&'a self, name: &'a str, held: u64) -> PacerFuture<'a, ()> {
        Box::pin(async move {
            // A lock that cannot be given up ends by itself.
            let _ = self.log.lock(name, held, Duration::ZERO).await;
        })
    }
}

/// Waits before the server is asked again: after the first error, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Epoch that no server has: what the client has sent is to be reported.
const UNREPORTED: &str = "-";

/// What a client of a shared log knows by itself, by the time that has passed.
#[derive(Debug, Default)]
struct Memory {
    /// The requests of this client alone, with the limits and the blocked period as it knows them.
    log: RequestLog,
    /// Number of requests that were left in this minute.
    remaining: Option<usize>,
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
    fn epoch(&mut self, now: Duration) -> String {
        self.log.forget(micros(now));
        match (self.log.sent.is_empty() && self.log.blocked.is_none(), self.is_unreported) {
            (true, _) => String::new(),
            (false, false) if !self.epoch.is_empty() => self.epoch.clone(),
            (false, _) => UNREPORTED.to_owned(),
        }
    }

    /// Returns what this client has sent, by age in microseconds.
    fn report(&mut self, now: Duration) -> String {
        let now = micros(now);
        self.log.forget(now);
        let age = |at: Micros| i64::try_from(now - at).unwrap_or(i64::MAX);
        let sent = self.log.sent.iter().map(|entry| {
            let ticket = ticket_name(entry.ticket);
            json!([ticket, entry.bucket, age(entry.sent), entry.answered.map_or(-1, age)])
        });
        let blocked = self.log.blocked.map_or(0, |block| block.until.saturating_sub(now));
        let learned = self.log.learned.as_ref().map(limits).unwrap_or_default();
        json!({ "sent": sent.collect::<Vec<_>>(), "blocked": blocked, "limits": learned })
            .to_string()
    }

    /// Notes that the server did not answer. Returns whether it did before.
    fn failed(&mut self, reason: String, now: Duration) -> bool {
        let errors = self.outage.as_ref().map_or(0, |outage| outage.errors);
        let wait = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(errors)).min(LONGEST_WAIT);
        self.outage = Some(Outage { errors: errors + 1, ends: now.saturating_add(wait), reason });
        self.remaining = None;
        errors == 0
    }
}

static LOCK: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lock.lua")));
static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("shared_log.lua")));

/// Maximum number of requests of a limit, as the script counts them: what is more is no limit.
const MOST: usize = 1_000_000_000;

/// What goes along with each question.
#[derive(Debug, Default)]
struct Context {
    /// The epoch that the client knows; empty if it has sent nothing.
    epoch: String,
    bounds: PacerBounds,
    /// What the client has sent, as JSON, or empty.
    report: String,
    /// The time in microseconds, in tests of the script.
    now: Option<u64>,
}

/// Answer of the script.
#[derive(Debug, PartialEq)]
struct LogAnswer {
    /// Set if the client has to report first what it has sent.
    must_report: bool,
    epoch: String,
    remaining: usize,
    /// Time to wait in microseconds; negative if the request is admitted.
    wait: i64,
    reason: u8,
}

/// The log of the requests of one token in the server, which a script asks and changes.
#[derive(Debug)]
struct SharedLog {
    server: RedisServer,
    /// Of what it keeps for the token.
    keys: [String; 4],
}

impl SharedLog {
    fn new(server: RedisServer, name: &str) -> Self {
        let parts = ["state", "all", "analytics", "music"];
        let keys = parts.map(|part| format!("links:pacing:{name}:{part}"));
        Self { server, keys }
    }

    /// Asks what is to be known or done of the log.
    async fn ask(
        &self,
        operation: &str,
        details: &[String],
        context: &Context,
    ) -> Result<LogAnswer, RedisError> {
        let answer = self.invoke(|connection| {
            let mut script = SCRIPT.prepare_invoke();
            script.key("links:pacing").key(&self.keys);
            script
                .arg(operation)
                .arg(context.now.map(|now| now.to_string()).unwrap_or_default())
                .arg(&connection.run)
                .arg(&context.epoch)
                .arg(context.bounds.ceiling.as_ref().map(limits).unwrap_or_default())
                .arg(limits(&RateLimits::default()))
                .arg(&context.report)
                .arg(u8::from(context.bounds.is_background));
            for detail in details {
                script.arg(detail);
            }
            script
        });
        let (must_report, epoch, remaining, wait, reason): (u8, _, _, _, _) = answer.await?;
        Ok(LogAnswer { must_report: must_report == 1, epoch, remaining, wait, reason })
    }

    /// Takes, renews or gives up a lock. Returns its number, or 0 if another machine has it or has had it. A lock that was taken before the
    /// server started is lost: what the server knew of it since may be lost too.
    async fn lock(&self, name: &str, held: u64, lifetime: Duration) -> Result<u64, RedisError> {
        // The server may have given the lock, and its answer was lost.
        let question = Uuid::new_v4().to_string();
        let number = self.invoke(|connection| {
            let mut script = LOCK.prepare_invoke();
            script.key(format!("links:lock:{name}")).arg(&connection.run).arg(held);
            script.arg(micros(lifetime)).arg(&question);
            script
        });
        number.await
    }

    /// Runs a script, over a new connection if the old one is broken. To run it twice has no other effect than once. A connection is not used
    /// again after an error.
    async fn invoke<T: FromRedisValue>(
        &self,
        prepare: impl Fn(&RedisConnection) -> ScriptInvocation<'static>,
    ) -> Result<T, RedisError> {
        loop {
            let (connection, is_new) = self.server.connection().await?;
            let script = prepare(&connection);
            let result = script.invoke_async(&mut connection.commands.clone()).await;
            if result.is_err() {
                self.server.disconnect(&connection);
            }
            match result {
                Err(error) if !is_new && error.is_io_error() && !error.is_timeout() => {}
                result => return result,
            }
        }
    }
}

/// Returns limits as the script reads them.
fn limits(limits: &RateLimits) -> String {
    let RateLimits { per_second, per_minute, analytics_per_minute, music_per_minute } = limits;
    let all = [per_second, per_minute, analytics_per_minute, music_per_minute];
    all.map(|most| (*most).min(MOST).to_string()).join(",")
}

/// Returns the name of a ticket in the server, whose numbers are not as large.
fn ticket_name(ticket: Ticket) -> String {
    format!("{:016x}", ticket.0)
}

fn bucket_name(bucket: Bucket) -> String {
    format!("{bucket:?}").to_lowercase()
}
