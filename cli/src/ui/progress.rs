//! Lines that are redrawn on a terminal: the progress of long work, and the countdown of a wait; and a terminal without echo.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use links_sdk::{Clock, SystemClock};

use crate::signal::RestoreOnExit;
use links_pages::sanitize;

/// Lines that are redrawn on the terminal: a progress bar, and the wait above it.
static SHOWN: OnceLock<MultiProgress> = OnceLock::new();

fn lines() -> &'static MultiProgress {
    SHOWN.get_or_init(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()))
}

/// Line on stderr that is redrawn, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    _removed_on_exit: Option<RestoreOnExit>,
}

impl Progress {
    pub(super) fn new(steps: usize, shown: bool) -> Self {
        let hidden = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), hidden);
        let bar = if shown { lines().add(bar) } else { bar };
        Self::of(bar, ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}").ok(), shown)
    }

    /// Counts the seconds of a wait down. The line is empty when the wait is over.
    pub(super) fn countdown(wait: Duration, reason: &str) -> Self {
        let (clock, reason) = (SystemClock::new(), sanitize::line(reason).into_owned());
        let end = clock.monotonic() + wait;
        let left = move |_: &ProgressState, line: &mut dyn fmt::Write| {
            let left = end.saturating_sub(clock.monotonic());
            if !left.is_zero() {
                let _ = line.write_str(&wait_line(left, &reason));
            }
        };
        let style = ProgressStyle::with_template("{left}").ok();
        let style = style.map(|style| style.with_key("left", left));
        let line = Self::of(lines().insert(0, ProgressBar::new_spinner()), style, true);
        line.bar.enable_steady_tick(Duration::from_secs(1));
        line
    }

    fn of(bar: ProgressBar, style: Option<ProgressStyle>, shown: bool) -> Self {
        if let Some(style) = style {
            bar.set_style(style);
        }
        let removed_on_exit = shown.then(|| {
            let bar = bar.clone();
            RestoreOnExit::new(move || bar.finish_and_clear())
        });
        Self { bar, _removed_on_exit: removed_on_exit }
    }

    /// Sets the message about the current step.
    pub(crate) fn now(&self, what: &str) {
        self.bar.set_message(sanitize::line(what).into_owned());
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

/// Line about a wait that has this much left.
pub(super) fn wait_line(left: Duration, reason: &str) -> String {
    format!("waiting {} s: {reason}", left.as_secs_f64().ceil())
}

/// Guard that disables the echo of typed characters except for the end of the line. The previous modes are restored when it is dropped, and at
/// an exit by Ctrl-C.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct WithoutEcho {
    before: rustix::termios::Termios,
    _changed: RestoreOnExit,
}

#[cfg(unix)]
impl WithoutEcho {
    /// Changes the modes of the terminal; `None` if it has none.
    pub(crate) fn new() -> Option<Self> {
        use rustix::termios::{LocalModes, tcgetattr};
        let before = tcgetattr(std::io::stderr()).ok()?;
        let mut modes = before.clone();
        modes.local_modes.remove(LocalModes::ECHO);
        modes.local_modes.insert(LocalModes::ECHONL);
        let undo = before.clone();
        let changed = RestoreOnExit::new(move || set(&undo));
        set(&modes);
        Some(Self { before, _changed: changed })
    }
}

#[cfg(unix)]
fn set(modes: &rustix::termios::Termios) {
    use rustix::termios::{OptionalActions, tcsetattr};
    let _ = tcsetattr(std::io::stderr(), OptionalActions::Now, modes);
}

#[cfg(unix)]
impl Drop for WithoutEcho {
    fn drop(&mut self) {
        set(&self.before);
    }
}
