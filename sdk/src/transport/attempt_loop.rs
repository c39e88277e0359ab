//! Loop of attempts for one call: wait for the limits, send, decide, send again.

use std::future::{Future, pending};
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reqwest::Request;
use reqwest::header::AUTHORIZATION;
use url::Position;
use uuid::Uuid;

use super::BoxError;
use super::admission::AdmittedRequest;
use super::answer::Answer;
use super::caller_headers::OutgoingRequest;
use super::exchange::{
    CallFailure, CallOptions, CallResult, MakeRequest, WriteMode, answer_of, attempt_end,
};
use super::observer::{AttemptReport, RequestView};
use super::pacing::{MustWait, PacerNote, Ticket, WaitReason};
use super::retry::{AttemptCounts, AttemptEnd, AttemptState, backoff, decide, retry_after};
use super::shared::Shared;
use super::trace::AttemptSpan;
use crate::crash_point;
use crate::error_kind::Outcome;
use crate::operation::{Effect, Operation};
use crate::success::{RecordCheck, check_answer};
use crate::token::{Hidden, Token};

/// Time for which a 429 without `Retry-After` stops all calls of the client.
const SHORTEST_BLOCK: Duration = Duration::from_secs(1);
/// Maximum time for which a 429 stops all calls of the client. The call itself obeys a longer one, but a mistaken number must not block the
/// client for days.
const LONGEST_BLOCK: Duration = Duration::from_secs(60 * 60);

/// Time for which a token is sent without asking for it again.
const TOKEN_LASTS: Duration = Duration::from_secs(1);

/// No wait before the next attempt.
const AT_ONCE: MustWait = MustWait { duration: Duration::ZERO, reason: WaitReason::Retry };

/// Sends one call as often as its evidence and its time allow. `send` sends one request, and returns the whole answer within a time limit, or how
/// far the attempt came.
async fn run<F: Future<Output = Result<Answer, CallFailure>> + Send>(
    send: &impl Fn(Request, Duration) -> F,
    shared: &Shared,
    operation: &'static Operation,
    options: &CallOptions,
    make: &mut MakeRequest<'_>,
) -> CallResult {
    let mut call = AttemptLoop {
        shared,
        operation,
        options,
        tries: options.single_attempt.map_or(AttemptCounts::NONE, |(tries, _)| tries),
        retry_after: None,
        token: None,
        next_attempt: None,
        reserved: options.reserved,
    };
    let result = call.attempts(send, make).await;
    let effect = call.effect();
    let AttemptLoop { tries, retry_after, next_attempt, .. } = call;
    let next_attempt = options.single_attempt.map(|_| (tries, next_attempt));
    CallResult { operation, effect, tries, retry_after, next_attempt, result }
}

struct AttemptLoop<'a> {
    shared: &'a Shared,
    operation: &'static Operation,
    options: &'a CallOptions,
    tries: AttemptCounts,
    retry_after: Option<Duration>,
    /// The token that was sent last.
    token: Option<Token>,
    /// The next attempt, if that is left to the caller.
    next_attempt: Option<MustWait>,
    /// Ticket of the first request, if the limits have admitted it already.
    reserved: Option<Ticket>,
}

impl<'a> AttemptLoop<'a> {
    async fn attempts<F: Future<Output = Result<Answer, CallFailure>> + Send>(
        &mut self,
        send: &impl Fn(Request, Duration) -> F,
        make: &mut MakeRequest<'_>,
    ) -> Result<Answer, CallFailure> {
        let (shared, deadline) = (self.shared, self.options.until);
        loop {
            self.retry_after = None;
            let admitted = self.admit_with_token().await?;
            let request = shared.within(deadline, make()).await?.map_err(CallFailure::Request)?;
            if self.options.time_left(&*shared.clock).is_zero() {
                return Err(CallFailure::PASSED);
            }
            // What the caller read is too old for the request to be sent.
            let single_attempt = self.options.single_attempt;
            if single_attempt.is_some_and(|(_, expires)| expires < shared.clock.passed()) {
                self.next_attempt = Some(AT_ONCE);
                return Err(CallFailure::PASSED);
            }
            let span =
                AttemptSpan::new(self.operation, request.method(), &shared.base, self.tries.sent);
            let request = span.in_scope(|| self.complete(request)).map_err(|error| {
                span.ended(None);
                CallFailure::Request(io::Error::other(error))
            })?;
            let result = self.attempt(send, request, span).await;
            // A request that is not settled in time is settled in the background. Its answer counts.
            let _ = shared.within(deadline, admitted.settle()).await;
            let Some(end) = attempt_end(&result) else { return result };
            if let Ok(Answer { headers, .. }) = &result {
                shared.service_time.note(headers, &*shared.clock);
                self.retry_after = retry_after(headers, shared.service_time.now(&*shared.clock));
            }
            let is_spent = self.options.is_body_spent();
            let decision = if is_spent { None } else { self.decide(end) };
            self.note(end.evidence());
            if end == AttemptEnd::Answer(401) && self.renew().await? {
                if is_spent || self.options.single_attempt.is_some() {
                    self.next_attempt = Some(AT_ONCE);
                    return result;
                }
                continue;
            }
            if end == AttemptEnd::Answer(429) {
                let block = self.retry_after.unwrap_or(SHORTEST_BLOCK).min(LONGEST_BLOCK);
                let blocked = shared.pacer.note(PacerNote::Blocked(block), &*shared.clock);
                let _ = shared.within(deadline, blocked).await;
            }
            let Some(wait) = decision else { return result };
            let MustWait { duration, reason } = wait;
            if end == AttemptEnd::Answer(409) {
                // A request with this key, perhaps an earlier one of this call, is being executed.
                self.note(Outcome::Unknown);
                self.tries.in_flight += 1;
            } else if reason == WaitReason::TooManyRequests {
                self.tries.too_many += 1;
            }
            if self.options.is_too_long(wait, &*shared.clock)
                || !shared.retry.allows(self.tries.waited, duration)
            {
                return match end {
                    // The answer itself explains little, so the error names the time instead.
                    AttemptEnd::Answer(429) => Err(CallFailure::Deadline(wait)),
                    _ => result,
                };
            }
            // A retry that is not made costs nothing of the budget.
            if reason == WaitReason::Retry && !shared.budget.take(shared.clock.monotonic()) {
                return result;
            }
            self.tries.waited = self.tries.waited.saturating_add(duration);
            if self.options.single_attempt.is_some() {
                self.next_attempt = Some(wait);
                return result;
            }
            shared.sleep(self.operation, wait).await;
        }
    }

    /// Returns a request with the headers of the client, of the call and of the hook, and then the token.
    fn complete(&self, mut request: Request) -> Result<Request, BoxError> {
        let headers = request.headers_mut();
        let own = self.options.headers.as_deref();
        for (name, value) in self.shared.headers.iter() {
            if own.is_none_or(|own| !own.contains_key(name)) {
                headers.append(name, value.clone());
            }
        }
        for (name, value) in own.into_iter().flatten() {
            headers.append(name, value.clone());
        }
        if let Some(hook) = &self.shared.before_send {
            let (operation, attempt) = (self.operation.id, self.tries.sent + 1);
            hook(&mut OutgoingRequest { operation, attempt, request: Hidden(&mut request) })?;
        }
        if let Some(token) = &self.token {
            request.headers_mut().insert(AUTHORIZATION, token.header());
        }
        Ok(request)
    }

    /// Returns whether there is another token after a refusal. The source is asked once, because a second token would be refused as well.
    async fn renew(&mut self) -> Result<bool, CallFailure> {
        let (Some(source), Some(token), false) =
            (&self.shared.token, &self.token, self.tries.renewed)
        else {
            return Ok(false);
        };
        let renewed = self.shared.within(self.options.until, source.refused(token)).await?;
        self.tries.renewed = renewed.map_err(CallFailure::Token)?;
        Ok(self.tries.renewed)
    }

    /// Adds the evidence of an attempt. A dry run writes nothing, however it ends; [`Error::is_dry_run_executed`](crate::Error) is for an
    /// answer that says otherwise.
    fn note(&mut self, evidence: Outcome) {
        if !self.options.dry_run {
            self.tries.evidence = self.tries.evidence.max(evidence);
        }
    }

    fn effect(&self) -> Effect {
        match self.options {
            CallOptions { dry_run: true, .. } => Effect::Read,
            CallOptions { reads_first: true, .. } => Effect::DeleteMany,
            _ => self.operation.effect,
        }
    }

    fn decide(&self, end: AttemptEnd) -> Option<MustWait> {
        // After a success nothing is waited for, and random numbers are a system call each.
        let jitter = if matches!(end, AttemptEnd::Answer(200..=299)) { 0.0 } else { jitter() };
        let attempt = AttemptState {
            end,
            tries: self.tries,
            keyed: self.options.idempotency_key.is_some(),
            max_attempts: self.shared.retry.max_attempts,
            retry_after: self.retry_after,
            jitter,
        };
        decide(self.effect(), &attempt)
    }

    /// Waits until there is a token and the limits admit one more request. The token comes first, because its renewal may take a minute: what
    /// was admitted meanwhile would be sent all at once.
    async fn admit_with_token(&mut self) -> Result<AdmittedRequest<'a>, CallFailure> {
        let (shared, options) = (self.shared, self.options);
        let admitted = if let Some(reserved) = self.reserved.take() {
            shared.admitted(reserved)
        } else {
            self.token = shared.token(self.operation, options.until).await?;
            let taken_at = shared.clock.passed();
            let admitted = self.admit().await?;
            if shared.clock.passed().saturating_sub(taken_at) < TOKEN_LASTS {
                return Ok(admitted);
            }
            admitted
        };
        // A token may end or be replaced during the wait.
        self.token = shared.token(self.operation, options.until).await?;
        if admitted.is_old() {
            drop(admitted);
            return self.admit().await;
        }
        Ok(admitted)
    }

    /// Waits until the limits admit one more request.
    async fn admit(&mut self) -> Result<AdmittedRequest<'a>, CallFailure> {
        let (shared, options) = (self.shared, self.options);
        if options.single_attempt.is_none() {
            return shared.admit(self.operation, options).await;
        }
        // Now, or after a wait that is left to the caller.
        let at_once = CallOptions { max_wait: Some(Duration::ZERO), ..options.clone() };
        let admitted = shared.admit(self.operation, &at_once).await;
        if let Err(CallFailure::Deadline(wait)) = admitted
            && !options.is_too_long(wait, &*shared.clock)
        {
            self.next_attempt = Some(wait);
        }
        admitted
    }

    /// Begins one attempt, and returns the future of its answer, which is reported to the observer. The future does not hold the request,
    /// which would be a large part of it.
    fn attempt<F: Future<Output = Result<Answer, CallFailure>> + Send>(
        &mut self,
        send: &impl Fn(Request, Duration) -> F,
        request: Request,
        span: AttemptSpan,
    ) -> impl Future<Output = Result<Answer, CallFailure>> + Send {
        let shared = self.shared;
        let is_write = self.operation.writes() && !self.options.dry_run;
        let write = self.options.write.as_deref().filter(|_| is_write);
        let method = request.method().clone();
        let target = match shared.shown {
            Some(shown) => shown.to_owned(),
            None => request.url()[Position::BeforePath..Position::AfterQuery].to_owned(),
        };
        let is_shown = shared.shown.is_none();
        let wants_request = is_shown && shared.observer.wants_request();
        let view = wants_request.then(|| Box::new(RequestView::new(&request)));
        let limit = shared.timeouts.attempt.unwrap_or(self.operation.timeout);
        self.tries.sent += 1;
        shared.requests.fetch_add(1, Ordering::Relaxed);
        let start = shared.clock.monotonic();
        self.crash_point("before_send");
        let answer = send(request, limit.min(self.options.time_left(&*shared.clock)));
        async move {
            let was_in_doubt = match write.map(|write| shared.tally.doubt(write)) {
                None => true,
                Some(Some(was_in_doubt)) => was_in_doubt,
                // The program ends, and has said what it wrote.
                Some(None) => pending().await,
            };
            let mut result = span.around(answer).await;
            let end = attempt_end(&result);
            if let Some(write) = write.filter(|_| !was_in_doubt)
                && end.is_none_or(|end| end.evidence() == Outcome::NotExecuted)
            {
                shared.tally.undo_doubt(write);
            }
            span.ended(end);
            self.crash_point("after_send");
            if let Some(answer) = answer_of(&mut result) {
                answer.secrets = shared.secrets.clone();
                answer.sent_token.clone_from(&self.token);
            }
            shared.observer.attempted(&AttemptReport {
                operation: self.operation.id,
                method: method.as_str(),
                target: &target,
                status: end.and_then(AttemptEnd::status),
                took: shared.clock.monotonic().saturating_sub(start),
                request: view.as_deref(),
                answer: result.as_ref().ok().filter(|_| is_shown),
            });
            result
        }
    }

    /// Marks a place at which a test can end the process. Requests about no page do not count: they come before anything can be lost.
    fn crash_point(&self, place: &str) {
        if self.operation.route.contains("/profiles/{") {
            crash_point::point(place);
        }
    }
}

impl Shared {
    /// Returns the token for a request of this operation, if it needs one.
    pub(super) async fn token(
        &self,
        operation: &Operation,
        deadline: Duration,
    ) -> Result<Option<Token>, CallFailure> {
        let Some(source) = self.token.as_ref().filter(|_| !operation.is_public()) else {
            return Ok(None);
        };
        // A stopped client renews no token.
        if self.stop.is_cancelled() {
            return Err(CallFailure::PASSED);
        }
        let token = self.within(deadline, source.token()).await?.map_err(CallFailure::Token)?;
        self.secrets.add(&token);
        if let Some(collection) = &self.collection {
            collection.add(&token);
        }
        Ok(Some(token))
    }

    /// Sends one call over the network, as often as its evidence and its time allow, unless the client sends no writes.
    pub(crate) async fn run(
        &self,
        operation: &'static Operation,
        options: &CallOptions,
        record: Option<RecordCheck<'_>>,
        make: &mut MakeRequest<'_>,
    ) -> CallResult {
        if options.writes != WriteMode::Send && operation.effect != Effect::Read && !options.dry_run
        {
            let failure = match self.within(options.until, make()).await {
                Ok(Ok(made)) => CallFailure::NotSent(Box::new(RequestView::new(&made))),
                Ok(Err(error)) => CallFailure::Request(error),
                Err(failure) => failure,
            };
            return CallResult::unsent(operation, AttemptCounts::NONE, failure);
        }
        let send = |request, limit| {
            // Boxed, because each future around it would be as large, and is moved as a whole before its first poll.
            let answer = Box::pin(self.http.answer(request, limit, self.timeouts.stall));
            async move { check_answer(operation, options.dry_run, record, answer.await) }
        };
        // Boxed, so that the futures of the callers stay small.
        Box::pin(run(&send, self, operation, options, make)).await
    }

    /// Waits before a call that failed this many times is repeated by its caller, at least as long as the service asked. Returns `false` at once if too much was repeated, or the
    /// wait would pass the deadline.
    pub(crate) async fn back_off(
        &self,
        operation: &'static Operation,
        failed: u32,
        asked: Option<Duration>,
        deadline: Duration,
    ) -> bool {
        let duration = backoff(failed, jitter()).max(asked.unwrap_or_default());
        let is_late = self.clock.monotonic().saturating_add(duration) >= deadline;
        if is_late
            || !self.retry.allows(Duration::ZERO, duration)
            || !self.budget.take(self.clock.monotonic())
        {
            return false;
        }
        self.sleep(operation, MustWait { duration, reason: WaitReason::Retry }).await;
        !self.stop.is_cancelled()
    }
}

fn jitter() -> f64 {
    if !crash_point::machine().is_empty() {
        // A simulation is the same each time.
        return 0.5;
    }
    let (random, ..) = Uuid::new_v4().as_fields();
    f64::from(random) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests;
