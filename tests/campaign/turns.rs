//! The order in which commands of several machines in one process send their requests: chosen by a seed, and so the same each time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::random::Random;

/// Commands that run at once. Each runs until its next request, while all others wait.
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    random: Random,
    /// Number of commands that neither wait nor have ended.
    running: usize,
    /// The machines that wait before a request, in order.
    waiting: Vec<usize>,
    /// The machine that goes on.
    next: Option<usize>,
}

impl Turns {
    /// Returns the turns of this many commands.
    pub(crate) fn new(commands: usize, seed: u64) -> Self {
        let (random, waiting) = (Random::new(seed), Vec::new());
        let state = State { random, running: commands, waiting, next: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is the machine's turn.
    pub(crate) fn wait(&self, machine: usize) {
        let mut state = self.state();
        let place = state.waiting.partition_point(|other| *other < machine);
        state.waiting.insert(place, machine);
        state.running -= 1;
        self.choose(&mut state);
        let mut state = self
            .changed
            .wait_while(state, |state| state.next != Some(machine))
            .unwrap_or_else(PoisonError::into_inner);
        state.next = None;
        state.running += 1;
    }

    /// Ends a command.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        state.running -= 1;
        self.choose(&mut state);
    }

    fn choose(&self, state: &mut State) {
        if state.running == 0 && !state.waiting.is_empty() {
            let nth = state.random.below(state.waiting.len());
            state.next = Some(state.waiting.remove(nth));
            self.changed.notify_all();
        }
    }
}
