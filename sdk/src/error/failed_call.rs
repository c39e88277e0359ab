//! Errors without a service, for the tests of programs.

use std::time::Duration;

use super::{Cause, Error, ErrorDetails};
use crate::error_kind::{ErrorKind, Outcome, ServiceError};
use crate::tolerant::FieldErrors;

/// Error of a call that never took place, for testing how a program handles it.
///
/// ```
/// use std::time::Duration;
///
/// use links_sdk::testing::FailedCall;
/// use links_sdk::{Error, ErrorKind};
///
/// let wait = Duration::from_secs(7);
/// let error = Error::from(FailedCall::new(ErrorKind::RateLimited).retry_after(wait));
/// assert!(error.is_rate_limited() && error.is_safe_to_repeat());
/// assert_eq!(error.retry_after(), Some(wait));
///
/// let refused = FailedCall::new(ErrorKind::Validation).field_error("data.link", "It must be a URL.");
/// assert!(Error::from(refused).field_errors().contains_key("data.link"));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct FailedCall {
    kind: ErrorKind,
    operation: &'static str,
    status: u16,
    message: String,
    outcome: Outcome,
    retry_after: Option<Duration>,
    field_errors: FieldErrors,
}

impl FailedCall {
    /// Returns an error of this kind for a write that was not executed. For [`ErrorKind::DryRunExecuted`], the write was executed.
    pub fn new(kind: ErrorKind) -> Self {
        let status = match kind {
            ErrorKind::NotAuthenticated => 401,
            ErrorKind::Forbidden => 403,
            ErrorKind::NotFound => 404,
            ErrorKind::Conflict => 409,
            ErrorKind::Validation => 422,
            ErrorKind::Rejected => 400,
            ErrorKind::RateLimited => 429,
            ErrorKind::Server => 503,
            _ => 200,
        };
        Self {
            kind,
            operation: "updateSlot",
            status,
            message: "test error".to_owned(),
            outcome: match kind {
                ErrorKind::DryRunExecuted => Outcome::Executed,
                _ => Outcome::NotExecuted,
            },
            retry_after: None,
            field_errors: FieldErrors::default(),
        }
    }

    /// Sets the `operationId`; by default `updateSlot`.
    pub fn operation(self, operation: &'static str) -> Self {
        Self { operation, ..self }
    }

    /// Sets the HTTP status of the response, if the kind can have several, such as 502 for [`ErrorKind::Server`].
    ///
    /// # Panics
    ///
    /// Panics if a response with this status is an error of another kind.
    pub fn status(self, status: u16) -> Self {
        assert_eq!(
            ErrorKind::of_status(status, true),
            self.kind,
            "status {status} has another kind"
        );
        Self { status, ..self }
    }

    /// Sets the message of the service.
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Sets whether something was written.
    pub fn outcome(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    /// Sets the time to wait before the call can succeed.
    pub fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// Adds a refused field, by its path, with the reason. Only errors from a response have refused fields.
    pub fn field_error(mut self, path: impl Into<String>, reason: impl Into<String>) -> Self {
        self.field_errors.0.entry(path.into()).or_default().push(reason.into());
        self
    }
}

impl From<FailedCall> for Error {
    fn from(failed: FailedCall) -> Self {
        let FailedCall { kind, operation, status, message, outcome, retry_after, field_errors } =
            failed;
        let cause = if ErrorKind::of_status(status, true) == kind {
            let (code, errors) = (String::new(), field_errors);
            Cause::Service(ServiceError { status, message, code, errors, documentation: None })
        } else {
            Cause::Own(kind, message)
        };
        let error = Self::new(operation, outcome, cause);
        Self(Box::new(ErrorDetails { retry_after, ..*error.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_each_kind_can_be_made() {
        use ErrorKind::{
            Conflict, DryRunAccepted, DryRunExecuted, Forbidden, InvalidInput, Network,
            NotAuthenticated, NotFound, NotSent, RateLimited, Rejected, Run, Server, Timeout,
            Unreadable, Untrusted, Validation,
        };
        for kind in [
            InvalidInput,
            NotAuthenticated,
            Forbidden,
            NotFound,
            Conflict,
            Validation,
            Rejected,
            RateLimited,
            Timeout,
            Network,
            Untrusted,
            Server,
            Unreadable,
            DryRunExecuted,
            DryRunAccepted,
            NotSent,
            Run,
        ] {
            let error = Error::from(FailedCall::new(kind).retry_after(Duration::from_secs(1)));
            assert_eq!(error.kind(), kind, "{error}");
            assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
            assert_eq!(error.is_safe_to_repeat(), kind.is_temporary(), "{error}");
            let lost = Error::from(FailedCall::new(kind).outcome(Outcome::Unknown));
            assert!(lost.outcome() == Outcome::Unknown && !lost.is_safe_to_repeat());
            assert!(!error.to_string().is_empty());
        }
        assert_eq!(Error::from(FailedCall::new(Server).status(502)).status(), Some(502));
        let error = Error::from(FailedCall::new(Conflict).message("The page is full."));
        assert_eq!(error.service().unwrap().message, "The page is full.");
    }

    #[test]
    #[should_panic(expected = "status 404 has another kind")]
    fn a_status_of_another_kind_is_refused() {
        let _ = FailedCall::new(ErrorKind::Server).status(404);
    }
}
