//! Pacing, which keeps requests within the rate limits.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::clock::Clock;
use crate::base_url::BaseUrl;
use crate::operation::Bucket;
use crate::token::Token;

pub use log::InProcessPacer;
#[cfg(feature = "redis")]
pub use redis::{RedisPacer, WhenUnreachable};
pub use shared_file::SharedFilePacer;

mod log;
#[cfg(feature = "redis")]
mod redis;
mod shared_file;

/// The rate limits of one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RateLimits {
    /// Maximum number of requests in any second.
    pub per_second: usize,
    /// Maximum number of requests in any minute.
    pub per_minute: usize,
    /// Maximum number of analytics requests in any minute. They also count as requests.
    pub analytics_per_minute: usize,
    /// Maximum number of music lookups in any minute. They also count as requests.
    pub music_per_minute: usize,
}

impl Default for RateLimits {
    /// Returns the numbers of the interface.
    fn default() -> Self {
        Self { per_second: 5, per_minute: 60, analytics_per_minute: 20, music_per_minute: 15 }
    }
}

impl RateLimits {
    /// Returns limits that no program reaches, for a server without limits, such as a test server.
    ///
    /// ```
    /// use links_sdk::{Client, RateLimits};
    ///
    /// let limits = RateLimits::unlimited();
    /// let client = Client::builder("http://127.0.0.1:8080/api/v1").rate_limits(limits).build()?;
    /// # let _ = client;
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    #[must_use]
    pub fn unlimited() -> Self {
        let known = Self::default();
        known.zip(known, |_, _| usize::MAX)
    }

    /// Combines each two numbers.
    pub(crate) fn zip(self, other: Self, combine: impl Fn(usize, usize) -> usize) -> Self {
        Self {
            per_second: combine(self.per_second, other.per_second),
            per_minute: combine(self.per_minute, other.per_minute),
            analytics_per_minute: combine(self.analytics_per_minute, other.analytics_per_minute),
            music_per_minute: combine(self.music_per_minute, other.music_per_minute),
        }
    }
}

/// Reason why a request has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// This number of requests was sent within a second.
    PerSecond(usize),
    /// This number of requests was sent within a minute.
    PerMinute(usize),
    /// This number of analytics requests was sent within a minute.
    AnalyticsPerMinute(usize),
    /// This number of music lookups was sent within a minute.
    MusicPerMinute(usize),
    /// The service responded with 429 and asked for a wait. For a minute after the wait, one request per second is sent.
    TooManyRequests,
    /// A failed attempt is retried after a while.
    Retry,
    /// The server through which machines share the limits cannot be reached.
    PacerUnreachable,
    /// The server through which machines share the limits has just started, and the machines are reporting what they have sent.
    PacerStarting,
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerSecond(n) => write!(f, "limit of {n} requests per second"),
            Self::PerMinute(n) => write!(f, "limit of {n} requests per minute"),
            Self::AnalyticsPerMinute(n) => write!(f, "limit of {n} analytics requests per minute"),
            Self::MusicPerMinute(n) => write!(f, "limit of {n} music lookups per minute"),
            Self::TooManyRequests => f.write_str("the service asked to wait"),
            Self::Retry => f.write_str("the last attempt failed"),
            Self::PacerUnreachable => {
                f.write_str("cannot reach the server that shares the rate limits")
            }
            Self::PacerStarting => {
                f.write_str("the server that shares the rate limits has just started")
            }
        }
    }
}

/// Response of a pacer to a request that must wait and then ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MustWait {
    /// Minimum duration of the wait.
    pub duration: Duration,
    /// The limit that is used up.
    pub reason: WaitReason,
}

impl MustWait {
    /// Returns the response of a pacer whose limit is used up.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use links_sdk::{MustWait, WaitReason};
    ///
    /// let wait = MustWait::new(Duration::from_millis(200), WaitReason::PerSecond(5));
    /// assert_eq!(wait.duration, Duration::from_millis(200));
    /// ```
    pub fn new(duration: Duration, reason: WaitReason) -> Self {
        Self { duration, reason }
    }
}

/// Reason why a request is not admitted.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotAdmitted {
    /// It has to wait and then ask again.
    Wait(MustWait),
    /// The pacer cannot decide. The call fails with this error, and the request is not sent.
    Failed(PacerError),
}

impl From<MustWait> for NotAdmitted {
    fn from(wait: MustWait) -> Self {
        Self::Wait(wait)
    }
}

/// Future that the methods of a [`Pacer`] return.
pub type PacerFuture<'a, T> = BoxFuture<'a, T>;

/// Keeps requests within the rate limits; one per token. [`InProcessPacer`] serves the clients of one process, [`SharedFilePacer`] the
/// processes of one user of this machine. Each has a setting for background work, which leaves a fifth of each limit to people. A future of
/// a pacer only looks at the log; it never waits for the limits themselves.
///
/// Your own pacer can return [`ready`](std::future::ready) if it does not need to ask anything:
///
/// ```
/// use std::future::ready;
///
/// use links_sdk::{Bucket, Clock, NotAdmitted, Pacer, PacerFuture, PacerNote, Ticket};
///
/// /// Leaves the limits to a proxy in front of the service.
/// #[derive(Debug)]
/// struct Unpaced;
///
/// impl Pacer for Unpaced {
///     fn admit<'a>(&'a self, _: Bucket, _: &'a dyn Clock) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
///         Box::pin(ready(Ok(Ticket(0))))
///     }
///
///     fn note<'a>(&'a self, _: PacerNote, _: &'a dyn Clock) -> PacerFuture<'a, ()> {
///         Box::pin(ready(()))
///     }
/// }
/// ```
pub trait Pacer: fmt::Debug + Send + Sync + 'static {
    /// Admits a request now, or returns how long to wait.
    ///
    /// # Errors
    ///
    /// When a limit is reached, or when the pacer cannot decide.
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>>;

    /// Records information that affects all further requests.
    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()>;

    /// Locks a name, such as a page, for all machines that share the limits through this pacer, or renews the lock of this number. Returns
    /// the number of the lock, which is higher than that of each lock before; `None` if another machine has the lock, or has had it since
    /// it was renewed. The lock ends after `lifetime`, unless it is renewed. A pacer that serves one machine locks nothing.
    ///
    /// # Errors
    ///
    /// When the pacer cannot decide.
    fn lock<'a>(
        &'a self,
        name: &'a str,
        held: Option<u64>,
        lifetime: Duration,
    ) -> PacerFuture<'a, Result<Option<u64>, PacerError>> {
        let _ = (name, lifetime);
        Box::pin(std::future::ready(Ok(Some(held.unwrap_or(0)))))
    }

    /// Gives up the lock of this number, if nobody else has it.
    fn unlock<'a>(&'a self, name: &'a str, held: u64) -> PacerFuture<'a, ()> {
        let _ = (name, held);
        Box::pin(std::future::ready(()))
    }

    /// Returns the minimum wait of a request if `ahead` other requests of its bucket are admitted first. `None` if the pacer does not know.
    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        let _ = (bucket, ahead, clock);
        Box::pin(std::future::ready(None))
    }

    /// Returns the number of requests that may still be sent in this minute, as far as the pacer knows without asking.
    fn remaining(&self, clock: &dyn Clock) -> Option<usize> {
        let _ = clock;
        None
    }
}

/// Returns the result of a future that is ready at once, else the future.
pub(crate) fn poll_once<F: Future + Unpin>(mut future: F) -> Result<F::Output, F> {
    match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Ok(result),
        Poll::Pending => Err(future),
    }
}

/// Returns a digest of a token and its origin; neither can be recovered from it.
fn token_digest(base: &BaseUrl, token: &Token) -> String {
    let mut hash = Sha256::new();
    hash.update(base.origin());
    hash.update([0]);
    hash.update(token.header().as_bytes());
    hex::encode(&hash.finalize()[..16])
}

/// Information for a [`Pacer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacerNote {
    /// The request of this ticket was answered, or never will be. If a call is dropped, this is noted in the background, if a runtime is
    /// available.
    Settled(Ticket),
    /// The service asked to send nothing for this time.
    Blocked(Duration),
    /// The service has reported these limits. A pacer with its own limits uses the lower ones.
    Learned(RateLimits),
}

/// Ticket of one admitted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket(pub u64);

/// Reason why a pacer cannot decide whether a request may be sent. Its message contains no secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PacerError(String);

impl PacerError {
    /// Returns an error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
