//! The log of what was sent lately, and the decision over it.
//!
//! A log that looks back over every window is safe whether the service counts in sliding or in fixed windows. A request counts from
//! the moment its answer arrived, because the service may have counted it as late as that. One that is still under way counts as if it
//! were sent now, for at most [`TRANSIT`]: after that the service has counted it, however long the answer takes, and the process that
//! sent it may have died.

use std::time::Duration;

use uuid::Uuid;

use super::{MustWait, RateLimits, Ticket, WaitReason};
use crate::operation::Bucket;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Longest time between sending a request and its being counted.
pub(super) const TRANSIT: Duration = Duration::from_secs(10);
/// After so long a request is tried, whatever the service said: its answer then says how things are. A mistaken `Retry-After` would
/// otherwise stop every process of the token.
const LONGEST_BLOCK: Duration = Duration::from_secs(60 * 60);

/// What was sent in the last minute. All times are of one clock, which may be set back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Log {
    pub(super) sent: Vec<Entry>,
    pub(super) blocked: Option<Block>,
    /// The limits, where the service has named them.
    pub(super) learned: Option<RateLimits>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) ticket: Ticket,
    pub(super) bucket: Bucket,
    pub(super) sent: Duration,
    pub(super) answered: Option<Duration>,
}

/// From when until when nothing may be sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) since: Duration,
    pub(super) until: Duration,
}

impl Log {
    pub(super) fn admit(
        &mut self,
        limits: &RateLimits,
        bucket: Bucket,
        now: Duration,
    ) -> Result<Ticket, MustWait> {
        self.forget(now);
        let wait = self.longest_wait(&self.learned.unwrap_or(*limits), bucket, now);
        if !wait.duration.is_zero() {
            return Err(wait);
        }
        let ticket = Ticket(Uuid::new_v4().as_u64_pair().0);
        self.sent.push(Entry { ticket, bucket, sent: now, answered: None });
        Ok(ticket)
    }

    pub(super) fn settle(&mut self, ticket: Ticket, now: Duration) {
        if let Some(entry) = self.sent.iter_mut().find(|entry| entry.ticket == ticket) {
            entry.answered = Some(now);
        }
    }

    pub(super) fn block(&mut self, wait: Duration, now: Duration) {
        let until = now + wait.min(LONGEST_BLOCK);
        if self.blocked.is_none_or(|block| block.until < until) {
            self.blocked = Some(Block { since: now, until });
        }
    }

    /// Requests that the minute still has room for.
    pub(super) fn left(&mut self, limits: &RateLimits, now: Duration) -> usize {
        self.forget(now);
        self.learned.unwrap_or(*limits).per_minute.saturating_sub(self.sent.len())
    }

    /// Drops what no window reaches. What lies in the future, because the clock was set back, happens now.
    fn forget(&mut self, now: Duration) {
        for entry in &mut self.sent {
            entry.sent = entry.sent.min(now);
            entry.answered = entry.answered.map(|at| at.min(now));
        }
        self.sent.retain(|entry| now.saturating_sub(entry.counted(now)) < MINUTE);
        if let Some(block) = &mut self.blocked {
            let length = block.until.saturating_sub(block.since).min(LONGEST_BLOCK);
            block.since = block.since.min(now);
            block.until = block.since + length;
        }
        self.blocked = self.blocked.filter(|block| now < block.until + MINUTE);
    }

    fn longest_wait(&self, limits: &RateLimits, bucket: Bucket, now: Duration) -> MustWait {
        use WaitReason::{
            AnalyticsPerMinute, MusicPerMinute, PerMinute, PerSecond, TooManyRequests,
        };
        let blocked = self.blocked.map_or(Duration::ZERO, |block| block.until.saturating_sub(now));
        let (per_second, second) = match self.blocked {
            Some(_) => (1, TooManyRequests),
            None => (limits.per_second, PerSecond(limits.per_second)),
        };
        let (music, analytics) = (limits.music_per_minute, limits.analytics_per_minute);
        let own = match bucket {
            Bucket::General => None,
            Bucket::Analytics => Some((analytics, AnalyticsPerMinute(analytics))),
            Bucket::Music => Some((music, MusicPerMinute(music))),
        };
        let windows = [
            (self.wait(None, per_second, SECOND, now), second),
            (self.wait(None, limits.per_minute, MINUTE, now), PerMinute(limits.per_minute)),
        ];
        let own = own.map(|(most, reason)| (self.wait(Some(bucket), most, MINUTE, now), reason));
        windows.into_iter().chain(own).fold(
            MustWait { duration: blocked, reason: TooManyRequests },
            |longest, (duration, reason)| {
                if duration > longest.duration { MustWait { duration, reason } } else { longest }
            },
        )
    }

    /// How long until fewer than `most` requests stand in the window.
    fn wait(&self, only: Option<Bucket>, most: usize, window: Duration, now: Duration) -> Duration {
        let mut times: Vec<Duration> = self
            .sent
            .iter()
            .filter(|entry| only.is_none_or(|bucket| entry.bucket == bucket))
            .map(|entry| entry.counted(now))
            .collect();
        // A limit of zero would block for ever; the service never reports one.
        let Some(index) = times.len().checked_sub(most.max(1)) else { return Duration::ZERO };
        times.sort_unstable();
        (times[index] + window).saturating_sub(now)
    }
}

impl Entry {
    /// When the service counted it, at the latest.
    fn counted(&self, now: Duration) -> Duration {
        self.answered.unwrap_or_else(|| now.min(self.sent + TRANSIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const LIMITS: fn() -> RateLimits = RateLimits::default;

    /// Sends as fast as the log admits, each request answered after `answer`; gives the times of sending.
    fn run(log: &mut Log, bucket: Bucket, count: usize, answer: Duration) -> Vec<Duration> {
        let mut now = Duration::ZERO;
        let mut times = Vec::new();
        while times.len() < count {
            match log.admit(&LIMITS(), bucket, now) {
                Ok(ticket) => {
                    times.push(now);
                    now += answer;
                    log.settle(ticket, now);
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
        let times = run(&mut Log::default(), Bucket::General, 130, Duration::ZERO);
        assert_eq!(times[4], Duration::ZERO);
        assert_eq!(times[5], MS(1000));
        assert_eq!(most_in_any(&times, SECOND), 5);
        assert_eq!(most_in_any(&times, MINUTE), 60);
        assert_eq!(times[60], MS(60_000), "60 in the first minute, the next at once after it");
    }

    #[test]
    fn a_slow_answer_counts_from_its_arrival() {
        let times = run(&mut Log::default(), Bucket::General, 6, MS(10));
        assert_eq!(times[5], MS(1010), "the first was answered at 10 ms");
    }

    #[test]
    fn a_request_under_way_counts_as_now_until_it_must_have_been_counted() {
        let mut log = Log::default();
        for _ in 0..5 {
            log.admit(&LIMITS(), Bucket::General, Duration::ZERO).unwrap();
        }
        let mut wait = |at| log.admit(&LIMITS(), Bucket::General, at).map_err(|wait| wait.duration);
        assert_eq!(wait(MS(700)), Err(SECOND));
        assert_eq!(wait(TRANSIT + MS(600)), Err(MS(400)));
        assert!(wait(TRANSIT + SECOND).is_ok());
    }

    #[test]
    fn the_smaller_windows_bind_only_their_own() {
        let mut log = Log::default();
        let times = run(&mut log, Bucket::Music, 15, Duration::ZERO);
        let now = *times.last().unwrap() + SECOND;
        let wait = log.admit(&LIMITS(), Bucket::Music, now).unwrap_err();
        assert_eq!(wait.reason, WaitReason::MusicPerMinute(15));
        log.admit(&LIMITS(), Bucket::Analytics, now).unwrap();
        log.admit(&LIMITS(), Bucket::General, now).unwrap();
    }

    #[test]
    fn a_block_holds_for_everybody_and_then_one_a_second_goes_out() {
        let mut log = Log::default();
        log.block(MS(2500), Duration::ZERO);
        log.block(MS(1000), Duration::ZERO);
        let wait = log.admit(&LIMITS(), Bucket::Analytics, MS(500)).unwrap_err();
        assert_eq!(wait, MustWait { duration: MS(2000), reason: WaitReason::TooManyRequests });
        let ticket = log.admit(&LIMITS(), Bucket::Analytics, MS(2500)).unwrap();
        log.settle(ticket, MS(2600));
        let wait = log.admit(&LIMITS(), Bucket::General, MS(2600)).unwrap_err();
        assert_eq!(wait, MustWait { duration: SECOND, reason: WaitReason::TooManyRequests });
        for _ in 0..5 {
            log.admit(&LIMITS(), Bucket::General, MS(2500) + MINUTE).unwrap();
        }
    }

    #[test]
    fn a_block_without_end_ends_after_an_hour() {
        let mut log = Log::default();
        log.block(Duration::MAX, SECOND);
        let wait = log.admit(&LIMITS(), Bucket::General, SECOND).unwrap_err();
        assert_eq!(wait.duration, LONGEST_BLOCK);
    }

    #[test]
    fn what_the_service_reports_replaces_the_numbers() {
        let mut log =
            Log { learned: Some(RateLimits { per_second: 2, ..LIMITS() }), ..Log::default() };
        let times = run(&mut log, Bucket::General, 3, Duration::ZERO);
        assert_eq!(times, [Duration::ZERO, Duration::ZERO, SECOND]);
    }

    #[test]
    fn after_the_clock_was_set_back_what_was_sent_was_sent_now() {
        let hour = Duration::from_secs(3600);
        let mut log = Log::default();
        for _ in 0..5 {
            let ticket = log.admit(&LIMITS(), Bucket::General, hour).unwrap();
            log.settle(ticket, hour);
        }
        assert_eq!(log.admit(&LIMITS(), Bucket::General, SECOND).unwrap_err().duration, SECOND);
        log.admit(&LIMITS(), Bucket::General, 2 * SECOND).unwrap();

        log.block(MS(5000), hour);
        assert_eq!(log.admit(&LIMITS(), Bucket::General, SECOND).unwrap_err().duration, MS(5000));
        assert_eq!(
            log.admit(&LIMITS(), Bucket::General, 3 * SECOND).unwrap_err().duration,
            MS(3000)
        );
    }
}
