//! Turns of the runs of this process on a page: one at a time, also where no journal and so no lock of a file is kept.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::sync::OwnedMutexGuard;

use super::LockError;
use links_sdk::ProfileId;

static TURNS: LazyLock<Mutex<Turns>> = LazyLock::new(Mutex::default);

/// URL of the service and ID of the page.
type PageKey = (String, ProfileId);

#[derive(Default)]
struct Turns {
    /// Number of turns that have ended.
    ended: u64,
    pages: HashMap<PageKey, PageState>,
}

#[derive(Default)]
struct PageState {
    /// Number of its last turn that has ended.
    last: u64,
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// Turn of a run on its page, until it is dropped.
#[derive(Debug)]
pub(super) struct PageTurn {
    page: PageKey,
    _turn: OwnedMutexGuard<()>,
}

/// Returns the number of turns that have ended, for [`PageTurn::is_first_since`].
pub(super) fn ended_turns() -> u64 {
    turns().ended
}

impl PageTurn {
    /// Takes the turn. `wait` waits until no other run of this process has it.
    pub(super) async fn take(page: PageKey, wait: bool) -> Result<Self, LockError> {
        let turn = turns().pages.entry(page.clone()).or_default().turn.clone();
        let turn = match turn.clone().try_lock_owned() {
            Err(_) if wait => turn.lock_owned().await,
            taken => taken.map_err(|_| LockError::Taken(Some(std::process::id())))?,
        };
        Ok(Self { page, _turn: turn })
    }

    /// Returns whether no other turn on the page has ended since there were this many.
    pub(super) fn is_first_since(&self, ended: u64) -> bool {
        turns().pages.get(&self.page).is_none_or(|page| page.last <= ended)
    }
}

impl Drop for PageTurn {
    fn drop(&mut self) {
        let mut turns = turns();
        turns.ended += 1;
        let ended = turns.ended;
        turns.pages.entry(self.page.clone()).or_default().last = ended;
    }
}

fn turns() -> MutexGuard<'static, Turns> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}
