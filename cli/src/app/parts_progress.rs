//! Progress of a command over accounts: what the processes for them have reported, added up.

use std::sync::Mutex;
use std::time::Duration;

use crate::output::count;
use crate::signal::lock;
use crate::ui::{PartUpdate, Progress, Ui};

/// What a command over accounts took so far.
#[derive(Clone, Debug, Default)]
pub(super) struct PartTotals {
    pub(super) pages: usize,
    read: usize,
    pub(super) requests: usize,
    /// Number of requests that may have written something.
    pub(super) writes: usize,
    /// How long each account has waited, and how long it waits now.
    waits: Vec<(Duration, Duration)>,
}

/// Progress of a command over accounts, shown on a terminal.
pub(super) struct PartsProgress {
    totals: Mutex<PartTotals>,
    line: Progress,
}

impl PartsProgress {
    pub(super) fn new(ui: &Ui, accounts: usize) -> Self {
        let (totals, line) = (PartTotals::new(accounts), ui.progress(accounts));
        line.now(&totals.line());
        Self { totals: Mutex::new(totals), line }
    }

    /// Takes an update of the account at this index.
    pub(super) fn update(&self, nth: usize, update: PartUpdate) {
        let mut totals = lock(&self.totals);
        totals.update(nth, update);
        self.line.now(&totals.line());
    }

    /// Counts an account that is done.
    pub(super) fn done(&self, nth: usize) {
        let mut totals = lock(&self.totals);
        totals.waits[nth].1 = Duration::ZERO;
        self.line.now(&totals.line());
        self.line.step();
    }

    pub(super) fn totals(&self) -> PartTotals {
        lock(&self.totals).clone()
    }
}

impl PartTotals {
    fn new(accounts: usize) -> Self {
        Self { waits: vec![(Duration::ZERO, Duration::ZERO); accounts], ..Self::default() }
    }

    /// Takes an update of the account at this index.
    fn update(&mut self, nth: usize, update: PartUpdate) {
        let (waited, waits) = &mut self.waits[nth];
        match update {
            PartUpdate::Pages(pages) => self.pages += pages,
            PartUpdate::PageRead => self.read += 1,
            PartUpdate::Request => {
                self.requests += 1;
                *waits = Duration::ZERO;
            }
            PartUpdate::Write => self.writes += 1,
            PartUpdate::Wait(wait) => {
                *waited += wait;
                *waits = wait;
            }
            PartUpdate::Summary | PartUpdate::NoFile | PartUpdate::Failure(..) => {}
        }
    }

    /// Longest time that one account has waited.
    pub(super) fn waited(&self) -> Duration {
        self.waits.iter().map(|(waited, _)| *waited).max().unwrap_or_default()
    }

    /// Text after the number of accounts.
    fn line(&self) -> String {
        let Self { pages, read, requests, .. } = *self;
        let line = format!(
            "accounts, {read} of {} read, {}",
            count(pages, "page"),
            count(requests, "request")
        );
        let waits = self.waits.iter().map(|(_, waits)| waits.as_secs_f64().ceil());
        let waiting: Vec<f64> = waits.filter(|seconds| *seconds > 0.0).collect();
        let longest = waiting.iter().copied().fold(0.0, f64::max);
        match waiting.len() {
            0 => line,
            1 => format!("{line}, 1 account waiting {longest} s for rate limits"),
            many => format!("{line}, {many} accounts waiting up to {longest} s for rate limits"),
        }
    }

    /// Text at the end of the command.
    pub(super) fn summary(&self, accounts: usize) -> String {
        let Self { pages, requests, .. } = *self;
        let text = [count(accounts, "account"), count(pages, "page"), count(requests, "request")];
        let seconds = self.waited().as_secs();
        let waited = match seconds {
            0 => String::new(),
            _ => format!("; waited up to {seconds} s for rate limits"),
        };
        text.join(", ") + &waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_accounts_are_added_up_and_waits_end() {
        let mut totals = PartTotals::new(3);
        let seconds = Duration::from_secs;
        for (nth, update) in [
            (0, PartUpdate::Pages(2)),
            (1, PartUpdate::Pages(1)),
            (0, PartUpdate::Request),
            (0, PartUpdate::PageRead),
            (0, PartUpdate::Wait(seconds(10))),
            (1, PartUpdate::Wait(seconds(50))),
        ] {
            totals.update(nth, update);
        }
        let first = "accounts, 1 of 3 pages read, 1 request";
        let two = format!("{first}, 2 accounts waiting up to 50 s for rate limits");
        assert_eq!(totals.line(), two);
        totals.update(1, PartUpdate::Request);
        let one = "accounts, 1 of 3 pages read, 2 requests, 1 account waiting 10 s for rate limits";
        assert_eq!(totals.line(), one);
        totals.update(0, PartUpdate::Request);
        assert_eq!(totals.line(), "accounts, 1 of 3 pages read, 3 requests");
        assert_eq!(
            totals.summary(3),
            "3 accounts, 3 pages, 3 requests; waited up to 50 s for rate limits"
        );
    }
}
