//! The loop around one call: wait for the limits, send, decide, send again.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reqwest::Request;
use uuid::Uuid;

use super::answer::{Answer, Unread};
use super::observer::AttemptReport;
use super::pacing::{MustWait, Ticket, WaitReason};
use super::retry::{Attempt, Decision, End, Evidence, decide};
use super::retry_after::retry_after;
use super::{Options, Shared};
use crate::error::Outcome;
use crate::operation::{Effect, Operation};

/// Makes the request of each attempt; the bytes must be the same every time.
pub(crate) type MakeRequest<'a> =
    dyn FnMut() -> Pin<Box<dyn Future<Output = std::io::Result<Request>> + Send + 'a>> + Send + 'a;

/// All that happened in one call.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) operation: &'static Operation,
    /// Requests that were sent or tried.
    pub(crate) sent: u32,
    /// An attempt before the last one may have been executed.
    pub(crate) maybe_executed: bool,
    pub(crate) result: Result<Answer, Failure>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request could not be made from what the caller gave.
    Request(std::io::Error),
    /// The connection failed, or broke before the answer was whole.
    Network { source: reqwest::Error, end: End },
    /// The answer was larger than it may be.
    TooLarge { status: u16 },
    /// The next attempt would have come after the deadline, or after a longer wait than is allowed.
    Deadline { wait: Duration, reason: WaitReason, last: Option<Box<Answer>>, evidence: Evidence },
}

impl Exchange {
    /// The answer, if it is a 2xx.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.result.as_ref().ok().filter(|answer| answer.status.is_success())
    }

    /// Whether the write took place, as far as the evidence of all attempts goes.
    pub(crate) fn outcome(&self) -> Outcome {
        let last = match &self.result {
            Ok(answer) => End::Answer(answer.status.as_u16()).evidence(),
            Err(Failure::Request(_)) => Evidence::NotSent,
            Err(Failure::Network { end, .. }) => end.evidence(),
            Err(Failure::TooLarge { status }) => End::Answer(*status).evidence(),
            Err(Failure::Deadline { evidence, .. }) => *evidence,
        };
        match last {
            Evidence::Executed => Outcome::Executed,
            Evidence::Unknown => Outcome::Unknown,
            _ if self.maybe_executed => Outcome::Unknown,
            Evidence::NotSent | Evidence::NotExecuted => Outcome::NotExecuted,
        }
    }
}

pub(crate) async fn run(
    shared: &Shared,
    operation: &'static Operation,
    options: &Options,
    make: &mut MakeRequest<'_>,
) -> Exchange {
    let start = shared.clock.monotonic();
    let effect = if options.dry_run { Effect::Read } else { operation.effect };
    let keyed = options.idempotency_key.is_some();
    let (mut attempts, mut in_flight, mut sent) = (0, 0, 0);
    let mut maybe_executed = false;
    let mut last_evidence = Evidence::NotSent;

    loop {
        let admitted = match admit(shared, operation, options, start, last_evidence).await {
            Ok(admitted) => admitted,
            Err(failure) => {
                return Exchange { operation, sent, maybe_executed, result: Err(failure) };
            }
        };
        let request = match make().await {
            Ok(request) => request,
            Err(error) => {
                return Exchange {
                    operation,
                    sent,
                    maybe_executed,
                    result: Err(Failure::Request(error)),
                };
            }
        };
        attempts += 1;
        sent += 1;
        let result = send(shared, operation, request).await;
        drop(admitted);
        let end = match &result {
            Ok(answer) => End::Answer(answer.status.as_u16()),
            Err(Failure::Network { end, .. }) => *end,
            Err(_) => End::Hopeless(Evidence::Executed),
        };
        let asked = match &result {
            Ok(answer) => retry_after(&answer.headers, shared.clock.wall()),
            Err(_) => None,
        };
        let decision = decide(
            effect,
            &Attempt {
                end,
                attempts,
                in_flight,
                maybe_executed,
                keyed,
                retry_after: asked,
                jitter: jitter(),
            },
        );
        if matches!(end, End::Answer(429)) {
            let block = asked.unwrap_or(Duration::from_secs(1));
            shared.pacer.block(block, &*shared.clock);
        }
        let (wait, reason) = match decision {
            Decision::Again(wait) if shared.budget.take() => (wait, WaitReason::Retry),
            Decision::Later(wait) => {
                attempts -= 1;
                in_flight += u32::from(matches!(end, End::Answer(409)));
                (wait, WaitReason::TooManyRequests)
            }
            Decision::End | Decision::Again(_) => {
                if end.evidence() == Evidence::Executed {
                    shared.budget.give_back();
                }
                return Exchange { operation, sent, maybe_executed, result };
            }
        };
        last_evidence = end.evidence();
        maybe_executed |= matches!(last_evidence, Evidence::Unknown | Evidence::Executed);
        if is_too_long(shared, options, start, wait, reason) {
            let result = match result {
                // Waiting was asked for, so the answer itself says little: name the time instead.
                Ok(answer) if reason == WaitReason::TooManyRequests => Err(Failure::Deadline {
                    wait,
                    reason,
                    last: Some(Box::new(answer)),
                    evidence: last_evidence,
                }),
                other => other,
            };
            return Exchange { operation, sent, maybe_executed, result };
        }
        shared.sleep(operation, wait, reason).await;
    }
}

/// A request that the pacer has admitted; settled when it is answered or given up.
struct Admitted<'a> {
    shared: &'a Shared,
    ticket: Ticket,
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        self.shared.pacer.settle(self.ticket, &*self.shared.clock);
    }
}

/// Waits until the limits admit one more request.
async fn admit<'a>(
    shared: &'a Shared,
    operation: &'static Operation,
    options: &Options,
    start: Duration,
    evidence: Evidence,
) -> Result<Admitted<'a>, Failure> {
    loop {
        match shared.pacer.admit(operation.bucket, &*shared.clock) {
            Ok(ticket) => return Ok(Admitted { shared, ticket }),
            Err(MustWait { duration: wait, reason }) => {
                if is_too_long(shared, options, start, wait, reason) {
                    return Err(Failure::Deadline { wait, reason, last: None, evidence });
                }
                shared.sleep(operation, wait, reason).await;
            }
        }
    }
}

/// One attempt: the request out, the whole answer in.
async fn send(
    shared: &Shared,
    operation: &'static Operation,
    mut request: Request,
) -> Result<Answer, Failure> {
    request.timeout_mut().get_or_insert(operation.timeout);
    let method = request.method().clone();
    let target = match request.url().query() {
        Some(query) => format!("{}?{query}", request.url().path()),
        None => request.url().path().to_owned(),
    };
    shared.requests.fetch_add(1, Ordering::Relaxed);
    let start = shared.clock.monotonic();
    let result = match shared.http.execute(request).await {
        Ok(response) => Answer::read(response).await.map_err(|(status, unread)| match unread {
            Unread::TooLarge => Failure::TooLarge { status: status.as_u16() },
            Unread::Cut(source) => Failure::Network { source, end: End::CutBody(status.as_u16()) },
        }),
        Err(source) => {
            let source = source.without_url();
            let end = broken(&source);
            Err(Failure::Network { source, end })
        }
    };
    shared.observer.attempted(&AttemptReport {
        operation: operation.id,
        method: method.as_str(),
        target: &target,
        status: match &result {
            Ok(answer) => Some(answer.status.as_u16()),
            Err(
                Failure::TooLarge { status } | Failure::Network { end: End::CutBody(status), .. },
            ) => Some(*status),
            Err(_) => None,
        },
        took: shared.clock.monotonic().saturating_sub(start),
    });
    result
}

/// What a request without an answer proves.
fn broken(error: &reqwest::Error) -> End {
    if error.is_builder() || is_tls(error) {
        End::Hopeless(Evidence::NotSent)
    } else if error.is_connect() {
        End::NotSent
    } else if error.is_timeout() {
        End::TimedOut
    } else {
        End::NoAnswer
    }
}

/// Whether a certificate or the TLS handshake is what failed, anywhere in the chain of causes.
fn is_tls(error: &reqwest::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if error.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>()) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Whether a wait would pass the deadline, or the longest wait for the limits that the caller allows.
fn is_too_long(
    shared: &Shared,
    options: &Options,
    start: Duration,
    wait: Duration,
    reason: WaitReason,
) -> bool {
    let elapsed = shared.clock.monotonic().saturating_sub(start);
    elapsed.saturating_add(wait) > options.deadline
        || (reason != WaitReason::Retry && options.max_wait.is_some_and(|most| wait > most))
}

fn jitter() -> f64 {
    let random = u32::try_from(Uuid::new_v4().as_u128() & u128::from(u32::MAX)).unwrap_or_default();
    f64::from(random) / f64::from(u32::MAX)
}
