//! Observer of a client's waits and attempts.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::pacing::WaitReason;
use crate::view::{AnswerView, RequestView};

/// Observer of what the client does. Every method does nothing unless it is overridden; none may block.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Reports that the client is about to wait.
    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        let _ = (operation, duration, reason);
    }

    /// Reports that the file through which processes share the rate limits cannot be used: this process then keeps within them by itself.
    fn pacing_alone(&self, file: &Path, error: &io::Error) {
        let _ = (file, error);
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
