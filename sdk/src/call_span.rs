//! Span of a call for the feature `tracing`.

use std::future::Future;

use tracing::field::Empty;
use tracing::{Instrument, info_span};

use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::operation::Operation;
use crate::outcome::Outcome;

/// Returns the future of a call within its span, which gets the result.
pub(crate) fn around<T>(
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
    match (error.kind(), error.status()) {
        (ErrorKind::InvalidInput, _) => "invalid_input".to_owned(),
        (ErrorKind::RateLimited, _) => "rate_limited".to_owned(),
        (ErrorKind::Timeout, _) => "timeout".to_owned(),
        (ErrorKind::Network | ErrorKind::Untrusted, _) => "network".to_owned(),
        (_, Some(status)) => status.to_string(),
        (_, None) => "_OTHER".to_owned(),
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotExecuted => "not_executed",
        Outcome::Executed => "executed",
        Outcome::Unknown => "unknown",
    }
}
