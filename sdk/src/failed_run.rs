//! What the errors of runs of several requests share with the error of a call.

use std::error::Error as StdError;

use crate::apply::ApplyError;
use crate::batch_error::BatchError;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::tolerant::FieldErrors;

/// Error of a run of several requests.
pub(crate) trait FailedRun: StdError + Send + Sync + 'static {
    /// Returns the error of the call that failed, if it was one.
    fn call(&self) -> Option<&Error>;

    /// Returns whether the run has written anything.
    fn outcome(&self) -> Outcome;

    /// Returns the refused fields and why.
    fn field_errors(&self) -> &FieldErrors;

    /// Returns whether another client changed meanwhile what the run would have overwritten.
    fn is_conflict(&self) -> bool;

    /// Returns whether the whole run may be sent again.
    fn is_safe_to_repeat(&self) -> bool;
}

/// Gives the error of a run the predicates of the call that failed.
macro_rules! predicates_of_the_call {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("Returns [`Error::", stringify!($name), "`] of the call that failed; false if it was none.")]
            pub fn $name(&self) -> bool {
                FailedRun::call(self).is_some_and(Error::$name)
            }
        )*
    };
}

macro_rules! predicates {
    ($type:ty) => {
        impl $type {
            predicates_of_the_call! {
                is_invalid_input is_not_authenticated is_forbidden is_not_found is_validation is_rate_limited is_network is_server_error
                is_unreadable
            }

            /// Returns the error of the call that failed, if the run ended for that.
            pub fn call(&self) -> Option<&Error> {
                FailedRun::call(self)
            }

            /// Returns whether a limit is reached, or another client changed meanwhile what the run would have overwritten.
            pub fn is_conflict(&self) -> bool {
                FailedRun::is_conflict(self)
            }

            /// Returns the time to wait before the run can succeed.
            pub fn retry_after(&self) -> Option<std::time::Duration> {
                FailedRun::call(self)?.retry_after()
            }
        }

        impl From<$type> for Error {
            fn from(error: $type) -> Self {
                Error::of_run(error)
            }
        }
    };
}

predicates!(BatchError);
predicates!(ApplyError);
