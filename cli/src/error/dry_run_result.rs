//! The end of a call that was only rehearsed.

use links_sdk::{Error, RequestView};

/// How a command ended that could not write.
#[derive(Clone, Debug)]
pub(crate) enum DryRunResult {
    /// The service would accept the call.
    Accepted(&'static str),
    /// The request was made and not sent.
    NotSent(&'static str, Box<RequestView>),
}

impl DryRunResult {
    /// The end of a rehearsed call, if this is one.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        match error.withheld() {
            Some(request) => Some(Self::NotSent(error.operation(), Box::new(request.clone()))),
            None => error.is_dry_run_accepted().then(|| Self::Accepted(error.operation())),
        }
    }
}
