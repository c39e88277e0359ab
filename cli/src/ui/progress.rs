//! Lines that are redrawn on a terminal: the progress of long work, and the countdown of a wait; and the modes of the terminal meanwhile.

use std::fmt::Write;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::signal::RestoreOnExit;
use links_pages::sanitize;

/// Time between two looks at a wait.
const TICK: Duration = Duration::from_millis(100);

/// Lines that are redrawn on the terminal: a progress bar, and the wait above it.
static SHOWN: OnceLock<MultiProgress> = OnceLock::new();

fn lines() -> &'static MultiProgress {
    SHOWN.get_or_init(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()))
}

/// Progress line on stderr, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Removes the line, and restores the modes of the terminal.
    _terminal: Option<(RestoreOnExit, Option<RestoreOnExit>)>,
}

impl Progress {
    pub(super) fn new(steps: usize, shown: bool) -> Self {
        let hidden = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), hidden);
        let bar = if shown { lines().add(bar) } else { bar };
        Self::of(bar, ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}").ok(), shown)
    }

    fn of(bar: ProgressBar, style: Option<ProgressStyle>, shown: bool) -> Self {
        if let Some(style) = style {
            bar.set_style(style);
        }
        let terminal = shown.then(|| {
            let bar = bar.clone();
            (RestoreOnExit::new(move || bar.finish_and_clear()), without_ctrl_c())
        });
        Self { bar, _terminal: terminal }
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

/// Writes lines to stderr above the progress display, if shown.
pub(super) fn beside<T>(write: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(shown) => shown.suspend(write),
        None => write(),
    }
}

/// Returns a line on stderr that counts the seconds of a wait down. It is empty when the wait is over, and removed when it is dropped.
pub(super) fn countdown(wait: Duration, reason: &str) -> Progress {
    let reason = sanitize::line(reason).into_owned();
    let line = move |state: &ProgressState, to: &mut dyn Write| {
        let left = wait.saturating_sub(state.elapsed());
        if !left.is_zero() {
            let _ = to.write_str(&wait_line(left, &reason));
        }
    };
    let bar = lines().insert(0, ProgressBar::new_spinner());
    let style = ProgressStyle::with_template("{line}").map(|style| style.with_key("line", line));
    let line = Progress::of(bar, style.ok(), true);
    line.bar.enable_steady_tick(TICK);
    line
}

/// Line about a wait that has this much left.
pub(super) fn wait_line(left: Duration, reason: &str) -> String {
    format!("waiting {} s: {reason}", left.as_secs_f64().ceil())
}

/// Disables the echo of typed characters except for the end of the line. `None` without a terminal.
#[cfg(unix)]
pub(super) fn without_echo() -> Option<RestoreOnExit> {
    use rustix::termios::LocalModes;
    with_modes(|modes| {
        modes.remove(LocalModes::ECHO);
        modes.insert(LocalModes::ECHONL);
    })
}

/// Disables the echo of Ctrl-C as `^C`, which would disturb a line that is redrawn repeatedly.
#[cfg(unix)]
fn without_ctrl_c() -> Option<RestoreOnExit> {
    with_modes(|modes| modes.remove(rustix::termios::LocalModes::ECHOCTL))
}

/// Returns `None`: not supported on this platform.
#[cfg(not(unix))]
fn without_ctrl_c() -> Option<RestoreOnExit> {
    None
}

/// Changes the modes of the terminal until the guard is dropped.
#[cfg(unix)]
fn with_modes(change: impl FnOnce(&mut rustix::termios::LocalModes)) -> Option<RestoreOnExit> {
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    let set = |modes: &Termios| {
        let _ = tcsetattr(std::io::stderr(), OptionalActions::Now, modes);
    };
    let before = tcgetattr(std::io::stderr()).ok()?;
    let mut modes = before.clone();
    change(&mut modes.local_modes);
    let restored = RestoreOnExit::new(move || set(&before));
    set(&modes);
    Some(restored)
}
