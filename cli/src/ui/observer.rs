//! Messages while requests run: waits with their reasons, and each request if requested. Also collects the responses with names for
//! completion.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use links_sdk::{AttemptReport, Observer, Pacer, SystemClock, WaitReason};
use serde_json::Value;

use super::progress::{Progress, countdown, wait_line};
use super::recording::{self, SHOWN, content};
use super::{PartUpdate, stream, update};
use crate::cache::resource_names::SeenAnswer;
use crate::env_vars::PACER;
use crate::output::count;
use crate::signal::lock;
use links_pages::sanitize;

/// Minimum duration of a wait that is reported.
const WORTH_SAYING: Duration = Duration::from_secs(2);

/// Observer that reports waits and requests on stderr.
#[derive(Debug, Default)]
pub(crate) struct RequestObserver {
    silent: bool,
    verbose: u8,
    /// True if waits count down, on a terminal.
    counts_down: bool,
    countdown: Mutex<Option<Progress>>,
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
        std::mem::take(&mut lock(&self.seen))
    }

    fn end_countdown(&self) {
        lock(&self.countdown).take();
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
                self.say(&format!("cannot reach the {PACER} server; waiting for it"));
            }
            return;
        }
        if update(PartUpdate::Wait(duration)) || duration < WORTH_SAYING || self.silent {
            return;
        }
        let reason = reason.to_string();
        if self.counts_down {
            *lock(&self.countdown) = Some(countdown(duration, &reason));
        } else {
            self.say(&wait_line(duration, &reason));
        }
    }

    fn pacing_alone(&self, shared: &str, error: &dyn StdError) {
        if !self.alone.swap(true, Ordering::Relaxed) {
            self.say(&format!(
                "rate limits are not shared with other processes: cannot use {shared}: {error}"
            ));
        }
    }

    fn wants_request(&self) -> bool {
        self.verbose > 1 || recording::is_on()
    }

    fn attempted(&self, attempt: &AttemptReport<'_>) {
        self.end_countdown();
        update(PartUpdate::Request);
        if attempt.method != "GET" {
            update(PartUpdate::Write);
        }
        recording::note(attempt);
        if let (Some(200 | 201), Some(answer)) = (attempt.status, attempt.answer) {
            let seen = SeenAnswer {
                operation: attempt.operation,
                target: attempt.target.to_owned(),
                body: answer.body().clone(),
            };
            lock(&self.seen).push(seen);
        }
        if self.verbose > 0 {
            let lines = trace(attempt, self.left(), self.verbose > 1);
            stream::say(&(lines.join("\n") + "\n"));
        }
    }
}

/// Maximum number of characters of a body to show.
const BODY_MAX: usize = 4000;

/// One line about an attempt, and if `inside` is true its headers and bodies.
fn trace(attempt: &AttemptReport<'_>, left: Option<usize>, inside: bool) -> Vec<String> {
    let ended = attempt.status.map_or_else(|| "no response".to_owned(), |it| it.to_string());
    let mut first =
        format!("{} {} → {ended}, {} ms", attempt.method, attempt.target, attempt.took.as_millis());
    if let Some(left) = left {
        first = format!("{first}, {} left this minute", count(left, "request"));
    }
    let mut lines = vec![first];
    if inside {
        if let Some(request) = attempt.request {
            lines.push("> authorization: ***".to_owned());
            let headers = request.headers();
            lines.extend(headers.map(|(name, value)| format!("> {}", header(name, value))));
            match request.body() {
                Some(body) => lines.push(format!("> {}", text(body))),
                None if request.is_streamed() => lines.push("> (a file)".to_owned()),
                None => {}
            }
        }
        if let Some(answer) = attempt.answer {
            let headers = answer.headers();
            lines.extend(headers.map(|(name, value)| format!("< {}", header(name, &value))));
            if !answer.body().is_empty() {
                lines.push(format!("< {}", text(answer.body())));
            }
        }
    }
    lines.iter().map(|line| sanitize::line(line).into_owned()).collect()
}

fn header(name: &str, value: &str) -> String {
    if SHOWN.contains(&name) { format!("{name}: {value}") } else { format!("{name}: ***") }
}

/// Formats a body on one line: JSON without its secrets, other text cut to the limit.
fn text(body: &[u8]) -> String {
    let text = match content(body) {
        Value::String(text) => text,
        json => json.to_string(),
    };
    match text.char_indices().nth(BODY_MAX) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], body.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_headers_outside_the_allow_list_are_hidden() {
        assert_eq!(header("content-type", "text/html"), "content-type: text/html");
        for name in ["set-cookie", "authorization", "x-new", "location"] {
            assert_eq!(header(name, "s3cret"), format!("{name}: ***"));
        }
    }

    #[test]
    fn secrets_in_a_body_are_hidden_and_long_bodies_are_cut() {
        let body = r#"{"data":{"upload_url":"https://up.test/s3cret","l":[{"token":"s3cret"}],"path":"a"}}"#;
        assert_eq!(
            text(body.as_bytes()),
            r#"{"data":{"upload_url":"***","l":[{"token":"***"}],"path":"a"}}"#
        );
        assert!(text(&[b'x'; 5000]).ends_with("x… (5000 bytes)"));
    }
}
