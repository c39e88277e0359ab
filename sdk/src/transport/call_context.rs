//! Context that the generated client carries for one request.

use std::sync::{Arc, Mutex, PoisonError};

use super::call_result::CallResult;
use super::options::CallOptions;
use super::shared::Shared;

/// Context of one request of the generated client: the client's state, the call's options, and where the result is left.
#[derive(Clone, Debug)]
pub(crate) struct CallContext {
    pub(crate) shared: Arc<Shared>,
    pub(crate) options: CallOptions,
    /// Set if the caller wants the answer as it was sent, so that nothing needs to be decoded.
    pub(crate) undecoded: bool,
    exchange: Arc<Mutex<Option<CallResult>>>,
}

impl CallContext {
    pub(crate) fn new(shared: Arc<Shared>, options: CallOptions, undecoded: bool) -> Self {
        Self { shared, options, undecoded, exchange: Arc::default() }
    }

    /// Returns the result, once the generated method has returned; `None` when it never sent anything.
    pub(crate) fn exchange(&self) -> Option<CallResult> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
    /// Leaves the result for the caller of the generated method.
    pub(super) fn leave(&self, exchange: CallResult) {
        *self.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(exchange);
    }
}
