//! What the errors of runs of several requests share with the error of a call.

/// Gives an error with a kind the predicates that are derived from it.
macro_rules! predicates {
    ($error:ty) => {
        impl $error {
            /// Returns whether an argument of the call cannot be sent: [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
            pub fn is_invalid_input(&self) -> bool {
                self.kind() == $crate::ErrorKind::InvalidInput
            }

            /// Returns whether the token is missing, wrong or revoked: [`ErrorKind::NotAuthenticated`](crate::ErrorKind::NotAuthenticated).
            pub fn is_not_authenticated(&self) -> bool {
                self.kind() == $crate::ErrorKind::NotAuthenticated
            }

            /// Returns whether the token may not do this: [`ErrorKind::Forbidden`](crate::ErrorKind::Forbidden).
            pub fn is_forbidden(&self) -> bool {
                self.kind() == $crate::ErrorKind::Forbidden
            }

            /// Returns whether the service answered 404: [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
            pub fn is_not_found(&self) -> bool {
                self.kind() == $crate::ErrorKind::NotFound
            }

            /// Returns whether the service answered 409 (a limit is reached, or the type is read-only), or another client changed meanwhile what
            /// the call would have overwritten: [`ErrorKind::Conflict`](crate::ErrorKind::Conflict).
            pub fn is_conflict(&self) -> bool {
                self.kind() == $crate::ErrorKind::Conflict
            }

            /// Returns whether [fields](Self::field_errors) were refused: [`ErrorKind::Validation`](crate::ErrorKind::Validation).
            pub fn is_validation(&self) -> bool {
                self.kind() == $crate::ErrorKind::Validation
            }

            /// Returns whether the wait for a rate limit would have been too long: [`ErrorKind::RateLimited`](crate::ErrorKind::RateLimited).
            pub fn is_rate_limited(&self) -> bool {
                self.kind() == $crate::ErrorKind::RateLimited
            }

            /// Returns whether the time ran out: [`ErrorKind::Timeout`](crate::ErrorKind::Timeout).
            pub fn is_timeout(&self) -> bool {
                self.kind() == $crate::ErrorKind::Timeout
            }

            /// Returns whether there was no connection, or none that is secure, or it broke: [`ErrorKind::Network`](crate::ErrorKind::Network) or [`ErrorKind::Untrusted`](crate::ErrorKind::Untrusted).
            pub fn is_network(&self) -> bool {
                matches!(self.kind(), $crate::ErrorKind::Network | $crate::ErrorKind::Untrusted)
            }

            /// Returns whether the connection would not have been secure: [`ErrorKind::Untrusted`](crate::ErrorKind::Untrusted).
            pub fn is_untrusted(&self) -> bool {
                self.kind() == $crate::ErrorKind::Untrusted
            }

            /// Returns whether the answer has a 5xx status: [`ErrorKind::Server`](crate::ErrorKind::Server).
            pub fn is_server_error(&self) -> bool {
                self.kind() == $crate::ErrorKind::Server
            }

            /// Returns whether the answer is not what the interface describes: [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable).
            pub fn is_unreadable(&self) -> bool {
                self.kind() == $crate::ErrorKind::Unreadable
            }
        }
    };
}

/// Gives the error of a run what it shares with the error of a call.
macro_rules! of_run {
    ($error:ty) => {
        $crate::failed_run::predicates!($error);

        impl $error {
            /// Returns the kind of the error: that of the call that failed, if the run ended for that.
            pub fn kind(&self) -> $crate::ErrorKind {
                $crate::error::FailedRun::kind(self)
            }

            /// Returns the error of the call that failed, if the run ended for that.
            pub fn call(&self) -> Option<&$crate::error::Error> {
                $crate::error::FailedRun::call(self)
            }

            /// Returns the time to wait before the run can succeed.
            pub fn retry_after(&self) -> Option<std::time::Duration> {
                $crate::error::FailedRun::call(self)?.retry_after()
            }
        }

        impl From<$error> for $crate::error::Error {
            fn from(error: $error) -> Self {
                $crate::error::Error::of_run(error)
            }
        }
    };
}

pub(crate) use {of_run, predicates};
