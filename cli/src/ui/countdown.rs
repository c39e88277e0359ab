//! Countdown of a wait for the rate limits or the service, on a terminal only.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use links_sdk::{Clock, SystemClock};

use super::progress::add_line;
use super::tty_mode::Modes;
use crate::sanitize;
use crate::signal::RestoreOnExit;

/// Line on stderr that counts the seconds of a wait down; removed when it is dropped, or when the wait is over.
#[derive(Debug)]
pub(super) struct Countdown {
    bar: ProgressBar,
    /// Ends the thread when it is dropped.
    _ended: Sender<()>,
    _terminal: (RestoreOnExit, Option<Modes>),
}

impl Countdown {
    /// Shows a wait for this reason.
    pub(super) fn start(wait: Duration, reason: &str) -> Self {
        let (ended, is_ended) = channel();
        let bar = add_line(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let shown = bar.clone();
        let terminal =
            (RestoreOnExit::new(move || shown.finish_and_clear()), Modes::without_ctrl_c());
        let (line, reason) = (bar.clone(), sanitize::line(reason).into_owned());
        let clock = SystemClock::new();
        let until = clock.monotonic() + wait;
        let count = move || {
            loop {
                let left = until.saturating_sub(clock.monotonic());
                if left.is_zero() {
                    return line.finish_and_clear();
                }
                line.set_message(text(left, &reason));
                line.force_draw();
                if is_ended.recv_timeout(next_change(left)) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        // Without the thread the wait is the same, and no line tells it.
        let _ = thread::Builder::new().name("countdown".to_owned()).spawn(count);
        Self { bar, _ended: ended, _terminal: terminal }
    }
}

impl Drop for Countdown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Line about a wait that has this much left.
pub(super) fn text(left: Duration, reason: &str) -> String {
    format!("waiting {} s: {reason}", left.as_secs_f64().ceil())
}

/// Time until the line changes.
fn next_change(left: Duration) -> Duration {
    match left.subsec_nanos() {
        0 => Duration::from_secs(1),
        nanos => Duration::from_nanos(nanos.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_changes_at_each_whole_second_that_is_left() {
        let mut left = Duration::from_millis(3400);
        let mut shown = Vec::new();
        while !left.is_zero() {
            shown.push(text(left, "why"));
            left = left.saturating_sub(next_change(left));
        }
        let expected = ["4", "3", "2", "1"].map(|it| format!("waiting {it} s: why"));
        assert_eq!(shown, expected);
    }
}
