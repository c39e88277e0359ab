//! Spans with the names of OpenTelemetry's conventions for HTTP clients. No field holds a token, a header, a body, a query or an id.

use std::future::Future;
use std::time::Duration;

use reqwest::Method;
use tracing::field::Empty;
use tracing::{Instrument, Span, debug, info_span};

use crate::base_url::BaseUrl;
use crate::operation::Operation;
use crate::transport::pacing::WaitReason;
use crate::transport::retry::AttemptEnd;
use crate::transport::{Answer, CallFailure};

/// Records that a call is about to wait.
pub(crate) fn waiting(operation: &'static Operation, wait: Duration, reason: WaitReason) {
    debug!(
        target: "links_sdk",
        operation = operation.id,
        wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
        reason = %reason,
        "waiting"
    );
}

/// Span of one attempt.
pub(crate) struct AttemptSpan(Span);

impl AttemptSpan {
    /// Begins the span of an attempt after so many.
    pub(crate) fn new(
        operation: &'static Operation,
        method: &Method,
        base: &BaseUrl,
        resent: u32,
    ) -> Self {
        // A raw call has no route.
        let name = if operation.route.is_empty() { method.as_str() } else { operation.route };
        let template = operation.route.split_once(' ').map(|(_, path)| path);
        let span = info_span!(
            target: "links_sdk",
            "links.attempt",
            otel.name = name,
            otel.kind = "client",
            otel.status_code = Empty,
            error.r#type = Empty,
            http.request.method = method.as_str(),
            http.request.resend_count = Empty,
            http.response.status_code = Empty,
            server.address = base.host(),
            server.port = base.port(),
            url.template = template,
        );
        if resent > 0 {
            span.record("http.request.resend_count", resent);
        }
        Self(span)
    }

    /// Does work within the span.
    pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.in_scope(work)
    }

    /// Returns the future of the attempt within the span.
    pub(crate) fn around<F: Future>(&self, sending: F) -> impl Future<Output = F::Output> + use<F> {
        sending.instrument(self.0.clone())
    }

    /// Records how the attempt ended.
    pub(crate) fn ended(&self, result: &Result<Answer, CallFailure>) {
        let (status, failure) = match result {
            Ok(answer) => (Some(answer.status()), None),
            Err(CallFailure::Unusable { answer, .. }) => {
                (Some(answer.status()), Some("unusable_answer"))
            }
            Err(CallFailure::Broken(broken)) => (broken.end.status(), Some(name_of(broken.end))),
            Err(_) => (None, Some("not_sent")),
        };
        if let Some(status) = status {
            self.0.record("http.response.status_code", status);
        }
        match (failure, status) {
            (Some(failure), _) => self.failed(failure),
            (None, Some(status)) if status >= 400 => self.failed(&status.to_string()),
            (None, _) => {}
        }
    }

    fn failed(&self, error_type: &str) {
        self.0.record("error.type", error_type);
        self.0.record("otel.status_code", "ERROR");
    }
}

fn name_of(end: AttemptEnd) -> &'static str {
    match end {
        AttemptEnd::Unreachable => "unreachable",
        AttemptEnd::Untrusted => "untrusted",
        AttemptEnd::TimedOut => "timeout",
        AttemptEnd::NoAnswer => "connection_broken",
        AttemptEnd::Redirected => "redirected",
        AttemptEnd::Cut(_) => "answer_cut",
        AttemptEnd::TooLarge(_) => "answer_too_large",
        AttemptEnd::Answer(_) | AttemptEnd::Unusable(_) => "unusable_answer",
    }
}
