//! What the errors of runs of several requests share with the error of a call.

/// Gives the error of a run what it shares with the error of a call.
macro_rules! of_run {
    ($error:ty) => {
        $crate::error_kind::predicates!($error);

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

pub(crate) use of_run;
