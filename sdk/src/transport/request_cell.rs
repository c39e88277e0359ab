//! Cell in which the generated client leaves the request that it has made.

use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Request;

/// Cell in which the generated client leaves the request that it has made.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestCell(Arc<Mutex<Option<Request>>>);

impl RequestCell {
    /// Returns the request, once the generated method has returned; `None` when it could not make any.
    pub(crate) fn take(&self) -> Option<Request> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Leaves the request for the caller of the generated method.
    pub(super) fn leave(&self, request: Request) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
    }
}
