//! Messages while requests run: waits with their reasons, and each request if requested. Also collects the responses with names for
//! completion.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use links_sdk::{AttemptReport, Observer, Pacer, SystemClock, WaitReason};

use super::countdown::{self, Countdown};
use super::{http_trace, stream};
use crate::cache::resource_names;
use crate::cache::resource_names::SeenAnswer;
use crate::env_vars::PACER;
use crate::sanitize;

/// Minimum duration of a wait that is reported.
const WORTH_SAYING: Duration = Duration::from_secs(2);

/// Observer that reports waits and requests on stderr.
#[derive(Debug, Default)]
pub(crate) struct RequestObserver {
    silent: bool,
    verbose: u8,
    /// True if waits count down, on a terminal.
    counts_down: bool,
    countdown: Mutex<Option<Countdown>>,
    alone: AtomicBool,
    waits_for_pacer: AtomicBool,
    pacer: OnceLock<Arc<dyn Pacer>>,
    seen: Mutex<Vec<SeenAnswer>>,
}

impl RequestObserver {
    pub(crate) fn new(silent: bool, verbose: u8, counts_down: bool) -> Self {
        Self { silent, verbose, counts_down, ..Self::default() }
    }

    /// Sets the pacer that knows the rest of the rate limits.
    pub(crate) fn paced_by(&self, pacer: Arc<dyn Pacer>) {
        let _ = self.pacer.set(pacer);
    }

    /// Number of requests left in this minute.
    pub(crate) fn left(&self) -> Option<usize> {
        self.pacer.get()?.remaining(&SystemClock::new())
    }

    /// Takes the collected responses with names, in their order.
    pub(crate) fn seen(&self) -> Vec<SeenAnswer> {
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn end_countdown(&self) {
        self.countdown.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn say(&self, line: &str) {
        if !self.silent {
            stream::say(&format!("{}\n", sanitize::line(line)));
        }
    }
}

impl Observer for RequestObserver {
    fn waiting(&self, _: &'static str, duration: Duration, reason: WaitReason) {
        self.end_countdown();
        if reason == WaitReason::PacerUnreachable {
            if !self.waits_for_pacer.swap(true, Ordering::Relaxed) {
                self.say(&format!("waiting for the server of {PACER}, which cannot be reached"));
            }
            return;
        }
        if duration < WORTH_SAYING || self.silent {
            return;
        }
        let reason = reason.to_string();
        if self.counts_down {
            let countdown = Countdown::start(duration, &reason);
            *self.countdown.lock().unwrap_or_else(PoisonError::into_inner) = Some(countdown);
        } else {
            self.say(&countdown::text(duration, &reason));
        }
    }

    fn pacing_alone(&self, shared: &str, error: &dyn StdError) {
        if !self.alone.swap(true, Ordering::Relaxed) {
            self.say(&format!(
                "the rate limits are not shared with other processes: cannot use {shared}: {error}"
            ));
        }
    }

    fn wants_request(&self) -> bool {
        self.verbose > 1
    }

    fn attempted(&self, attempt: &AttemptReport<'_>) {
        self.end_countdown();
        if let (Some(200 | 201), Some(answer)) = (attempt.status, attempt.answer)
            && resource_names::is_named(attempt.operation)
        {
            let seen = SeenAnswer {
                operation: attempt.operation,
                target: attempt.target.to_owned(),
                body: answer.body().clone(),
            };
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        }
        if self.verbose > 0 {
            let lines = http_trace::lines(attempt, self.left(), self.verbose > 1);
            stream::say(&(lines.join("\n") + "\n"));
        }
    }
}
