//! Budget of retries of a client: every success returns a tenth of one, so that retries cannot pile up.

use std::sync::atomic::{AtomicU32, Ordering};

/// Budget in tenths of a retry.
#[derive(Debug)]
pub(crate) struct RetryBudget(AtomicU32);

const FULL: u32 = 200;
const ONE_RETRY: u32 = 10;

impl RetryBudget {
    pub(crate) fn full() -> Self {
        Self(AtomicU32::new(FULL))
    }

    /// Takes one retry, if one is left.
    pub(super) fn take(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(ONE_RETRY))
            .is_ok()
    }

    pub(super) fn give_back(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left < FULL).then_some(left + 1)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_successes_are_worth_one_retry() {
        let budget = RetryBudget::full();
        budget.give_back();
        assert_eq!((0..30).filter(|_| budget.take()).count(), 20);
        (0..9).for_each(|_| budget.give_back());
        assert!(!budget.take());
        budget.give_back();
        assert!(budget.take() && !budget.take());
    }
}
