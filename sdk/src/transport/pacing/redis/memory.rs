//! What a client of a shared log knows by itself: its own requests, for a server that has lost them and for a share of the limits.

use std::time::Duration;

use serde_json::json;

use super::shared_log::{limits, ticket_name};
use crate::operation::Bucket;
use crate::transport::pacing::log::{LoggedRequest, Nanos, RequestLog, nanos};
use crate::transport::pacing::{RateLimits, Ticket};

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
