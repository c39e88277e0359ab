//! Observer of a client's waits and attempts.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::pacing::WaitReason;
use crate::view::{AnswerView, RequestView};

/// Observer of what the client does. Every method does nothing unless it is overridden; none may block.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Reports that the client is about to wait.
    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        let _ = (operation, duration, reason);
    }

    /// Reports that the file or the server through which the rate limits are shared cannot be used: this process then keeps within them, or
    /// within its share of them, by itself. `shared` names the file or the server, without a password.
    fn pacing_alone(&self, shared: &str, error: &dyn StdError) {
        let _ = (shared, error);
    }

    /// Returns whether reports shall include the request, which costs a copy of its headers and its body.
    fn wants_request(&self) -> bool {
        false
    }

    /// Reports the end of an attempt: with a status, or without any answer.
    fn attempted(&self, attempt: &AttemptReport<'_>) {
        let _ = attempt;
    }
}

/// One attempt, as an [`Observer`] sees it. The token is no part of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct AttemptReport<'a> {
    /// The operationId.
    pub operation: &'static str,
    /// The HTTP method.
    pub method: &'a str,
    /// The path below the base URL, query included.
    pub target: &'a str,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Time from sending until the last byte.
    pub took: Duration,
    /// The request, if the observer [wants it](Observer::wants_request).
    pub request: Option<&'a RequestView>,
    /// The answer, if all of it arrived.
    pub answer: Option<AnswerView<'a>>,
}

/// Observer that does nothing.
#[derive(Debug)]
pub(crate) struct NoObserver;

impl Observer for NoObserver {}
