//! Conversion of errors of calls to the service: exit code, message and hint.

use links_sdk::{Error, ErrorKind, Outcome, RequestView};
use serde_json::json;

use super::exit_code::Exit;
use super::{CommandError, whole_seconds};
use crate::env_vars::TOKEN;

/// Result of a write in a dry run.
#[derive(Clone, Debug)]
pub(crate) enum DryRunResult {
    /// The service would accept the call.
    Accepted(&'static str),
    /// The request was built and not sent.
    NotSent(&'static str, Box<RequestView>),
    /// The service would accept the call without these fields, which need the result of an earlier one; or the call was not made because of
    /// them.
    Unchecked { operation: &'static str, accepted: Option<bool>, fields: Vec<String> },
}

impl DryRunResult {
    /// Returns the result of a dry run, if the error is one.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        match error.not_sent() {
            Some(request) => Some(Self::NotSent(error.operation(), Box::new(request.clone()))),
            None => error.is_dry_run_accepted().then(|| Self::Accepted(error.operation())),
        }
    }
}

impl CommandError {
    /// Adds that a dry run did not check its last write because of these fields.
    #[must_use]
    pub(crate) fn before_unchecked(mut self, operation: &'static str, fields: Vec<String>) -> Self {
        let unchecked = DryRunResult::Unchecked { operation, accepted: None, fields };
        self.0.dry_run_results.push(unchecked);
        self
    }

    /// Adds that a dry run checked its last write without these fields.
    #[must_use]
    pub(crate) fn without(mut self, fields: Vec<String>) -> Self {
        if let Some(last) = self.0.dry_run_results.last_mut()
            && let DryRunResult::Accepted(operation) = *last
            && !fields.is_empty()
        {
            *last = DryRunResult::Unchecked { operation, accepted: Some(true), fields };
        }
        self
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let exit = exit_of(&error);
        let service = error.service();
        let message = match service {
            Some(service) if !service.message.is_empty() => service.message.clone(),
            _ if error.is_network() || error.is_timeout() => with_cause(&error),
            _ => too_long_wait(&error).unwrap_or_else(|| with_sources(&error)),
        };
        let hint = match (exit, error.outcome()) {
            (Exit::NotAuthenticated, _) => {
                Some(format!("log in again with `links auth login`, or set another {TOKEN}"))
            }
            _ if error.is_untrusted() => Some(
                "to trust another certificate authority, pass --cacert FILE; to send a client certificate, pass --client-cert FILE"
                    .to_owned(),
            ),
            (_, Outcome::Unknown) => Some(
                "check whether the change was applied before you retry".to_owned(),
            ),
            (_, Outcome::Executed) if !error.is_dry_run_executed() => {
                Some("don't run the command again: the request succeeded, but its response cannot be used".to_owned())
            }
            _ => error.retry_after().map(|wait| {
                let longer = match exit {
                    Exit::RateLimited if service.is_none() => {
                        ", or allow a longer wait with --max-wait and --timeout"
                    }
                    _ => "",
                };
                format!("try again in {} s{longer}", whole_seconds(wait))
            }),
        };
        let mut failure = Self::new(exit, message);
        let parts = &mut *failure.0;
        parts.code = service.map(|it| it.code.clone()).filter(|code| !code.is_empty());
        parts.status = error.status();
        parts.operation = error.status().map(|_| error.operation());
        parts.hint = hint;
        parts.documentation = service.and_then(|it| it.documentation.clone());
        let errors = error.field_errors().iter();
        parts.errors = errors.map(|(path, messages)| (path.clone(), json!(messages))).collect();
        parts.retryable = error.is_safe_to_repeat();
        parts.outcome = error.outcome();
        parts.retry_after = error.retry_after();
        parts.dry_run_results = DryRunResult::of(&error).into_iter().collect();
        failure
    }
}

/// Returns the message for a call that would wait for a rate limit longer than its flags allow.
fn too_long_wait(error: &Error) -> Option<String> {
    let wait =
        error.retry_after().filter(|_| error.is_rate_limited() && error.service().is_none())?;
    let seconds = whole_seconds(wait);
    Some(format!("rate limited: the wait of {seconds} s exceeds --max-wait or --timeout"))
}

fn exit_of(error: &Error) -> Exit {
    match error.kind() {
        ErrorKind::InvalidInput => Exit::Usage,
        ErrorKind::NotAuthenticated => Exit::NotAuthenticated,
        ErrorKind::Forbidden => Exit::Forbidden,
        ErrorKind::NotFound => Exit::NotFound,
        ErrorKind::Conflict => Exit::Conflict,
        ErrorKind::Validation => Exit::Invalid,
        ErrorKind::RateLimited => Exit::RateLimited,
        ErrorKind::Timeout | ErrorKind::Network | ErrorKind::Untrusted => Exit::Network,
        ErrorKind::Rejected
        | ErrorKind::Server
        | ErrorKind::Unreadable
        | ErrorKind::DryRunExecuted
        | ErrorKind::DryRunAccepted
        | ErrorKind::NotSent
        | ErrorKind::Run => Exit::Server,
    }
}

/// Returns the message with its last cause, which is that of the operating system or the server. Those in between come from libraries.
fn with_cause(error: &Error) -> String {
    let chain = std::iter::successors(std::error::Error::source(error), |it| it.source());
    let Some(cause) = chain.last().map(ToString::to_string) else { return error.to_string() };
    let cause = cause.split(" (os error").next().unwrap_or_default();
    let mut letters = cause.chars();
    let cause: String =
        letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    format!("{error}: {cause}")
}

/// Returns the message with those of its sources, without repetitions.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}
