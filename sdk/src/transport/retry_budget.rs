//! Budget of retries of a client, so that a service in trouble is not sent many times as many requests.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::retry_policy::RetryPolicy;

/// Retries that are left, as the time in which they come back: a retry costs the time after which one more is allowed.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    /// Time after which one more retry is allowed.
    refill: Duration,
    most: Duration,
    left: Mutex<Left>,
}

#[derive(Debug)]
struct Left {
    time: Duration,
    /// When that was so, by the client's monotonic clock.
    at: Duration,
}

/// Number of successes that are worth a retry.
const SUCCESSES: u32 = 10;

impl RetryBudget {
    pub(crate) fn full(policy: RetryPolicy) -> Self {
        let most = policy.refill.saturating_mul(policy.budget);
        Self {
            refill: policy.refill,
            most,
            left: Mutex::new(Left { time: most, at: Duration::ZERO }),
        }
    }

    /// Takes one retry, if one is left.
    pub(super) fn take(&self, now: Duration) -> bool {
        self.change(now, |left| left.checked_sub(self.refill))
    }

    /// Adds what a success is worth.
    pub(super) fn give_back(&self, now: Duration) {
        self.change(now, |left| Some(left.saturating_add(self.refill / SUCCESSES)));
    }

    fn change(&self, now: Duration, by: impl FnOnce(Duration) -> Option<Duration>) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let time = left.time.saturating_add(now.saturating_sub(left.at)).min(self.most);
        let changed = by(time);
        *left = Left { time: changed.unwrap_or(time).min(self.most), at: now.max(left.at) };
        changed.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn budget() -> RetryBudget {
        RetryBudget::full(RetryPolicy::default().budget(20, 5 * SECOND))
    }

    fn left(budget: &RetryBudget, now: Duration) -> usize {
        (0..30).filter(|_| budget.take(now)).count()
    }

    #[test]
    fn ten_successes_are_worth_one_retry() {
        let budget = budget();
        budget.give_back(SECOND);
        assert_eq!(left(&budget, SECOND), 20);
        (0..9).for_each(|_| budget.give_back(SECOND));
        assert!(!budget.take(SECOND));
        budget.give_back(SECOND);
        assert!(budget.take(SECOND) && !budget.take(SECOND));
    }

    #[test]
    fn retries_come_back_with_time_up_to_the_most() {
        let budget = budget();
        assert_eq!(left(&budget, 7 * SECOND), 20);
        assert!(!budget.take(11 * SECOND) && budget.take(12 * SECOND));
        assert!(!budget.take(12 * SECOND));
        // A clock that another task has read before.
        assert!(!budget.take(SECOND) && !budget.take(16 * SECOND) && budget.take(17 * SECOND));
        assert_eq!(left(&budget, 47 * SECOND), 6);
        assert_eq!(left(&budget, 100_000 * SECOND), 20);
    }

    #[test]
    fn a_budget_can_be_empty_or_without_end() {
        let empty = RetryBudget::full(RetryPolicy::default().budget(0, SECOND));
        empty.give_back(SECOND);
        assert_eq!(left(&empty, 1000 * SECOND), 0);
        let endless = RetryBudget::full(RetryPolicy::default().budget(1, Duration::ZERO));
        assert_eq!(left(&endless, SECOND), 30);
        let rare = RetryBudget::full(RetryPolicy::default().budget(u32::MAX, Duration::MAX));
        assert_eq!(left(&rare, SECOND), 1);
    }
}
