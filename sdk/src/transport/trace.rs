//! Spans of calls and attempts, and events of waits, with the names of OpenTelemetry's conventions for HTTP clients, for the feature `tracing`.
//! No field holds a token, a header, a body, a query or an ID. Without the feature nothing is recorded.

#[cfg(feature = "tracing")]
pub(crate) use with::{AttemptSpan, call_span, waiting};
#[cfg(not(feature = "tracing"))]
pub(crate) use without::{NoSpan as AttemptSpan, call_span, waiting};

#[cfg(feature = "tracing")]
mod with {
    use std::future::Future;
    use std::time::Duration;

    use reqwest::Method;
    use tracing::field::Empty;
    use tracing::{Instrument, Span, debug, info_span};

    use crate::base_url::BaseUrl;
    use crate::error::Error;
    use crate::error_kind::{ErrorKind, Outcome};
    use crate::operation::Operation;
    use crate::transport::pacing::WaitReason;
    use crate::transport::retry::AttemptEnd;

    /// Returns the future of a call within its span, which gets the result.
    pub(crate) fn call_span<T>(
        operation: &'static Operation,
        sending: impl Future<Output = Result<T, Error>> + Send,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        let span = info_span!(
            target: "links_sdk",
            "links.call",
            otel.name = operation.id,
            otel.kind = "internal",
            otel.status_code = Empty,
            error.r#type = Empty,
            links.operation = operation.id,
            links.outcome = Empty,
        );
        let ending = span.clone();
        async move {
            let result = sending.await;
            if let Err(error) = &result {
                ending.record("otel.status_code", "ERROR");
                ending.record("error.type", error_type(error).as_str());
                ending.record("links.outcome", outcome(error.outcome()));
            }
            result
        }
        .instrument(span)
    }

    fn error_type(error: &Error) -> String {
        let name = match error.kind() {
            ErrorKind::InvalidInput => "invalid_input",
            ErrorKind::RateLimited => "rate_limited",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Network | ErrorKind::Untrusted => "network",
            _ => match error.status() {
                Some(status) => return status.to_string(),
                None => "_OTHER",
            },
        };
        name.to_owned()
    }

    fn outcome(outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::NotExecuted => "not_executed",
            Outcome::Executed => "executed",
            Outcome::Unknown => "unknown",
        }
    }

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
        pub(crate) fn around<F: Future>(
            &self,
            sending: F,
        ) -> impl Future<Output = F::Output> + use<F> {
            sending.instrument(self.0.clone())
        }

        /// Records how the attempt ended; `None` if nothing was sent.
        pub(crate) fn ended(&self, end: Option<AttemptEnd>) {
            if let Some(status) = end.and_then(AttemptEnd::status) {
                self.0.record("http.response.status_code", status);
            }
            match end {
                None => self.failed("not_sent"),
                Some(AttemptEnd::Answer(status)) if status >= 400 => {
                    self.failed(&status.to_string());
                }
                Some(AttemptEnd::Answer(_)) => {}
                Some(end) => self.failed(name_of(end)),
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
}

#[cfg(not(feature = "tracing"))]
mod without {
    use std::time::Duration;

    use reqwest::Method;

    use crate::base_url::BaseUrl;
    use crate::operation::Operation;
    use crate::transport::pacing::WaitReason;
    use crate::transport::retry::AttemptEnd;

    pub(crate) fn call_span<F>(_: &'static Operation, sending: F) -> F {
        sending
    }

    pub(crate) fn waiting(_: &'static Operation, _: Duration, _: WaitReason) {}

    pub(crate) struct NoSpan;

    #[expect(clippy::unused_self, reason = "as with the feature")]
    impl NoSpan {
        pub(crate) fn new(_: &'static Operation, _: &Method, _: &BaseUrl, _: u32) -> Self {
            Self
        }

        pub(crate) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }

        pub(crate) fn around<F>(&self, sending: F) -> F {
            sending
        }

        pub(crate) fn ended(&self, _: Option<AttemptEnd>) {}
    }
}
