//! What an embedder can watch while calls run.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::pacing::WaitReason;
use crate::view::{AnswerView, RequestView};

/// Is told what the client does. Every method does nothing unless it is overridden; none may block.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// The client is about to wait.
    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        let _ = (operation, duration, reason);
    }

    /// The file through which processes share the rate limits cannot be used: this one keeps within them for itself only.
    fn pacing_alone(&self, file: &Path, error: &io::Error) {
        let _ = (file, error);
    }

    /// Whether reports have the request in them, which costs a copy of its headers and its body.
    fn wants_request(&self) -> bool {
        false
    }

    /// One attempt has ended: with a status, or without any answer.
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
    /// The path below the base address, query included.
    pub target: &'a str,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// From sending until the last byte.
    pub took: Duration,
    /// The request, if the observer [looks inside](Observer::wants_request).
    pub request: Option<&'a RequestView>,
    /// The answer, if all of it arrived.
    pub answer: Option<AnswerView<'a>>,
}

/// Watches nothing.
#[derive(Debug)]
pub(crate) struct NoObserver;

impl Observer for NoObserver {}
