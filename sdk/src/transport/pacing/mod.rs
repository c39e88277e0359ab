//! Pacing, which keeps requests within the rate limits (the interface, section 8).

mod in_process;
mod log;
pub(crate) mod queue;
mod shared_file;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use in_process::InProcessPacer;
pub use shared_file::SharedFilePacer;

use super::clock::Clock;
use crate::operation::Bucket;

/// The limits of one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RateLimits {
    /// Maximum number of requests in any second.
    pub per_second: usize,
    /// Maximum number of requests in any minute.
    pub per_minute: usize,
    /// Maximum number of analytics requests among those of any minute.
    pub analytics_per_minute: usize,
    /// Maximum number of music lookups among those of any minute.
    pub music_per_minute: usize,
}

impl Default for RateLimits {
    /// Returns the numbers of the interface, section 8.
    fn default() -> Self {
        Self { per_second: 5, per_minute: 60, analytics_per_minute: 20, music_per_minute: 15 }
    }
}

impl RateLimits {
    /// Returns the smaller of each two numbers.
    fn at_most(self, ceiling: Self) -> Self {
        Self {
            per_second: self.per_second.min(ceiling.per_second),
            per_minute: self.per_minute.min(ceiling.per_minute),
            analytics_per_minute: self.analytics_per_minute.min(ceiling.analytics_per_minute),
            music_per_minute: self.music_per_minute.min(ceiling.music_per_minute),
        }
    }
}

/// Reason why a request has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// This number of requests was sent in a second.
    PerSecond(usize),
    /// This number of requests was sent in a minute.
    PerMinute(usize),
    /// This number of analytics requests was sent in a minute.
    AnalyticsPerMinute(usize),
    /// This number of music lookups was sent in a minute.
    MusicPerMinute(usize),
    /// The service answered 429 and named a time; after it, requests go out one a second for a minute.
    TooManyRequests,
    /// A failed attempt is repeated after a while.
    Retry,
}

impl WaitReason {
    /// Returns whether requests of other buckets need not wait for this.
    pub(crate) fn is_of_one_bucket(self) -> bool {
        matches!(self, Self::AnalyticsPerMinute(_) | Self::MusicPerMinute(_))
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerSecond(n) => write!(f, "{n} requests a second"),
            Self::PerMinute(n) => write!(f, "{n} requests a minute"),
            Self::AnalyticsPerMinute(n) => write!(f, "{n} analytics requests a minute"),
            Self::MusicPerMinute(n) => write!(f, "{n} music lookups a minute"),
            Self::TooManyRequests => f.write_str("the service asked to wait"),
            Self::Retry => f.write_str("before the next attempt"),
        }
    }
}

/// Answer of a pacer to a request that must wait, and then ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MustWait {
    /// Minimum duration of the wait.
    pub duration: Duration,
    /// The limit that is used up.
    pub reason: WaitReason,
}

/// Pacer of requests within the limits. One per token: [`InProcessPacer`] serves the clients of one process, [`SharedFilePacer`] those of one user
/// of this machine. No method waits.
pub trait Pacer: fmt::Debug + Send + Sync + 'static {
    /// Admits a request now, or says how long to wait.
    ///
    /// # Errors
    ///
    /// When a window is full.
    fn admit(&self, bucket: Bucket, clock: &dyn Clock) -> Result<Ticket, MustWait>;

    /// Notes that the request of this ticket was answered, or will never be.
    fn settle(&self, ticket: Ticket, clock: &dyn Clock);

    /// Blocks all requests for this long, because the service asked for it.
    fn block(&self, wait: Duration, clock: &dyn Clock);

    /// Returns how long a request would wait at least if `ahead` others of its bucket are admitted first, if the pacer can tell.
    fn forecast(&self, bucket: Bucket, ahead: usize, clock: &dyn Clock) -> Option<MustWait> {
        let _ = (bucket, ahead, clock);
        None
    }

    /// Sets the limits that the service has reported. A pacer with limits of its own keeps within the smaller ones.
    fn learn(&self, limits: RateLimits, clock: &dyn Clock);

    /// Returns the number of requests that may still be sent in this minute, if the pacer can tell.
    fn remaining(&self, clock: &dyn Clock) -> Option<usize> {
        let _ = clock;
        None
    }
}

/// Ticket of one admitted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket(pub u64);
