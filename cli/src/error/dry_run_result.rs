//! Result of a write in a dry run.

use links_sdk::{Error, RequestView};

/// Result of a write in a dry run.
#[derive(Clone, Debug)]
pub(crate) enum DryRunResult {
    /// The service would accept the call.
    Accepted(&'static str),
    /// The request was built and not sent.
    NotSent(&'static str, Box<RequestView>),
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
