//! Turns of the runs of this process on a page: one at a time, also where no journal and so no lock of a file is kept.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::OwnedMutexGuard;

use super::LockError;
use super::journal::short_hash;
use links_sdk::{Client, ProfileId, runs};

/// Number of pages from which those without a run are forgotten.
const MANY: usize = 1000;

static TURNS: LazyLock<Mutex<Turns>> = LazyLock::new(Mutex::default);

/// URL of the service and ID of the page.
type PageKey = (String, ProfileId);

#[derive(Default)]
struct Turns {
    /// Number of turns that have ended.
    ended: u64,
    /// Number of turns that had ended when pages were last forgotten.
    forgotten: u64,
    /// Turns of pages, each with the number of the last one that has ended.
    pages: HashMap<PageKey, Arc<tokio::sync::Mutex<u64>>>,
}

/// Turn of a run on its page, until it is dropped.
#[derive(Debug)]
pub(super) struct PageTurn {
    page: PageKey,
    /// Number of the lock for other machines, once it was taken.
    number: Option<u64>,
    last: OwnedMutexGuard<u64>,
}

/// Returns the number of turns that have ended, for [`PageTurn::is_first_since`].
pub(super) fn ended_turns() -> u64 {
    turns().ended
}

impl PageTurn {
    /// Takes the turn. `wait` waits until no other run of this process has it.
    pub(super) async fn take(page: PageKey, wait: bool) -> Result<Self, LockError> {
        let turn = turns().pages.entry(page.clone()).or_default().clone();
        let last = match turn.clone().try_lock_owned() {
            Err(_) if wait => turn.lock_owned().await,
            taken => taken.map_err(|_| LockError::Taken(Some(std::process::id())))?,
        };
        Ok(Self { page, number: None, last })
    }

    /// Locks the page for the machines that share the limits of this client, before the first write, and renews the lock before each other.
    /// Returns whether another machine may have written since the page was read: the lock is new, and there are other machines.
    pub(super) async fn lock(&mut self, client: &Client) -> Result<bool, LockError> {
        let number = runs::lock(client, &self.name(), self.number).await;
        let is_new = self.number.is_none();
        let lost = if is_new { LockError::Elsewhere } else { LockError::Lost };
        let number = number.map_err(LockError::Unreachable)?.ok_or(lost)?;
        self.number = Some(number);
        Ok(is_new && number > 0)
    }

    /// Gives up the lock for other machines. Without this, it ends by itself.
    pub(super) async fn unlock(&mut self, client: &Client) {
        if let Some(number) = self.number.take() {
            runs::unlock(client, &self.name(), number).await;
        }
    }

    fn name(&self) -> String {
        let (service, page) = &self.page;
        format!("{}:{page}", short_hash(service.as_bytes()))
    }

    /// Returns whether no other turn on the page has ended since there were this many.
    pub(super) fn is_first_since(&self, ended: u64) -> bool {
        turns().forgotten <= ended && *self.last <= ended
    }
}

impl Drop for PageTurn {
    fn drop(&mut self) {
        let mut turns = turns();
        turns.ended += 1;
        *self.last = turns.ended;
        if turns.pages.len() > MANY {
            turns.forgotten = turns.ended;
            turns.pages.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
    }
}

fn turns() -> MutexGuard<'static, Turns> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pages_without_a_run_are_forgotten_and_count_as_written() {
        let page = |nth: usize| (format!("forgotten {nth}"), ProfileId::new(1));
        let ended = ended_turns();
        let held = PageTurn::take(page(0), false).await.unwrap();
        for nth in 1..=2 * MANY {
            drop(PageTurn::take(page(nth), false).await.unwrap());
        }
        assert!(turns().pages.len() < 2 * MANY);
        assert!(PageTurn::take(page(0), false).await.is_err(), "the turn that is held stays");
        drop(held);
        let next = PageTurn::take(page(1), false).await.unwrap();
        assert!(!next.is_first_since(ended), "it had a turn since");
        assert!(next.is_first_since(ended_turns()));
    }
}
