//! Progress display of long work, on a terminal only.

use std::sync::OnceLock;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tty_mode::Modes;
use crate::signal::RestoreOnExit;

/// Lines that are redrawn on the terminal: a progress bar, and the wait above it.
static SHOWN: OnceLock<MultiProgress> = OnceLock::new();

fn lines() -> &'static MultiProgress {
    SHOWN.get_or_init(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()))
}

/// Progress line on stderr, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    _terminal: Option<(RestoreOnExit, Option<Modes>)>,
}

impl Progress {
    pub(super) fn new(steps: usize, shown: bool) -> Self {
        let hidden = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), hidden);
        let bar = if shown { lines().add(bar) } else { bar };
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        let terminal = shown.then(|| {
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
    }
}

/// Writes lines to stderr above the progress display, if shown.
pub(super) fn beside<T>(write: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(shown) => shown.suspend(write),
        None => write(),
    }
}

/// Adds a line above the progress bar.
pub(super) fn add_line(line: ProgressBar) -> ProgressBar {
    lines().insert(0, line)
}
