//! Progress of long work, on a terminal only.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tty_mode::Modes;
use crate::signal::RestoreOnExit;

/// The line that is on the terminal now.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A line on stderr that says how far the work is; gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    _terminal: Option<(RestoreOnExit, Option<Modes>)>,
}

impl Progress {
    pub(super) fn new(steps: usize, shown: bool) -> Self {
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        let terminal = shown.then(|| {
            now_shown(Some(bar.clone()));
            let bar = bar.clone();
            (RestoreOnExit::new(move || bar.finish_and_clear()), Modes::without_ctrl_c())
        });
        Self { bar, _terminal: terminal }
    }

    /// Says what is being done now.
    pub(crate) fn now(&self, what: &str) {
        self.bar.set_message(crate::sanitize::line(what).into_owned());
        // It may be the last thing to be said for a while.
        self.bar.force_draw();
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        now_shown(None);
    }
}

/// Writes lines to stderr, above the progress if it is shown.
pub(super) fn beside<T>(write: impl FnOnce() -> T) -> T {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn now_shown(bar: Option<ProgressBar>) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}
