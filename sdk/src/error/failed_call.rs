//! Errors without a service, for the tests of programs.

use std::time::Duration;

use super::{Cause, Error};
use crate::error_kind::{ErrorKind, Outcome, ServiceError};

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
#[derive(Debug)]
#[must_use]
pub struct FailedCall(Error);

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
        let message = "test error".to_owned();
        let cause = if ErrorKind::of_status(status, true) == kind {
            Cause::Service(ServiceError { status, message, ..ServiceError::default() })
        } else {
            Cause::Own(kind, message)
        };
        let outcome = match kind {
            ErrorKind::DryRunExecuted => Outcome::Executed,
            _ => Outcome::NotExecuted,
        };
        Self(Error::new("updateSlot", outcome, cause))
    }

    /// Sets the message of the service.
    pub fn message(mut self, text: impl Into<String>) -> Self {
        if let Cause::Service(ServiceError { message, .. }) | Cause::Own(_, message) =
            &mut self.0.0.cause
        {
            *message = text.into();
        }
        self
    }

    /// Sets whether something was written.
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.0.0.outcome = outcome;
        self
    }

    /// Sets the time to wait before the call can succeed.
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.0.retry_after = Some(wait);
        self
    }

    /// Adds a refused field, by its path, with the reason. Only errors from a response have refused fields.
    pub fn field_error(mut self, path: impl Into<String>, reason: impl Into<String>) -> Self {
        if let Cause::Service(error) = &mut self.0.0.cause {
            error.errors.0.entry(path.into()).or_default().push(reason.into());
        }
        self
    }
}

impl From<FailedCall> for Error {
    fn from(failed: FailedCall) -> Self {
        failed.0
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
        assert_eq!(Error::from(FailedCall::new(Server)).status(), Some(503));
        let error = Error::from(FailedCall::new(Conflict).message("The page is full."));
        assert_eq!(error.service().unwrap().message, "The page is full.");
    }
}
