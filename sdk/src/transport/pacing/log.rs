//! Log of recent requests, the decision when the next one may be sent, and the pacer that keeps the log in memory.
//!
//! A log that looks back over every window is safe whether the service counts in sliding or in fixed windows. A request counts from
//! the moment its answer arrived, because the service may have counted it as late as that. One that is still under way counts as if it
//! were sent now, for at most [`TRANSIT`]: after that the service has counted it, however long the answer takes, and the process that
//! sent it may have died.

use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{MustWait, NotAdmitted, Pacer, PacerFuture, PacerNote, RateLimits, Ticket, WaitReason};
use crate::blocking::locked;
use crate::operation::Bucket;
use crate::transport::clock::Clock;

/// Microseconds of one clock, which may be set back. Each request goes through the whole log, and to compare two `Duration`s takes several
/// times as long.
pub(super) type Micros = u64;

const SECOND: Micros = 1_000_000;
const MINUTE: Micros = 60 * SECOND;
/// Time from any request to the next one of background work, where the limit is one per second; less by as many times as the limit is higher.
/// Background work then never uses up the second in which a person's command sends one request after the other.
const BACKGROUND_GAP: Micros = SECOND * 5 / 4;
/// Maximum time between sending a request and its being counted.
const TRANSIT: Micros = 10 * SECOND;
/// Maximum time for which requests are blocked, whatever the service asked for: the next answer then shows the state. A mistaken `Retry-After` would
/// otherwise stop every process of the token.
const LONGEST_BLOCK: Micros = 60 * MINUTE;

/// Requests of the last minute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RequestLog {
    pub(super) sent: Vec<LoggedRequest>,
    pub(super) blocked: Option<BlockedPeriod>,
    /// The limits, if the service has reported them.
    pub(super) learned: Option<RateLimits>,
}

/// Row of the log in a file, which each request reads and writes as a whole.
type LogRow = (Ticket, Bucket, Micros, Option<Micros>);

impl From<LoggedRequest> for LogRow {
    fn from(LoggedRequest { ticket, bucket, sent, answered }: LoggedRequest) -> Self {
        (ticket, bucket, sent, answered)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "LogRow")]
pub(super) struct LoggedRequest {
    pub(super) ticket: Ticket,
    pub(super) bucket: Bucket,
    pub(super) sent: Micros,
    pub(super) answered: Option<Micros>,
}

/// Period in which nothing may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BlockedPeriod {
    pub(super) since: Micros,
    pub(super) until: Micros,
}

/// Maximum number of requests, of a bucket or of all, in any span of this length.
struct Window {
    only: Option<Bucket>,
    most: usize,
    length: Micros,
    reason: WaitReason,
}

/// What a pacer keeps to beside the limits of the service.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacerBounds {
    /// Upper bounds of the limits.
    pub(super) ceiling: Option<RateLimits>,
    /// Set to leave a fifth of each limit to other clients.
    pub(super) is_background: bool,
}

impl PacerBounds {
    /// Returns how much of a limit all clients together may have used before a request: background work is admitted within four fifths, so
    /// the rest is always free for people.
    fn share(self, most: usize) -> usize {
        if self.is_background { (most - most.div_ceil(5)).max(1) } else { most }
    }
}

pub(super) fn micros(time: Duration) -> Micros {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl RequestLog {
    pub(super) fn admit(
        &mut self,
        bounds: PacerBounds,
        bucket: Bucket,
        now: Duration,
    ) -> Result<Ticket, MustWait> {
        let wait = self.forecast(bounds, bucket, 0, now);
        if !wait.duration.is_zero() {
            return Err(wait);
        }
        let ticket = Ticket(Uuid::new_v4().as_u64_pair().0);
        // Without a limit no request is ever looked up again, and a log of them would slow each one.
        if self.limits(bounds.ceiling) != RateLimits::unlimited() || self.blocked.is_some() {
            self.sent.push(LoggedRequest { ticket, bucket, sent: micros(now), answered: None });
        }
        Ok(ticket)
    }

    /// Returns how long a request waits at least, if `ahead` others of its bucket go first and are answered at once.
    pub(super) fn forecast(
        &mut self,
        bounds: PacerBounds,
        bucket: Bucket,
        ahead: usize,
        now: Duration,
    ) -> MustWait {
        let now = micros(now);
        self.forget(now);
        let blocked = self.blocked.map_or(0, |block| block.until.saturating_sub(now));
        let (mut wait, mut reason) = (blocked, WaitReason::TooManyRequests);
        // Each window with the times at which requests were counted in it, in order.
        let with_times = |window: Window| {
            let counted = self
                .sent
                .iter()
                .filter(|entry| window.only.is_none_or(|bucket| entry.bucket == bucket));
            let mut times: Vec<Micros> = counted.map(|entry| entry.counted(now)).collect();
            times.sort_unstable();
            (window, times)
        };
        let windows = self.windows(bounds, bucket);
        let mut windows: Vec<_> = windows.into_iter().flatten().map(with_times).collect();
        for _ in 0..=ahead {
            for (window, times) in &windows {
                // A limit of zero would block for ever; the service never reports one.
                let oldest = times.len().checked_sub(window.most.max(1));
                let opens = oldest.map_or(0, |at| times[at].saturating_add(window.length));
                if opens.saturating_sub(now) > wait {
                    (wait, reason) = (opens - now, window.reason);
                }
            }
            for (_, times) in &mut windows {
                times.push(now.saturating_add(wait));
            }
        }
        MustWait { duration: Duration::from_micros(wait), reason }
    }

    /// Returns the limits in force: those of the service, but never more than the program allows itself.
    pub(super) fn limits(&self, ceiling: Option<RateLimits>) -> RateLimits {
        match (self.learned, ceiling) {
            (Some(learned), Some(ceiling)) => learned.zip(ceiling, usize::min),
            (Some(limits), None) | (None, Some(limits)) => limits,
            (None, None) => RateLimits::default(),
        }
    }

    pub(super) fn note(&mut self, note: PacerNote, now: Duration) {
        let now = micros(now);
        match note {
            PacerNote::Settled(ticket) => {
                if let Some(entry) = self.sent.iter_mut().rfind(|entry| entry.ticket == ticket) {
                    entry.answered = Some(now);
                }
            }
            PacerNote::Blocked(wait) => {
                let until = now.saturating_add(micros(wait).min(LONGEST_BLOCK));
                if self.blocked.is_none_or(|block| block.until < until) {
                    self.blocked = Some(BlockedPeriod { since: now, until });
                }
            }
            PacerNote::Learned(limits) => self.learned = Some(limits),
        }
    }

    /// Adds what another state of this log has and this one lacks: requests, answers, a longer block, limits.
    pub(super) fn merge(&mut self, other: &Self) {
        for entry in &other.sent {
            match self.sent.iter_mut().find(|kept| kept.ticket == entry.ticket) {
                Some(kept) => kept.answered = kept.answered.or(entry.answered),
                None => self.sent.push(entry.clone()),
            }
        }
        self.blocked =
            [self.blocked, other.blocked].into_iter().flatten().max_by_key(|it| it.until);
        self.learned = self.learned.or(other.learned);
    }

    /// Returns the number of requests that still fit into the minute.
    pub(super) fn remaining(&mut self, bounds: PacerBounds, now: Duration) -> usize {
        self.forget(micros(now));
        let per_minute = self.limits(bounds.ceiling).per_minute;
        bounds.share(per_minute).saturating_sub(self.sent.len())
    }

    /// Removes requests that no window reaches. Times in the future, because the clock was set back, become now.
    pub(super) fn forget(&mut self, now: Micros) {
        for entry in &mut self.sent {
            entry.sent = entry.sent.min(now);
            entry.answered = entry.answered.map(|at| at.min(now));
        }
        self.sent.retain(|entry| now - entry.counted(now) < MINUTE);
        if let Some(block) = &mut self.blocked {
            let length = block.until.saturating_sub(block.since).min(LONGEST_BLOCK);
            block.since = block.since.min(now);
            block.until = block.since.saturating_add(length);
        }
        self.blocked = self.blocked.filter(|block| now < block.until.saturating_add(MINUTE));
    }

    /// Returns the windows that a request of this bucket has to fit in.
    fn windows(&self, bounds: PacerBounds, bucket: Bucket) -> [Option<Window>; 4] {
        use WaitReason::{
            AnalyticsPerMinute, MusicPerMinute, PerMinute, PerSecond, TooManyRequests,
        };
        let RateLimits { per_second, per_minute, analytics_per_minute, music_per_minute } =
            self.limits(bounds.ceiling);
        let (per_second, second) = match self.blocked {
            Some(_) => (1, TooManyRequests),
            None => (per_second, PerSecond(per_second)),
        };
        let own = match bucket {
            Bucket::General => None,
            Bucket::Analytics => {
                Some((analytics_per_minute, AnalyticsPerMinute(analytics_per_minute)))
            }
            Bucket::Music => Some((music_per_minute, MusicPerMinute(music_per_minute))),
        };
        let window = |only, length, (most, reason)| {
            Some(Window { only, most: bounds.share(most), length, reason })
        };
        let gap = BACKGROUND_GAP / Micros::try_from(per_second.max(1)).unwrap_or(Micros::MAX);
        [
            window(None, SECOND, (per_second, second)),
            window(None, gap, (1, second)).filter(|_| bounds.is_background),
            window(None, MINUTE, (per_minute, PerMinute(per_minute))),
            own.and_then(|own| window(Some(bucket), MINUTE, own)),
        ]
    }
}

impl LoggedRequest {
    /// Returns the latest time at which the service counted the request, `now` at the latest.
    fn counted(&self, now: Micros) -> Micros {
        self.answered.unwrap_or(self.sent.saturating_add(TRANSIT)).min(now)
    }
}

/// A [`Pacer`] in memory. Clones share one log of requests.
#[derive(Clone, Debug, Default)]
pub struct InProcessPacer {
    bounds: PacerBounds,
    log: Arc<Mutex<RequestLog>>,
}

impl InProcessPacer {
    /// Returns a pacer with these limits that has sent nothing yet. The limits are upper bounds: it keeps within lower limits that the
    /// service reports, and ignores higher ones. [`InProcessPacer::default`] keeps within the limits of the interface, and then within the
    /// limits that the service reports.
    pub fn new(limits: RateLimits) -> Self {
        let bounds = PacerBounds { ceiling: Some(limits), is_background: false };
        Self { bounds, log: Arc::default() }
    }

    /// Sets whether this is background work. It keeps within four fifths of each limit, counting the requests of all clones, so others find a
    /// fifth free at any time.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use links_sdk::{Client, InProcessPacer, Token};
    ///
    /// let (pacer, token) = (InProcessPacer::default(), Token::new("lnk_secret")?);
    /// let builder = || Client::builder("https://links.example/api/v1").token(token.clone());
    /// let nightly = builder().pacer(Arc::new(pacer.clone().background(true))).build()?;
    /// let interactive = builder().pacer(Arc::new(pacer)).build()?;
    /// # let _ = (nightly, interactive);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn background(mut self, is_background: bool) -> Self {
        self.bounds.is_background = is_background;
        self
    }

    fn log(&self) -> MutexGuard<'_, RequestLog> {
        locked(&self.log)
    }
}

impl Pacer for InProcessPacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        let admitted = self.log().admit(self.bounds, bucket, clock.passed());
        Box::pin(ready(admitted.map_err(NotAdmitted::Wait)))
    }

    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        self.log().note(note, clock.passed());
        Box::pin(ready(()))
    }

    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        let wait = self.log().forecast(self.bounds, bucket, ahead, clock.passed());
        Box::pin(ready(Some(wait)))
    }

    fn remaining(&self, clock: &dyn Clock) -> Option<usize> {
        Some(self.log().remaining(self.bounds, clock.passed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: PacerBounds = PacerBounds { ceiling: None, is_background: false };
    const MS: fn(u64) -> Duration = Duration::from_millis;
    const SECOND: Duration = Duration::from_micros(super::SECOND);
    const MINUTE: Duration = Duration::from_micros(super::MINUTE);
    const TRANSIT: Duration = Duration::from_micros(super::TRANSIT);
    const LONGEST_BLOCK: Duration = Duration::from_micros(super::LONGEST_BLOCK);

    /// Sends as fast as the log admits, each request answered after `answer`; returns the times of sending.
    fn run(log: &mut RequestLog, bucket: Bucket, count: usize, answer: Duration) -> Vec<Duration> {
        let mut now = Duration::ZERO;
        let mut times = Vec::new();
        while times.len() < count {
            match log.admit(FREE, bucket, now) {
                Ok(ticket) => {
                    times.push(now);
                    now += answer;
                    log.note(PacerNote::Settled(ticket), now);
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
        let times = run(&mut RequestLog::default(), Bucket::General, 130, Duration::ZERO);
        assert_eq!(times[4], Duration::ZERO);
        assert_eq!(times[5], MS(1000));
        assert_eq!(most_in_any(&times, SECOND), 5);
        assert_eq!(most_in_any(&times, MINUTE), 60);
        assert_eq!(times[60], MS(60_000), "60 in the first minute, the next at once after it");
    }

    #[test]
    fn a_slow_answer_counts_from_its_arrival() {
        let times = run(&mut RequestLog::default(), Bucket::General, 6, MS(10));
        assert_eq!(times[5], MS(1010), "the first was answered at 10 ms");
    }

    #[test]
    fn a_request_under_way_counts_as_now_until_it_must_have_been_counted() {
        let mut log = RequestLog::default();
        for _ in 0..5 {
            log.admit(FREE, Bucket::General, Duration::ZERO).unwrap();
        }
        let mut wait = |at| log.admit(FREE, Bucket::General, at).map_err(|wait| wait.duration);
        assert_eq!(wait(MS(700)), Err(SECOND));
        assert_eq!(wait(TRANSIT + MS(600)), Err(MS(400)));
        assert!(wait(TRANSIT + SECOND).is_ok());
    }

    #[test]
    fn the_smaller_windows_bind_only_their_own() {
        let mut log = RequestLog::default();
        let times = run(&mut log, Bucket::Music, 15, Duration::ZERO);
        let now = *times.last().unwrap() + SECOND;
        let wait = log.admit(FREE, Bucket::Music, now).unwrap_err();
        assert_eq!(wait.reason, WaitReason::MusicPerMinute(15));
        log.admit(FREE, Bucket::Analytics, now).unwrap();
        log.admit(FREE, Bucket::General, now).unwrap();
    }

    #[test]
    fn a_block_holds_for_everybody_and_then_one_a_second_goes_out() {
        let mut log = RequestLog::default();
        log.note(PacerNote::Blocked(MS(2500)), Duration::ZERO);
        log.note(PacerNote::Blocked(MS(1000)), Duration::ZERO);
        let wait = log.admit(FREE, Bucket::Analytics, MS(500)).unwrap_err();
        assert_eq!(wait, MustWait { duration: MS(2000), reason: WaitReason::TooManyRequests });
        let ticket = log.admit(FREE, Bucket::Analytics, MS(2500)).unwrap();
        log.note(PacerNote::Settled(ticket), MS(2600));
        let wait = log.admit(FREE, Bucket::General, MS(2600)).unwrap_err();
        assert_eq!(wait, MustWait { duration: SECOND, reason: WaitReason::TooManyRequests });
        for _ in 0..5 {
            log.admit(FREE, Bucket::General, MS(2500) + MINUTE).unwrap();
        }
    }

    #[test]
    fn without_limits_nothing_is_kept_until_the_service_asks_to_wait() {
        let mut log = RequestLog::default();
        let unlimited = PacerBounds { ceiling: Some(RateLimits::unlimited()), ..FREE };
        let admit = |log: &mut RequestLog, now| log.admit(unlimited, Bucket::Music, now);
        for _ in 0..1000 {
            let ticket = admit(&mut log, SECOND).unwrap();
            log.note(PacerNote::Settled(ticket), SECOND);
        }
        assert_eq!(log.sent, []);
        log.note(PacerNote::Blocked(SECOND), SECOND);
        assert_eq!(admit(&mut log, SECOND).unwrap_err().reason, WaitReason::TooManyRequests);
        admit(&mut log, 2 * SECOND).unwrap();
        assert_eq!(admit(&mut log, 2 * SECOND).unwrap_err().duration, SECOND, "one a second");
        log.learned = Some(RateLimits { per_second: 1, ..RateLimits::default() });
        let later = 2 * SECOND + 2 * MINUTE;
        admit(&mut log, later).unwrap();
        assert_eq!(admit(&mut log, later).unwrap_err().reason, WaitReason::PerSecond(1));
    }

    #[test]
    fn two_states_of_a_log_are_merged_without_counting_a_request_twice() {
        let mut both = RequestLog::default();
        let shared = both.admit(FREE, Bucket::General, SECOND).unwrap();
        let (mut file, mut memory) = (both.clone(), both);
        file.admit(FREE, Bucket::General, SECOND).unwrap();
        file.note(PacerNote::Blocked(MS(2000)), SECOND);
        memory.note(PacerNote::Settled(shared), 2 * SECOND);
        memory.admit(FREE, Bucket::Music, 2 * SECOND).unwrap();
        memory.note(PacerNote::Blocked(MS(500)), SECOND);
        memory.learned = Some(RateLimits { per_second: 2, ..RateLimits::default() });
        file.merge(&memory);
        assert_eq!(file.sent.len(), 3);
        assert_eq!(file.sent[0].answered, Some(micros(2 * SECOND)));
        assert_eq!(file.blocked.map(|it| it.until), Some(micros(3 * SECOND)));
        assert_eq!(file.learned, memory.learned);
        let again = file.clone();
        file.merge(&memory);
        assert_eq!(file, again);
    }

    #[test]
    fn a_block_without_end_ends_after_an_hour() {
        let mut log = RequestLog::default();
        log.note(PacerNote::Blocked(Duration::MAX), SECOND);
        let wait = log.admit(FREE, Bucket::General, SECOND).unwrap_err();
        assert_eq!(wait.duration, LONGEST_BLOCK);
    }

    #[test]
    fn limits_reported_by_the_service_replace_the_defaults() {
        let mut log = RequestLog {
            learned: Some(RateLimits { per_second: 2, ..RateLimits::default() }),
            ..RequestLog::default()
        };
        let times = run(&mut log, Bucket::General, 3, Duration::ZERO);
        assert_eq!(times, [Duration::ZERO, Duration::ZERO, SECOND]);
    }

    #[test]
    fn limits_set_by_the_program_are_ceilings() {
        let of =
            |per_second, per_minute| RateLimits { per_second, per_minute, ..RateLimits::default() };
        let log = |learned| RequestLog { learned, ..RequestLog::default() };
        let limits = |learned, ceiling| log(learned).limits(ceiling);
        assert_eq!(limits(None, None), RateLimits::default());
        assert_eq!(limits(None, Some(of(2, 90))), of(2, 90));
        assert_eq!(limits(Some(of(10, 120)), None), of(10, 120));
        assert_eq!(limits(Some(of(10, 40)), Some(of(2, 90))), of(2, 40));
    }

    #[test]
    fn the_forecast_wait_equals_the_wait_until_admission() {
        for bucket in [Bucket::General, Bucket::Analytics, Bucket::Music] {
            let times = run(&mut RequestLog::default(), bucket, 130, Duration::ZERO);
            for ahead in [0, 4, 5, 14, 15, 59, 60, 129] {
                let wait = RequestLog::default().forecast(FREE, bucket, ahead, Duration::ZERO);
                assert_eq!(wait.duration, times[ahead], "{bucket:?}, after {ahead}");
            }
        }
        let mut log = RequestLog::default();
        log.note(PacerNote::Blocked(MS(2500)), Duration::ZERO);
        let wait = log.forecast(FREE, Bucket::General, 3, Duration::ZERO);
        let reason = WaitReason::TooManyRequests;
        assert_eq!(wait, MustWait { duration: MS(5500), reason });
    }

    #[test]
    fn after_the_clock_was_set_back_what_was_sent_was_sent_now() {
        let hour = Duration::from_secs(3600);
        let mut log = RequestLog::default();
        for _ in 0..5 {
            let ticket = log.admit(FREE, Bucket::General, hour).unwrap();
            log.note(PacerNote::Settled(ticket), hour);
        }
        assert_eq!(log.admit(FREE, Bucket::General, SECOND).unwrap_err().duration, SECOND);
        log.admit(FREE, Bucket::General, 2 * SECOND).unwrap();

        log.note(PacerNote::Blocked(MS(5000)), hour);
        assert_eq!(log.admit(FREE, Bucket::General, SECOND).unwrap_err().duration, MS(5000));
        assert_eq!(log.admit(FREE, Bucket::General, 3 * SECOND).unwrap_err().duration, MS(3000));
    }
}
