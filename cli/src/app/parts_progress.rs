//! Progress of a command over accounts: what the processes for them have reported, added up.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::context::clock;
use crate::output::count;
use crate::signal::lock;
use crate::ui::{PartUpdate, Progress, Ui};

/// What a process has reported.
#[derive(Clone, Debug, Default)]
struct PartState {
    pages: usize,
    read: usize,
    requests: usize,
    writes: usize,
    /// Sum of the waits.
    waited: Duration,
    /// End of the wait, by the monotonic clock.
    waits_until: Duration,
}

/// What a command over accounts took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PartTotals {
    pub(super) pages: usize,
    read: usize,
    pub(super) requests: usize,
    /// Number of requests that may have written something.
    pub(super) writes: usize,
    /// Longest time that one account has waited.
    pub(super) waited: Duration,
    /// Number of accounts that wait now, and the longest rest of these waits.
    waiting: (usize, Duration),
}

/// Progress of a command over accounts, shown on a terminal.
pub(super) struct PartsProgress {
    states: Arc<Mutex<Vec<PartState>>>,
    line: Progress,
}

impl PartsProgress {
    pub(super) fn new(ui: &Ui, accounts: usize) -> Self {
        let states = Arc::new(Mutex::new(vec![PartState::default(); accounts]));
        let shown = states.clone();
        let line = ui.live_progress(accounts, move || totals(&shown, clock().monotonic()).line());
        Self { states, line }
    }

    /// Takes an update of the account at this index.
    pub(super) fn update(&self, nth: usize, update: PartUpdate) {
        self::update(&self.states, nth, update, clock().monotonic());
    }

    /// Counts an account that is done.
    pub(super) fn done(&self, nth: usize) {
        if let Some(state) = lock(&self.states).get_mut(nth) {
            state.waits_until = Duration::ZERO;
        }
        self.line.step();
    }

    pub(super) fn totals(&self) -> PartTotals {
        totals(&self.states, clock().monotonic())
    }
}

fn update(states: &Mutex<Vec<PartState>>, nth: usize, update: PartUpdate, now: Duration) {
    let mut states = lock(states);
    let Some(state) = states.get_mut(nth) else { return };
    match update {
        PartUpdate::Pages(pages) => state.pages += pages,
        PartUpdate::PageRead => state.read += 1,
        PartUpdate::Request => {
            state.requests += 1;
            state.waits_until = Duration::ZERO;
        }
        PartUpdate::Write => state.writes += 1,
        PartUpdate::Wait(wait) => {
            state.waited += wait;
            state.waits_until = now + wait;
        }
        PartUpdate::Summary | PartUpdate::NoFile => {}
    }
}

fn totals(states: &Mutex<Vec<PartState>>, now: Duration) -> PartTotals {
    let mut totals = PartTotals::default();
    for state in lock(states).iter() {
        totals.pages += state.pages;
        totals.read += state.read;
        totals.requests += state.requests;
        totals.writes += state.writes;
        totals.waited = totals.waited.max(state.waited);
        let left = state.waits_until.saturating_sub(now);
        let (waiting, longest) = totals.waiting;
        totals.waiting = (waiting + usize::from(!left.is_zero()), longest.max(left));
    }
    totals
}

impl PartTotals {
    /// Text after the number of accounts.
    fn line(&self) -> String {
        let Self { pages, read, requests, waiting: (waiting, longest), .. } = *self;
        let line = format!(
            "accounts, {read} of {} read, {}",
            count(pages, "page"),
            count(requests, "request")
        );
        let seconds = longest.as_secs_f64().ceil();
        match waiting {
            0 => line,
            1 => format!("{line}, 1 account waiting {seconds} s for rate limits"),
            _ => format!("{line}, {waiting} accounts waiting up to {seconds} s for rate limits"),
        }
    }

    /// Text at the end of the command.
    pub(super) fn summary(&self, accounts: usize) -> String {
        let Self { pages, requests, waited, .. } = *self;
        let text = [count(accounts, "account"), count(pages, "page"), count(requests, "request")];
        let seconds = waited.as_secs();
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
        let states = Mutex::new(vec![PartState::default(); 3]);
        let seconds = Duration::from_secs;
        for (nth, update) in [
            (0, PartUpdate::Pages(2)),
            (1, PartUpdate::Pages(1)),
            (0, PartUpdate::Request),
            (0, PartUpdate::PageRead),
            (0, PartUpdate::Wait(seconds(10))),
            (1, PartUpdate::Wait(seconds(50))),
            (7, PartUpdate::Request),
        ] {
            super::update(&states, nth, update, seconds(100));
        }
        let line = |now| totals(&states, seconds(now)).line();
        let first = "accounts, 1 of 3 pages read, 1 request";
        assert_eq!(line(105), format!("{first}, 2 accounts waiting up to 45 s for rate limits"));
        assert_eq!(line(111), format!("{first}, 1 account waiting 39 s for rate limits"));
        super::update(&states, 1, PartUpdate::Request, seconds(112));
        assert_eq!(line(112), "accounts, 1 of 3 pages read, 2 requests");
        assert_eq!(
            totals(&states, seconds(200)).summary(3),
            "3 accounts, 3 pages, 2 requests; waited up to 50 s for rate limits"
        );
    }
}
