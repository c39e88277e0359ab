//! The time of the service, by which its dates are meant: the clock of this machine may be wrong.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use super::clock::Clock;
use super::retry::date_of;
use crate::blocking::locked;

/// The last `Date` of the service, and when it came, by the time that has passed.
#[derive(Debug, Default)]
pub(crate) struct ServiceTime(Mutex<Option<(SystemTime, Duration)>>);

impl ServiceTime {
    /// Notes the `Date` of a response that has just arrived.
    pub(super) fn note(&self, headers: &HeaderMap, clock: &dyn Clock) {
        if let Some(date) = date_of(headers) {
            *locked(&self.0) = Some((date, clock.passed()));
        }
    }

    /// Returns the time of the service; that of this machine as long as no response had a `Date`.
    pub(crate) fn now(&self, clock: &dyn Clock) -> SystemTime {
        let last = *locked(&self.0);
        let now = last.and_then(|(date, at)| date.checked_add(clock.passed().saturating_sub(at)));
        now.unwrap_or_else(|| clock.wall())
    }
}
