//! Conversion of errors of calls to the service: exit code, message and hint.

use links_sdk::{Error, ErrorKind, Outcome, RequestView};

use super::exit_code::Exit;
use super::{ACCOUNT, CommandError};
use crate::env_vars::TOKEN;

/// Result of a write in a dry run.
#[derive(Clone, Debug)]
pub(crate) struct DryRunResult {
    pub(crate) operation: &'static str,
    /// True if the service would accept the call; false if it was not asked.
    pub(crate) is_accepted: bool,
    /// The request, if it was built and not sent.
    pub(crate) request: Option<RequestView>,
    /// Fields that need the result of an earlier call, so that the call was made without them, or not at all.
    pub(crate) unchecked: Vec<String>,
}

impl DryRunResult {
    /// Returns the result of a dry run, if the error is one.
    fn of(error: &Error) -> Option<Self> {
        let (is_accepted, request) = (error.is_dry_run_accepted(), error.not_sent().cloned());
        let is_result = is_accepted || request.is_some();
        let operation = error.operation();
        is_result.then_some(Self { operation, is_accepted, request, unchecked: Vec::new() })
    }
}

impl CommandError {
    /// Adds that a dry run did not check its last write because of these fields.
    pub(crate) fn before_unchecked(
        mut self,
        operation: &'static str,
        unchecked: Vec<String>,
    ) -> Self {
        let result = DryRunResult { operation, is_accepted: false, request: None, unchecked };
        self.0.dry_run_results.push(result);
        self
    }

    /// Adds that a dry run checked its last write without these fields.
    pub(crate) fn without(mut self, fields: Vec<String>) -> Self {
        if let Some(last) = self.0.dry_run_results.last_mut().filter(|last| last.is_accepted) {
            last.unchecked = fields;
        }
        self
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let exit = exit_of(&error);
        let service = error.service();
        let wait = error.retry_after();
        let wait = wait.map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        // A call that would wait for a rate limit longer than its flags allow.
        let too_long = wait.filter(|_| error.is_rate_limited() && service.is_none());
        let message = match (service, too_long) {
            (Some(service), _) if !service.message.is_empty() => service.message.clone(),
            (_, Some(seconds)) => {
                format!("rate limited: the wait of {seconds} s exceeds --max-wait or --timeout")
            }
            _ => with_cause(&error),
        };
        let hint = match (exit, error.outcome()) {
            (Exit::NotAuthenticated, _) => Some(match ACCOUNT.get() {
                Some(account) => format!("log in again with `links auth login --account {account}`"),
                None => format!("log in again with `links auth login`, or set another {TOKEN}"),
            }),
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
            _ => wait.map(|seconds| match too_long {
                Some(_) => format!(
                    "try again in {seconds} s, or allow a longer wait with --max-wait and --timeout"
                ),
                None => format!("try again in {seconds} s"),
            }),
        };
        let mut failure = Self::new(exit, message);
        let parts = &mut *failure.0;
        parts.code = service.map(|it| it.code.clone()).filter(|code| !code.is_empty());
        parts.status = error.status();
        parts.operation = error.status().map(|_| error.operation());
        parts.hint = hint;
        parts.documentation = service.and_then(|it| it.documentation.clone());
        parts.errors = error.field_errors().clone();
        parts.retryable = error.is_safe_to_repeat();
        parts.outcome = error.outcome();
        parts.retry_after = wait;
        parts.dry_run_results = DryRunResult::of(&error).into_iter().collect();
        failure
    }
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
    let text = error.to_string();
    let sources = std::iter::successors(std::error::Error::source(error), |it| it.source());
    let cause = sources.last().map(ToString::to_string).filter(|cause| !text.contains(cause));
    let Some(cause) = cause else { return text };
    let cause = cause.split(" (os error").next().unwrap_or_default();
    let mut letters = cause.chars();
    let cause: String =
        letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
    format!("{text}: {cause}")
}
