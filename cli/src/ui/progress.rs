//! Progress display of long work, on a terminal only.

use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tty_mode::Modes;
use crate::signal::RestoreOnExit;

/// Progress bar currently on the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Progress line on stderr, removed when it is dropped.
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

    /// Sets the message about the current step.
    pub(crate) fn now(&self, what: &str) {
        self.bar.set_message(crate::sanitize::line(what).into_owned());
        // Drawn at once, because the next update may be far off.
        self.bar.force_draw();
    }

    /// Counts a completed step.
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

/// Writes lines to stderr above the progress display, if shown.
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
