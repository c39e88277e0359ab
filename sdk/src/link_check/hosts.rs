//! What is known about the hosts of one check: how many requests each may get at once, and which of them are not asked any more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use url::Url;

use super::visit::VisitEnd;

/// Number of requests that a host gets at once.
const PER_HOST: usize = 2;

/// Number of requests in a row without an answer after which a host is not asked any more.
const MISSES: u32 = 3;

/// Time within which a host has to answer. One that was given less, because others have used it up, has not missed a request.
const FAIR: Duration = Duration::from_secs(10);

/// Hosts of one check, by name and port.
#[derive(Debug, Default)]
pub(super) struct HostTable(Mutex<HashMap<String, Arc<HostState>>>);

/// What is known about a host.
#[derive(Debug)]
pub(super) struct HostState {
    pub(super) permits: Semaphore,
    misses: AtomicU32,
    /// Status with which it turned a request away twice, or 0.
    turned_away: AtomicU16,
}

impl HostTable {
    /// Returns what is known about the host of a URL.
    pub(super) fn of(&self, url: &Url) -> Arc<HostState> {
        let host = url.host_str().unwrap_or_default();
        let name = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.entry(name).or_default().clone()
    }
}

impl Default for HostState {
    fn default() -> Self {
        Self {
            permits: Semaphore::new(PER_HOST),
            misses: AtomicU32::new(0),
            turned_away: AtomicU16::new(0),
        }
    }
}

impl HostState {
    /// Returns the end of a visit to a host that is not asked any more.
    pub(super) fn is_given_up(&self) -> Option<VisitEnd> {
        match self.turned_away.load(Ordering::Relaxed) {
            0 => (self.misses.load(Ordering::Relaxed) >= MISSES).then_some(VisitEnd::SilentHost),
            status => Some(VisitEnd::Status(status)),
        }
    }

    /// Notes the result of a request for which there was so much time.
    pub(super) fn note(&self, end: Option<&VisitEnd>, time: Duration) {
        match end {
            Some(VisitEnd::Timeout) if time < FAIR => {}
            Some(VisitEnd::Timeout | VisitEnd::Connection(_)) => {
                self.misses.fetch_add(1, Ordering::Relaxed);
            }
            Some(_) => {}
            None => self.misses.store(0, Ordering::Relaxed),
        }
    }

    /// Notes that the host turned a request away although it was waited for.
    pub(super) fn note_turned_away(&self, status: u16) {
        self.turned_away.store(status, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_does_not_answer_is_given_up() {
        let hosts = HostTable::default();
        let of = |url: &str| hosts.of(&Url::parse(url).unwrap());
        let host = of("https://qara.example/menu");
        for _ in 1..MISSES {
            host.note(Some(&VisitEnd::Timeout), FAIR);
        }
        host.note(Some(&VisitEnd::NoHost), FAIR);
        host.note(Some(&VisitEnd::Timeout), FAIR / 2);
        assert_eq!(host.is_given_up(), None);
        host.note(None, FAIR);
        for _ in 0..MISSES {
            assert_eq!(host.is_given_up(), None);
            host.note(Some(&VisitEnd::Connection("refused".to_owned())), FAIR);
        }
        assert_eq!(of("https://QARA.example:443/").is_given_up(), Some(VisitEnd::SilentHost));
        assert_eq!(of("https://qara.example:444/").is_given_up(), None);
        let busy = of("http://busy.example/");
        busy.note_turned_away(429);
        assert_eq!(busy.is_given_up(), Some(VisitEnd::Status(429)));
    }
}
