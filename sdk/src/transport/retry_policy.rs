//! Policy of the retries of a call, and the budget of a client, so that a service in trouble is not sent many times as many requests.

use std::sync::Mutex;
use std::time::Duration;

use crate::blocking::locked;

/// Limits for the retries of each call, and of all calls of a client together. Whether an attempt can be retried at all depends on what it
/// proves: see [what every call does](crate#what-every-call-does).
///
/// ```
/// use std::time::Duration;
///
/// use links_sdk::{Client, RetryPolicy};
///
/// let policy = RetryPolicy::default().max_attempts(2).max_total_wait(Duration::from_secs(10));
/// let client = Client::builder("https://links.example/api/v1").retry(policy).build()?;
/// # Ok::<(), links_sdk::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    pub(crate) max_attempts: u32,
    max_total_wait: Option<Duration>,
    pub(super) budget: u32,
    pub(super) refill: Duration,
}

impl Default for RetryPolicy {
    /// Returns the policy of a client for which none is set: four attempts, waits that only the deadline bounds, and a budget of 20 retries,
    /// one more every 5 seconds.
    fn default() -> Self {
        let refill = Duration::from_secs(5);
        Self { max_attempts: 4, max_total_wait: None, budget: 20, refill }
    }
}

impl RetryPolicy {
    /// Returns the policy for a program that repeats calls itself: one attempt, and no wait after it. A request whose token was replaced is
    /// still sent once more.
    ///
    /// ```
    /// use links_sdk::{Client, RetryPolicy};
    ///
    /// let client = Client::builder("https://links.example/api/v1").retry(RetryPolicy::never()).build()?;
    /// # Ok::<(), links_sdk::BuildError>(())
    /// ```
    pub fn never() -> Self {
        Self { max_attempts: 1, max_total_wait: Some(Duration::ZERO), ..Self::default() }
    }

    /// Sets the maximum number of failed attempts of a call; by default 4, and at least 1. Attempts without a response, or with a response
    /// that the service was not able to give, count as failed. An attempt after a 429 does not count.
    ///
    /// ```
    /// use links_sdk::RetryPolicy;
    ///
    /// assert_eq!(RetryPolicy::default().max_attempts(4), RetryPolicy::default());
    /// ```
    pub fn max_attempts(self, attempts: u32) -> Self {
        Self { max_attempts: attempts.max(1), ..self }
    }

    /// Sets the maximum total time that a call waits between its attempts, including waits after a 429. A wait that would exceed it is not
    /// started: the call fails at once. By default, only the [deadline](crate::ClientBuilder::deadline) of the call limits its waits. It
    /// does not apply to waits for the rate limits, which have [their own limit](crate::ClientBuilder::max_wait).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use links_sdk::RetryPolicy;
    ///
    /// let policy = RetryPolicy::default().max_total_wait(Duration::from_secs(5));
    /// assert_ne!(policy, RetryPolicy::default());
    /// ```
    pub fn max_total_wait(self, wait: Duration) -> Self {
        Self { max_total_wait: Some(wait), ..self }
    }

    /// Sets the number of retries that all calls of a client can make together before calls fail without a retry, and the time after which
    /// one more retry is allowed. By default these are 20 and 5 seconds, so a service in trouble gets at most 12 additional requests per
    /// minute, and after an outage the budget is full again within 100 seconds. With a time of zero, the number of retries is not limited.
    /// An attempt after a 429, or with a renewed token, does not use the budget.
    ///
    /// Clones of a client share its budget. Each client created by [`with_token`](crate::Client::with_token) has its own.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use links_sdk::RetryPolicy;
    ///
    /// let policy = RetryPolicy::default().budget(100, Duration::from_secs(1));
    /// assert_eq!(RetryPolicy::default().budget(20, Duration::from_secs(5)), RetryPolicy::default());
    /// # let _ = policy;
    /// ```
    pub fn budget(self, retries: u32, refill: Duration) -> Self {
        Self { budget: retries, refill, ..self }
    }

    /// Returns whether a call that has waited this long may wait once more.
    pub(super) fn allows(self, waited: Duration, wait: Duration) -> bool {
        // Without any time for waits, not even a wait of no time is one: it could be repeated without end.
        self.max_total_wait
            .is_none_or(|most| !most.is_zero() && waited.saturating_add(wait) <= most)
    }
}

/// Retries that are left, as the time in which they come back: a retry costs the time after which one more is allowed.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    policy: RetryPolicy,
    /// When all retries are back, by the client's monotonic clock.
    full_at: Mutex<Duration>,
}

impl RetryBudget {
    pub(crate) fn full(policy: RetryPolicy) -> Self {
        Self { policy, full_at: Mutex::default() }
    }

    /// Takes one retry, if one is left.
    pub(super) fn take(&self, now: Duration) -> bool {
        let RetryPolicy { budget, refill, .. } = self.policy;
        let mut full_at = locked(&self.full_at);
        let spent = full_at.saturating_sub(now).checked_add(refill);
        let most = refill.saturating_mul(budget);
        let Some(spent) = spent.filter(|spent| *spent <= most) else { return false };
        *full_at = now.saturating_add(spent);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_the_waits_is_bounded() {
        let second = Duration::from_secs(1);
        assert!(RetryPolicy::default().allows(Duration::MAX, second));
        let policy = RetryPolicy::default().max_total_wait(second * 3);
        assert!(policy.allows(second * 2, second));
        assert!(!policy.allows(second * 2, second * 2));
        assert!(!RetryPolicy::never().allows(Duration::ZERO, Duration::ZERO));
        assert_eq!(RetryPolicy::default().max_attempts(0).max_attempts, 1);
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn budget() -> RetryBudget {
        RetryBudget::full(RetryPolicy::default().budget(20, 5 * SECOND))
    }

    fn left(budget: &RetryBudget, now: Duration) -> usize {
        (0..30).filter(|_| budget.take(now)).count()
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
        assert_eq!(left(&empty, 1000 * SECOND), 0);
        let endless = RetryBudget::full(RetryPolicy::default().budget(1, Duration::ZERO));
        assert_eq!(left(&endless, SECOND), 30);
        let rare = RetryBudget::full(RetryPolicy::default().budget(u32::MAX, Duration::MAX));
        assert_eq!(left(&rare, SECOND), 1);
    }
}
