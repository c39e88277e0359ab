//! Predicates that the errors of runs of several requests share with the error of a call.

/// Gives the error of a run the predicates of the call that failed.
macro_rules! predicates_of_the_call {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("Returns [`Error::", stringify!($name), "`] of the call that failed; false if it was none.")]
            pub fn $name(&self) -> bool {
                $crate::error::FailedRun::call(self).is_some_and($crate::error::Error::$name)
            }
        )*
    };
}

macro_rules! predicates {
    ($type:ty) => {
        impl $type {
            $crate::failed_run::predicates_of_the_call! {
                is_invalid_input is_not_authenticated is_forbidden is_not_found is_validation is_rate_limited is_network is_untrusted
                is_server_error is_unreadable
            }

            /// Returns the error of the call that failed, if the run ended for that.
            pub fn call(&self) -> Option<&$crate::error::Error> {
                $crate::error::FailedRun::call(self)
            }

            /// Returns whether a limit is reached, or another client changed meanwhile what the run would have overwritten.
            pub fn is_conflict(&self) -> bool {
                $crate::error::FailedRun::is_conflict(self)
            }

            /// Returns the time to wait before the run can succeed.
            pub fn retry_after(&self) -> Option<std::time::Duration> {
                $crate::error::FailedRun::call(self)?.retry_after()
            }
        }

        impl From<$type> for $crate::error::Error {
            fn from(error: $type) -> Self {
                $crate::error::Error::of_run(error)
            }
        }
    };
}

pub(crate) use {predicates, predicates_of_the_call};
