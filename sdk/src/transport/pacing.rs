//! Keeping within the rate limits: a log of what was sent lately (the interface, section 8).
//!
//! A log that looks back over every window is safe whether the service counts in sliding or in fixed windows. A request counts from
//! the moment its answer arrived, because the service may have counted it as late as that; one that is still under way counts as if
//! it were sent now.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::operation::Bucket;

/// The limits of one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Requests in any second.
    pub per_second: usize,
    /// Requests in any minute.
    pub per_minute: usize,
    /// Of those, analytics requests in any minute.
    pub analytics_per_minute: usize,
    /// Of those, music lookups in any minute.
    pub music_per_minute: usize,
}

impl Default for RateLimits {
    /// The numbers of the interface, section 8.
    fn default() -> Self {
        Self { per_second: 5, per_minute: 60, analytics_per_minute: 20, music_per_minute: 15 }
    }
}

/// Why a request has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// So many requests in a second were sent.
    PerSecond(usize),
    /// So many requests in a minute were sent.
    PerMinute(usize),
    /// So many analytics requests in a minute were sent.
    AnalyticsPerMinute(usize),
    /// So many music lookups in a minute were sent.
    MusicPerMinute(usize),
    /// The service answered 429 and named a time.
    TooManyRequests,
    /// A failed attempt is repeated after a while.
    Retry,
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

/// A request must wait so long, and then ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MustWait {
    /// At least so long.
    pub duration: Duration,
    /// The limit that is used up.
    pub reason: WaitReason,
}

/// Admits requests within the limits. One per token; [`InProcess`] serves the clients of one process.
pub trait Pacer: fmt::Debug + Send + Sync + 'static {
    /// Admits a request now, or says how long to wait.
    ///
    /// # Errors
    ///
    /// When a window is full.
    fn admit(&self, bucket: Bucket, now: Duration) -> Result<Ticket, MustWait>;

    /// The request of this ticket was answered, or will never be.
    fn settle(&self, ticket: Ticket, now: Duration);

    /// Nothing may be sent before `until`: the service said so.
    fn block(&self, until: Duration);
}

/// Stands for one admitted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub u64);

/// A [`Pacer`] in memory.
#[derive(Debug)]
pub struct InProcess {
    limits: RateLimits,
    log: Mutex<Log>,
}

impl InProcess {
    /// With these limits, and nothing sent yet.
    pub fn new(limits: RateLimits) -> Self {
        Self { limits, log: Mutex::default() }
    }

    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pacer for InProcess {
    fn admit(&self, bucket: Bucket, now: Duration) -> Result<Ticket, MustWait> {
        self.log().admit(&self.limits, bucket, now)
    }

    fn settle(&self, ticket: Ticket, now: Duration) {
        self.log().settle(ticket, now);
    }

    fn block(&self, until: Duration) {
        self.log().block(until);
    }
}

/// What was sent in the last minute, oldest first.
#[derive(Debug, Default)]
struct Log {
    next: u64,
    sent: VecDeque<Entry>,
    blocked_until: Duration,
}

#[derive(Debug)]
struct Entry {
    ticket: Ticket,
    bucket: Bucket,
    answered: Option<Duration>,
}

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

impl Log {
    fn admit(
        &mut self,
        limits: &RateLimits,
        bucket: Bucket,
        now: Duration,
    ) -> Result<Ticket, MustWait> {
        self.sent.retain(|entry| entry.answered.is_none_or(|at| now.saturating_sub(at) < MINUTE));
        let windows = [
            (None, limits.per_second, SECOND, WaitReason::PerSecond(limits.per_second)),
            (None, limits.per_minute, MINUTE, WaitReason::PerMinute(limits.per_minute)),
            match bucket {
                Bucket::General => (None, usize::MAX, MINUTE, WaitReason::Retry),
                Bucket::Analytics => {
                    let most = limits.analytics_per_minute;
                    (Some(bucket), most, MINUTE, WaitReason::AnalyticsPerMinute(most))
                }
                Bucket::Music => {
                    let most = limits.music_per_minute;
                    (Some(bucket), most, MINUTE, WaitReason::MusicPerMinute(most))
                }
            },
        ];
        let blocked = MustWait {
            duration: self.blocked_until.saturating_sub(now),
            reason: WaitReason::TooManyRequests,
        };
        let full = windows
            .into_iter()
            .map(|(only, most, window, reason)| MustWait {
                duration: self.wait(only, most, window, now),
                reason,
            })
            .fold(
                blocked,
                |longest, wait| if wait.duration > longest.duration { wait } else { longest },
            );
        if !full.duration.is_zero() {
            return Err(full);
        }
        let ticket = Ticket(self.next);
        self.next += 1;
        self.sent.push_back(Entry { ticket, bucket, answered: None });
        Ok(ticket)
    }

    /// How long until fewer than `most` requests stand in the window.
    fn wait(&self, only: Option<Bucket>, most: usize, window: Duration, now: Duration) -> Duration {
        let mut times: Vec<Duration> = self
            .sent
            .iter()
            .filter(|entry| only.is_none_or(|bucket| entry.bucket == bucket))
            .map(|entry| entry.answered.unwrap_or(now))
            .collect();
        // A limit of zero would block for ever; the service never reports one.
        let Some(index) = times.len().checked_sub(most.max(1)) else { return Duration::ZERO };
        times.sort_unstable();
        (times[index] + window).saturating_sub(now)
    }

    fn settle(&mut self, ticket: Ticket, now: Duration) {
        if let Some(entry) = self.sent.iter_mut().find(|entry| entry.ticket == ticket) {
            entry.answered = Some(now);
        }
    }

    fn block(&mut self, until: Duration) {
        self.blocked_until = self.blocked_until.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Sends as fast as the pacer admits, each request answered after `answer`; gives the times of sending.
    fn run(pacer: &InProcess, bucket: Bucket, count: usize, answer: Duration) -> Vec<Duration> {
        let mut now = Duration::ZERO;
        let mut times = Vec::new();
        while times.len() < count {
            match pacer.admit(bucket, now) {
                Ok(ticket) => {
                    times.push(now);
                    now += answer;
                    pacer.settle(ticket, now);
                }
                Err(wait) => now += wait.duration,
            }
        }
        times
    }

    fn most_in_any(times: &[Duration], window: Duration) -> usize {
        times
            .iter()
            .map(|start| times.iter().filter(|t| *t >= start && **t < *start + window).count())
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn a_burst_goes_out_at_once_and_the_limits_are_used_in_full() {
        let times =
            run(&InProcess::new(RateLimits::default()), Bucket::General, 130, Duration::ZERO);
        assert_eq!(times[4], Duration::ZERO);
        assert_eq!(times[5], MS(1000));
        assert_eq!(most_in_any(&times, SECOND), 5);
        assert_eq!(most_in_any(&times, MINUTE), 60);
        assert_eq!(times[60], MS(60_000), "60 in the first minute, the next at once after it");
    }

    #[test]
    fn a_slow_answer_counts_from_its_arrival() {
        let times = run(&InProcess::new(RateLimits::default()), Bucket::General, 6, MS(10));
        assert_eq!(times[5], MS(1010), "the first was answered at 10 ms");
    }

    #[test]
    fn a_request_under_way_counts_as_now() {
        let pacer = InProcess::new(RateLimits::default());
        for _ in 0..5 {
            pacer.admit(Bucket::General, Duration::ZERO).unwrap();
        }
        let wait = pacer.admit(Bucket::General, MS(700)).unwrap_err();
        assert_eq!(wait, MustWait { duration: SECOND, reason: WaitReason::PerSecond(5) });
    }

    #[test]
    fn the_smaller_windows_bind_only_their_own() {
        let pacer = InProcess::new(RateLimits::default());
        let times = run(&pacer, Bucket::Music, 15, Duration::ZERO);
        let now = *times.last().unwrap();
        assert_eq!(
            pacer.admit(Bucket::Music, now + SECOND).unwrap_err().reason,
            WaitReason::MusicPerMinute(15)
        );
        pacer.admit(Bucket::Analytics, now + SECOND).unwrap();
        pacer.admit(Bucket::General, now + SECOND).unwrap();
    }

    #[test]
    fn a_block_holds_for_everybody_until_its_time() {
        let pacer = InProcess::new(RateLimits::default());
        pacer.block(MS(2500));
        pacer.block(MS(1000));
        let wait = pacer.admit(Bucket::Analytics, MS(500)).unwrap_err();
        assert_eq!(wait, MustWait { duration: MS(2000), reason: WaitReason::TooManyRequests });
        pacer.admit(Bucket::Analytics, MS(2500)).unwrap();
    }
}
